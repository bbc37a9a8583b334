import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from './platforms.ts';
import type { ReleaseFile } from './release-file.ts';
import { filesOfTar } from './tar.ts';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package of npm as the lock file, or the list of platforms, pins it. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly license?: string | undefined;
}

export class Lock {
  readonly #packages: Readonly<Record<string, LockedPackage>>;

  constructor(path: string) {
    this.#packages = JSON.parse(readFileSync(path, 'utf8')).packages;
  }

  /** `node_modules/a/node_modules/b`, as the bundler names what it read. */
  at(folder: string): PinnedPackage {
    const found = this.#packages[folder];
    if (found?.integrity === undefined) throw new Error(`${folder} is not in the lock file`);
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version: found.version, integrity: found.integrity, license: found.license };
  }

  version(name: string): string {
    return this.at(`node_modules/${name}`).version;
  }

  /** Packages with all that they need on a platform; without one, with nothing that is for some platforms only. */
  closure(names: readonly string[], platform?: Platform): PinnedPackage[] {
    const found = new Map<string, PinnedPackage>();
    const add = (name: string, isOptional: boolean) => {
      const folder = `node_modules/${name}`;
      const entry = this.#packages[folder];
      if (entry === undefined) {
        if (isOptional) return;
        throw new Error(`${name} is not in the lock file`);
      }
      if (found.has(name) || (entry.link !== true && !fits(entry, platform))) return;
      if (entry.link !== true) found.set(name, this.at(folder));
      for (const next of Object.keys(entry.dependencies ?? {})) add(next, false);
      for (const next of Object.keys(entry.optionalDependencies ?? {})) add(next, true);
    };
    for (const name of names) add(name, false);
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The dependencies of a package of this repository, with all that they need. */
  closureOfWorkspace(path: string): PinnedPackage[] {
    const own = Object.keys(this.#packages[path]?.dependencies ?? {}).filter(
      (name) => !name.startsWith('@weir/'),
    );
    return this.closure(own);
  }
}

function fits({ os, cpu, libc }: LockedPackage, platform: Platform | undefined): boolean {
  if (platform === undefined) return os === undefined && cpu === undefined;
  return (
    (os?.includes(platform.os) ?? true) &&
    (cpu?.includes(platform.cpu) ?? true) &&
    // The runtime is linked with glibc.
    (libc?.includes('glibc') ?? true)
  );
}

/** The files of packages as they were published, from a cache or by npm, and only with the bytes that were pinned. */
export function filesOfPackages(
  packages: readonly PinnedPackage[],
  cachePath: string,
): ReadonlyMap<string, readonly ReleaseFile[]> {
  mkdirSync(cachePath, { recursive: true });
  const pathOf = ({ integrity }: PinnedPackage) =>
    join(cachePath, `${integrity.replace('sha512-', '').replaceAll('/', '_')}.tgz`);
  const missing = packages.filter((one) => !existsSync(pathOf(one)));
  if (missing.length > 0) {
    const temporaryPath = join(cachePath, `fetch-${process.pid}`);
    mkdirSync(temporaryPath);
    try {
      const wanted = missing.map(({ name, version }) => `${name}@${version}`);
      // In an empty folder npm does not mistake a name for a workspace.
      execFileSync('npm', ['pack', '--silent', '--pack-destination', temporaryPath, ...wanted], {
        cwd: temporaryPath,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const byIntegrity = new Map(
        readdirSync(temporaryPath).map((name) => {
          const path = join(temporaryPath, name);
          return [`sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`, path];
        }),
      );
      for (const one of missing) {
        const path = byIntegrity.get(one.integrity);
        if (path === undefined)
          throw new Error(`npm brought other bytes of ${one.name}@${one.version} than were pinned`);
        renameSync(path, pathOf(one));
      }
    } finally {
      rmSync(temporaryPath, { recursive: true });
    }
  }
  return new Map(
    packages.map((one) => [
      one.name,
      filesOfTar(readFileSync(pathOf(one))).map((file) => ({
        ...file,
        // The first folder is `package` mostly.
        path: file.path.slice(file.path.indexOf('/') + 1),
      })),
    ]),
  );
}
