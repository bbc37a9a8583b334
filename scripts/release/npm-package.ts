import { release } from '@weir/core';
import { platforms, runtimeVersion } from './platforms.ts';
import { testingEntries, textOf } from './program.ts';
import { movedInto, type ReleaseFile, textFile } from './release-file.ts';

interface PackageParts {
  readonly files: readonly ReleaseFile[];
  readonly loaded: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
}

/** `830.0.0`: npm wants three numbers. */
export const packageVersion = `${release.slice(1)}.0.0`;

/**
 * The package that `npm install -g weir` and `npx weir` run. No script runs at its installation: Node is a package for
 * the platform, which npm chooses. DuckDB is for those who write tables: they add it (docs/start/install.md).
 */
export function npmPackage({ files, loaded, tables }: PackageParts): ReleaseFile[] {
  const { description, license } = JSON.parse(textOf('package.json')) as Record<string, string>;
  const manifest = {
    name: 'weir',
    version: packageVersion,
    description,
    keywords: ['kafka', 'streaming', 's3', 'testing'],
    license,
    type: 'module',
    os: ['linux', 'darwin'],
    engines: { node: '>=20' },
    bin: { weir: 'bin/weir' },
    exports: exportsOf(),
    dependencies: loaded,
    optionalDependencies: Object.fromEntries(
      platforms.map(({ runtimeName }) => [runtimeName, runtimeVersion]),
    ),
    peerDependencies: tables,
    peerDependenciesMeta: Object.fromEntries(Object.keys(tables).map((name) => [name, { optional: true }])),
  };
  return movedInto('package', [
    ...files,
    ...typesOfTesting(),
    textFile('package.json', `${JSON.stringify(manifest, null, 2)}\n`),
    textFile('README.md', withVersions(textOf('deploy/npm/README.md'), tables)),
  ]);
}

/** The page names the versions that were tested. */
function withVersions(page: string, packages: Readonly<Record<string, string>>): string {
  let text = page;
  for (const [name, version] of Object.entries(packages)) text = text.replaceAll(name, `${name}@${version}`);
  return text;
}

/** `testing-jest-setup` is imported as `weir/testing/jest-setup`. */
function exportsOf(): Record<string, unknown> {
  const entries = Object.keys(testingEntries).map((name) => [
    `./${name.replace('-', '/')}`,
    { types: `./types/${name}.d.ts`, default: `./dist/${release}/${name}.mjs` },
  ]);
  return { ...Object.fromEntries(entries), './package.json': './package.json' };
}

/** Declarations: the types that users see are a file of their own, and the functions are few. */
function typesOfTesting(): ReleaseFile[] {
  const functions: Record<keyof typeof testingEntries, string> = {
    testing: [
      textOf('packages/embedded/src/cluster.ts'),
      'export declare function startCluster(options?: TestClusterOptions): Promise<TestCluster>;',
      'export declare function useCluster(hooks: Hooks, options?: TestClusterOptions): TestCluster;',
      '',
    ].join('\n'),
    'testing-jest-setup': 'export default function setup(): Promise<void>;\n',
    'testing-jest-teardown': 'export default function teardown(): Promise<void>;\n',
    'testing-vitest': 'export declare function setup(): Promise<() => Promise<void>>;\n',
  };
  return Object.entries(functions).map(([name, text]) => textFile(`types/${name}.d.ts`, text));
}
