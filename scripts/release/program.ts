import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { release } from '@weir/core';
import { pagesBesideDocs } from '@weir/mcp';
import { filesOfPackages, Lock, type PinnedPackage } from './npm-packages.ts';
import type { Platform } from './platforms.ts';
import { fileAt, filesBelow, type ReleaseFile, textFile } from './release-file.ts';

const root = join(import.meta.dirname, '../..');

// Plain JavaScript, which has no types.
const { writeBundle } = (await import(new URL('../bundle.mjs', import.meta.url).href)) as {
  writeBundle(
    outdir: string,
    options: {
      readonly sourcemap: false;
      readonly entries?: Readonly<Record<string, string>>;
      readonly target?: string;
    },
  ): Promise<{ readonly inputs: Readonly<Record<string, unknown>> }>;
};

/** Packages that the bundle loads from node_modules: those with binaries, and programs for WebAssembly. */
const loadedPackages = [
  '@jitl/quickjs-wasmfile-release-asyncify',
  '@jitl/quickjs-wasmfile-release-sync',
  '@node-rs/crc32',
  'jq-wasm',
  'lz4-napi',
  'snappy',
] as const;

/** Loaded by processes that write and read tables, and by nothing else. Its binary is as large as all the rest. */
const tablesPackage = '@duckdb/node-api';

/** Of the generator of the documentation site: what readers of the site load, and none of the tools that write it. */
const sitePackages = [
  '@docsearch/css',
  '@vue/reactivity',
  '@vue/runtime-core',
  '@vue/runtime-dom',
  '@vue/shared',
  '@vueuse/core',
  '@vueuse/integrations',
  '@vueuse/shared',
  'focus-trap',
  'mark.js',
  'minisearch',
  'tabbable',
  'vitepress',
  'vue',
] as const;

/** `weir/testing` and what belongs to it, by the names of their files in a bundle. */
export const testingEntries = {
  testing: pathOf(import.meta.resolve('../../packages/embedded/src/index.ts')),
  'testing-jest-setup': pathOf(import.meta.resolve('../../packages/embedded/src/jest-setup.ts')),
  'testing-jest-teardown': pathOf(import.meta.resolve('../../packages/embedded/src/jest-teardown.ts')),
  'testing-vitest': pathOf(import.meta.resolve('../../packages/embedded/src/vitest.ts')),
} as const;

/** As seen from the root, so that a bundle does not depend on where that lies. */
function pathOf(url: string): string {
  return relative(root, fileURLToPath(url));
}

/** What is the same on all platforms. */
interface Program {
  readonly files: readonly ReleaseFile[];
  /** Packages whose code is in the bundle, in the console or in the documentation site. */
  readonly bundled: readonly PinnedPackage[];
  /** Packages that the bundle loads, with the versions that it was tested with. */
  readonly loaded: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
}

/** Bundles the command, and gathers what it reads: console, documentation and its site, schemas that Protobuf knows. */
export async function makeProgram(lock: Lock): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-release-'));
  try {
    const { inputs } = await writeBundle(folder, { sourcemap: false });
    // Runs on the Node of those who test with it, and starts the rest on the Node that comes with it.
    await writeBundle(folder, { sourcemap: false, entries: testingEntries, target: 'node22' });
    const own = (path: string): ReleaseFile => ({ path, ...fileAt(join(root, path)) });
    const below = (path: string, isWanted?: (name: string) => boolean) =>
      filesBelow(join(root, path), path, isWanted);
    const files = [
      own('bin/weir'),
      own('bin/heap-limit.sh'),
      textFile(
        'bin/launch.mjs',
        `// Starts the weir command from the bundle of this release.\nawait import('../dist/${release}/cli-main.mjs');\n`,
      ),
      own('LICENSE'),
      own('CHANGELOG.md'),
      ...filesBelow(folder, `dist/${release}`),
      // Assistants search the pages, and people read the site.
      ...below('docs', (name) => name.endsWith('.md')),
      ...Object.entries(pagesBesideDocs).map(([name, path]) => ({
        path: `docs/${path}`,
        ...fileAt(join(root, name)),
      })),
      ...below('site'),
      ...below('packages/console/dist', (name) => name !== '.sources'),
      ...below('packages/registry/proto'),
    ];
    const foreign = Object.keys(inputs).filter((path) => path.startsWith('node_modules/'));
    const folders = new Set(foreign.map(packageFolderOf));
    const siteLock = new Lock(join(root, 'scripts/docs-site/generator/package-lock.json'));
    const bundled = new Map<string, PinnedPackage>();
    for (const one of [
      ...[...folders].map((path) => lock.at(path)),
      ...lock.closureOfWorkspace('packages/console'),
      ...sitePackages.map((name) => siteLock.at(`node_modules/${name}`)),
    ])
      bundled.set(`${one.name}@${one.version}`, one);
    const versions = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, lock.version(name)]));
    return {
      files,
      bundled: [...bundled.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      loaded: versions(loadedPackages),
      tables: versions([tablesPackage]),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `node_modules/a/node_modules/@b/c/index.js` is a file of `node_modules/a/node_modules/@b/c`. */
function packageFolderOf(path: string): string {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)![0];
}

/** What a program needs beside its own files on one platform. */
interface PlatformParts {
  readonly files: readonly ReleaseFile[];
  readonly packages: readonly PinnedPackage[];
}

/** Node, and the packages that npm would install on that platform, without what only compilers and people read. */
export function partsFor(platform: Platform, lock: Lock, cachePath: string): PlatformParts {
  const runtime = lock.at(`node_modules/${platform.runtimeName}`);
  const packages = lock.closure([...loadedPackages, tablesPackage], platform);
  const contents = filesOfPackages([runtime, ...packages], cachePath);
  const files: ReleaseFile[] = [];
  for (const file of contents.get(runtime.name)!) {
    if (file.path === 'bin/node') files.push({ ...file, path: 'runtime/bin/node', isProgram: true });
    else if (file.path === 'LICENSE') files.push({ ...file, path: 'runtime/LICENSE' });
  }
  if (files.length !== 2) throw new Error(`${runtime.name} has no bin/node and LICENSE`);
  for (const one of packages) {
    for (const file of contents.get(one.name)!)
      if (isLoaded(one.name, file.path))
        files.push({ ...file, path: `node_modules/${one.name}/${file.path}` });
  }
  return { files, packages: [runtime, ...packages] };
}

/** Code of packages for WebAssembly is in the bundle, so that only their programs are read. */
function isLoaded(name: string, path: string): boolean {
  if (path === 'package.json' || /^LICEN[CS]E/i.test(path)) return true;
  if (/\.(?:md|map|[cm]?ts)$/.test(path)) return false;
  return name === 'jq-wasm' || name.startsWith('@jitl/')
    ? path.endsWith('.wasm')
    : /\.(?:[cm]?js|json|node|so|dylib)$/.test(path);
}

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
