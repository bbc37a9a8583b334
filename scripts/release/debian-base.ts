import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from './platforms.ts';
import { textOf } from './program.ts';
import { type ReleaseFile, textFile } from './release-file.ts';
import { filesOfTar } from './tar.ts';

/** A package of Debian, as `npm run release:base` found it in the signed lists of its archive. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  readonly sha256: string;
}

export const basePackagesPath = 'deploy/image/base-packages.json';

export function basePackages(platform: Platform): readonly DebianPackage[] {
  return (JSON.parse(textOf(basePackagesPath)) as Record<string, DebianPackage[]>)[platform.debianName]!;
}

/** What images need of a package: Node its libraries, `bin/weir` a shell, scanners the release. */
const wanted: Readonly<Record<string, RegExp>> = {
  'base-files': /^(?:etc\/(?:os-release|debian_version)|usr\/lib\/os-release)$/,
  'busybox-static': /^bin\/busybox$/,
  'gcc-12-base': /^$/,
  libc6:
    /^lib(?:64)?\/(?:[^/]+\/)?(?:ld-linux-[^/]*|lib(?:c|m|dl|rt|pthread|resolv|nss_dns|nss_files)[-.][^/]*)$/,
  'libgcc-s1': /^lib\/[^/]+\/libgcc_s\.so/,
  'libstdc++6': /^usr\/lib\/[^/]+\/libstdc\+\+\.so/,
};

/** Commands of busybox that `bin/weir`, the health check and a person with `exec` want. */
const applets = [
  'cat',
  'df',
  'env',
  'free',
  'hostname',
  'kill',
  'ls',
  'mkdir',
  'nproc',
  'ps',
  'readlink',
  'sed',
  'sh',
  'sleep',
  'wget',
];

/** The user of containers, as other images without a root user have it. */
export const imageUser = 65_532;

/** The files below the program: libraries, a shell, one user, and the folders that it writes to. */
export async function baseFiles(platform: Platform, cachePath: string): Promise<ReleaseFile[]> {
  const files: ReleaseFile[] = [];
  for (const one of basePackages(platform)) {
    const deb = await fetched(one, cachePath);
    const contents = filesOfTar(execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 2 ** 28 }));
    const isWanted = wanted[one.name];
    if (isWanted === undefined)
      throw new Error(`${one.name}: nothing says which of its files an image needs`);
    const copyright = `usr/share/doc/${one.name}/copyright`;
    files.push(...contents.filter(({ path }) => isWanted.test(path) || path === copyright));
    // Scanners of images read what is installed from here.
    const control = execFileSync('dpkg-deb', ['--field', deb], { encoding: 'utf8' });
    files.push(textFile(`var/lib/dpkg/status.d/${one.name}`, control));
  }
  return [
    ...files,
    ...applets.map((name) => ({ path: `bin/${name}`, linkTo: 'busybox' })),
    textFile(
      'etc/passwd',
      `root:x:0:0:root:/:/bin/sh\nweir:x:${imageUser}:${imageUser}:weir:/var/lib/weir:/bin/sh\n`,
    ),
    textFile('etc/group', `root:x:0:\nweir:x:${imageUser}:\n`),
    // Container programs put their own in its place; others leave names to this one.
    textFile('etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'),
    textFile('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'tmp/', folderMode: 0o1777, owner: 0 },
    { path: 'var/lib/weir/', folderMode: 0o700, owner: imageUser },
  ];
}

async function fetched({ name, url, sha256 }: DebianPackage, cachePath: string): Promise<string> {
  mkdirSync(cachePath, { recursive: true });
  const path = join(cachePath, `${sha256}.deb`);
  if (existsSync(path)) return path;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}; npm run release:base pins what Debian has now`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${url} has other bytes of ${name} than were pinned`);
  writeFileSync(`${path}-${process.pid}`, bytes);
  renameSync(`${path}-${process.pid}`, path);
  return path;
}
