import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageVersion } from './npm-package.ts';
import type { Platform } from './platforms.ts';
import { textOf } from './program.ts';
import { movedInto, type ReleaseFile, textFile } from './release-file.ts';

/** What Node and the packages with binaries are linked with. */
const dependencies = 'libc6 (>= 2.31), libgcc-s1, libstdc++6 (>= 10)';

/** The package for Debian and what derives from it: the program, the command, two services and their settings. */
export function debianPackage(
  platform: Platform,
  program: readonly ReleaseFile[],
  timeSeconds: number,
): Buffer {
  const files: ReleaseFile[] = [
    ...movedInto('usr/lib/weir', program),
    { path: 'usr/bin/weir', linkTo: '../lib/weir/bin/weir' },
    ...['weir-agent.service', 'weir-control-plane.service'].map((name) =>
      textFile(`usr/lib/systemd/system/${name}`, textOf(`deploy/systemd/${name}`)),
    ),
    textFile('usr/lib/sysusers.d/weir.conf', textOf('deploy/debian/sysusers.conf')),
    textFile('etc/weir/agent.env', textOf('deploy/systemd/agent.env')),
    textFile('etc/weir/control-plane.env', textOf('deploy/systemd/control-plane.env')),
    textFile('usr/share/doc/weir/copyright', textOf('LICENSE')),
  ];
  const bytes = files.reduce((sum, file) => sum + ('bytes' in file ? file.bytes.length : 0), 0);
  const control = [
    'Package: weir',
    `Version: ${packageVersion}`,
    `Architecture: ${platform.debianName}`,
    'Maintainer: Weir <weir@localhost>',
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${dependencies}`,
    'Section: net',
    'Priority: optional',
    'Description: Kafka-compatible streaming service that keeps every record in object storage',
    ' The command weir runs agents and control planes, whole clusters for tests, and the',
    ' tools beside them. Two services for systemd are installed and not started.',
    '',
  ].join('\n');
  const folder = mkdtempSync(join(tmpdir(), 'weir-deb-'));
  try {
    const scripts = ['postinst', 'prerm', 'postrm'].map((name) => ({
      path: `DEBIAN/${name}`,
      bytes: Buffer.from(textOf(`deploy/debian/${name}`)),
      isProgram: true,
    }));
    const conffiles = '/etc/weir/agent.env\n/etc/weir/control-plane.env\n';
    const all = [
      ...files,
      ...scripts,
      textFile('DEBIAN/control', control),
      textFile('DEBIAN/conffiles', conffiles),
    ];
    for (const file of all) {
      const path = join(folder, file.path);
      mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
      if ('linkTo' in file) symlinkSync(file.linkTo, path);
      else if ('bytes' in file) {
        writeFileSync(path, file.bytes);
        chmodSync(path, file.isProgram ? 0o755 : 0o644);
      }
    }
    chmodSync(folder, 0o755);
    const deb = `${folder}.deb`;
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z2', '--build', folder, deb], {
      env: { ...toolEnvironment(), SOURCE_DATE_EPOCH: String(timeSeconds) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      return readFileSync(deb);
    } finally {
      rmSync(deb);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where tools lie; no other variable of the builder can change what they write. */
const toolEnvironment = () => ({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' });
