/**
 * Pins the packages of Debian that images are built on: the newest versions in the archive's signed lists, for both
 * processors, with their checksums. Runs on Debian, changes nothing of the machine, and writes
 * deploy/image/base-packages.json.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basePackagesPath, type DebianPackage } from './debian-base.ts';
import { platforms } from './platforms.ts';

const names = ['base-files', 'busybox-static', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'];
const sources = [
  'deb https://deb.debian.org/debian bookworm main',
  'deb https://deb.debian.org/debian-security bookworm-security main',
];

const pinned: Record<string, DebianPackage[]> = {};
for (const { debianName } of platforms) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-apt-'));
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'parts'])
      mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'sources.list'), `${sources.join('\n')}\n`);
    writeFileSync(join(folder, 'status'), '');
    const settings = {
      'APT::Architecture': debianName,
      'APT::Architectures': debianName,
      'APT::Sandbox::User': 'root',
      'Dir::Cache': join(folder, 'cache'),
      'Dir::Etc::SourceList': join(folder, 'sources.list'),
      'Dir::Etc::SourceParts': join(folder, 'parts'),
      'Dir::State::Lists': join(folder, 'lists'),
      'Dir::State::status': join(folder, 'status'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args: string[]) =>
      execFileSync('apt-get', [...options, ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    apt('update', '-qq');
    const lines = apt('download', '--print-uris', ...names)
      .trim()
      .split('\n');
    pinned[debianName] = lines.map((line) => {
      const [, url, name, version, sha256] =
        /^'([^']+)' ([^_]+)_([^_]+)_\S+ \d+ SHA256:(\w{64})$/.exec(line) ?? [];
      if (sha256 === undefined) throw new Error(`apt-get printed ${line}`);
      return { name: name!, version: decodeURIComponent(version!), url: url!, sha256 };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
writeFileSync(join(import.meta.dirname, '../..', basePackagesPath), `${JSON.stringify(pinned, null, 2)}\n`);
