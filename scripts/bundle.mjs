// Bundles the weir command into a few files below dist/: loading a thousand modules takes longer than a command runs
// (ADR 0033). Plain JavaScript, because npm runs it at the end of an installation on whatever Node the machine has.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { currentBundle, currentName } from './current-bundle.mjs';
import { root, runtimePath } from './installation.mjs';

const distPath = join(root, 'dist');
const mainSource = join(root, 'packages/cli/src/main.ts');

/** Packages with binaries, which are loaded from node_modules. They export functions. */
const nativePackages = ['@node-rs/crc32', 'lz4-napi', 'snappy'];

/** How sources name a file that runs as a thread or a process of its own. */
const entryOfItsOwn = /import\.meta\.resolve\('(\.[^']+\.ts)'\)/g;

/** The same, and how sources find other files. */
const location = new RegExp(String.raw`${entryOfItsOwn.source}|import\.meta\.(url|dirname)`, 'g');

/** The last bundle and the one before, whose files a running process may still load. */
const bundlesKept = 2;

/** Writes a new bundle unless there is a current one. Without a bundle, the command runs from its sources. */
export async function bundleIfStale() {
  if (currentBundle(root) !== undefined) return;
  try {
    await bundle();
  } catch (error) {
    process.stderr.write(`weir: failed to bundle the command, so that it starts slower: ${error.message}\n`);
  }
}

async function bundle() {
  const folder = `${Date.now()}-${process.pid}`;
  const { inputs } = await writeBundle(join(distPath, folder));
  const own = Object.keys(inputs).filter((path) => path.startsWith('packages/'));
  const sources = [...own, 'package-lock.json', 'scripts/bundle.mjs'].map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return [path, size, mtimeMs];
  });
  // Renamed, so that a command that starts meanwhile sees the last bundle or this one.
  const temporaryPath = join(distPath, folder, currentName);
  writeFileSync(temporaryPath, JSON.stringify({ entry: `${folder}/${entryName(mainSource)}.mjs`, sources }));
  renameSync(temporaryPath, join(distPath, currentName));
  removeOldBundles();
}

/**
 * Writes the files of a bundle into a folder, which is two folders below the root of an installation, and returns what
 * they consist of. The same sources make the same bytes, whatever the folder. A release has no source maps, which are
 * two fifths of a bundle. Without `write`, it only finds out whether the files can be made.
 */
export async function writeBundle(outdir, options = {}) {
  const { sourcemap = 'linked', write = true, entries, target = 'node24' } = options;
  const { build } = createRequire(import.meta.url)('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries ?? Object.fromEntries(entryPoints().map((path) => [entryName(path), path])),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    write,
    splitting: true,
    platform: 'node',
    // They ask for the binaries of all platforms, and only the process that writes Parquet files loads them.
    external: ['@duckdb/node-api'],
    // A dynamic import of a bundled package in the older module format would have no names.
    mainFields: ['module', 'main'],
    target,
    format: 'esm',
    sourcemap,
    sourcesContent: false,
    metafile: true,
    logLevel: 'error',
    // Packages in the older module format call it. Most files of the bundle do not, and making one takes time.
    banner: {
      js: "const require = (name) => process.getBuiltinModule('node:module').createRequire(import.meta.url)(name);",
    },
    plugins: [
      { name: 'locations', setup: keepLocations },
      { name: 'builtins', setup: loadBuiltinsLate },
      { name: 'native', setup: loadNativeLate },
      { name: 'duckdb', setup: loadBindingsOfDuckDb },
    ],
  });
  checkDynamicImports(metafile.outputs);
  return metafile;
}

/** A package in the older module format that is imported when it is needed has no names in the bundle, only a default. */
function checkDynamicImports(outputs) {
  for (const { entryPoint, exports } of Object.values(outputs)) {
    if (entryPoint?.startsWith('node_modules/') && exports.every((name) => name === 'default'))
      throw new Error(`${entryPoint} is imported dynamically and exports no names`);
  }
}

/** The command, and every file that it starts as a thread or a process of its own. */
function entryPoints() {
  const found = [mainSource];
  for (const path of productSources()) {
    const text = readFileSync(path, 'utf8');
    for (const [, name] of text.matchAll(entryOfItsOwn)) found.push(resolve(dirname(path), name));
  }
  return found;
}

function productSources() {
  const packages = join(root, 'packages');
  return readdirSync(packages)
    .map((name) => join(packages, name, 'src'))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
}

/** `journal-sqlite-worker`: all entries are in one folder. */
function entryName(path) {
  return relative(join(root, 'packages'), path)
    .replace('/src/', '/')
    .replace(/\.ts$/, '')
    .replaceAll('/', '-');
}

/** In the bundle, a source still finds files relative to itself, and the entries that it starts. */
function keepLocations({ onLoad }) {
  onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    if (!text.includes('import.meta.')) return undefined;
    // Every file of the bundle is two folders below the root.
    const ownUrl = `new URL(${JSON.stringify(`../../${relative(root, path)}`)}, import.meta.url)`;
    const contents = text.replaceAll(location, (_, name, property) => {
      if (property === 'url') return `${ownUrl}.href`;
      if (property === 'dirname') return `decodeURIComponent(new URL('.', ${ownUrl}).pathname)`;
      const entry = entryName(resolve(dirname(path), name));
      return `new URL(${JSON.stringify(`./${entry}.mjs`)}, import.meta.url).href`;
    });
    return { contents, loader: 'ts', resolveDir: dirname(path) };
  });
}

/**
 * Modules of Node that take milliseconds to load, up to twenty with what they load in turn. A tool that compresses
 * nothing and speaks no TLS does without most of them.
 */
const slowBuiltins = [
  'node:child_process',
  'node:crypto',
  'node:dns',
  'node:dns/promises',
  'node:fs/promises',
  'node:http',
  'node:https',
  'node:net',
  'node:tls',
  'node:worker_threads',
  'node:zlib',
];

/**
 * An import of a module of Node reads all that it exports, among them what Node loads on first use: for `node:fs` its
 * streams, for `node:http` the client for `fetch` and HTTP/2, which take longer to load than the whole command. Here a
 * name that the importer does not use is not read, and functions of slow modules load theirs with the first call.
 */
function loadBuiltinsLate({ onResolve, onLoad }) {
  const exportsByModule = exportsOfBuiltins();
  onResolve({ filter: /^node:/ }, ({ kind, path, importer }) =>
    kind === 'import-statement' && path in exportsByModule
      ? forImporter('builtin', path, importer)
      : undefined,
  );
  onLoad({ filter: /.*/, namespace: 'builtin' }, ({ pluginData: path }) => {
    const { names, functions } = exportsByModule[path];
    const late = slowBuiltins.includes(path) ? functions : [];
    const read = names.filter((name) => !late.includes(name));
    return {
      contents: `let loaded;
        const load = () => loaded ??= process.getBuiltinModule('${path}');
        export default /* @__PURE__ */ load();
        ${read.map((name) => `export const ${name} = /* @__PURE__ */ (() => load().${name})();`).join('\n')}
        ${callsOf(late)}`,
    };
  });
}

/** Native packages take longer to load than most tools run, and few tools need each of them. */
function loadNativeLate({ onResolve, onLoad }) {
  const loadHere = createRequire(import.meta.url);
  onResolve({ filter: new RegExp(`^(?:${nativePackages.join('|')})$`) }, ({ kind, path, importer }) =>
    kind === 'import-statement' ? forImporter('native', path, importer) : { path, external: true },
  );
  onLoad({ filter: /.*/, namespace: 'native' }, ({ pluginData: path }) => ({
    contents: `let loaded;
      const load = () => loaded ??= require('${path}');
      ${callsOf(Object.keys(loadHere(path)))}`,
  }));
}

/**
 * The bindings that the API of DuckDB itself loads: where the API is a package that was added to an installation, they lie
 * below it, and two copies would not know each other's objects.
 */
function loadBindingsOfDuckDb({ onResolve, onLoad }) {
  onResolve({ filter: /^@duckdb\/node-bindings$/ }, ({ path }) => ({ namespace: 'duckdb', path }));
  onLoad({ filter: /.*/, namespace: 'duckdb' }, ({ path }) => ({
    contents: `const { createRequire } = process.getBuiltinModule('node:module');
      export default createRequire(createRequire(import.meta.url).resolve('@duckdb/node-api'))('${path}');`,
  }));
}

/** Exports functions that load their module with the first call. */
function callsOf(names) {
  return names.map((name) => `export const ${name} = (...values) => load().${name}(...values);`).join('\n');
}

/** A module for one importer, so that it stays in the importer's file of the bundle, with the names that this one uses. */
function forImporter(namespace, path, importer) {
  return { namespace, path: `${path} for ${relative(root, importer)}`, pluginData: path };
}

/**
 * The exports of Node's modules, and those among them that are plain functions: no classes, and nothing with properties,
 * as those have which `promisify` treats in a way of their own. They are those of the Node that runs the bundle; the one
 * that writes it may be older.
 */
function exportsOfBuiltins() {
  const print = `
    const { builtinModules } = require('node:module');
    const isPlain = (value, name) => typeof value === 'function' && /^[a-z]/.test(name) &&
      Object.getOwnPropertySymbols(value).length === 0 && Object.keys(value).length === 0;
    const rows = builtinModules.filter((name) => !/^_|:/.test(name)).map((name) => {
      const whole = require('node:' + name);
      const names = Object.keys(whole).filter((key) => /^[A-Za-z]\\w*$/.test(key) && key !== 'default');
      return ['node:' + name, { names, functions: names.filter((key) => isPlain(whole[key], key)) }];
    });
    process.stdout.write(JSON.stringify(Object.fromEntries(rows)));`;
  const { stdout } = spawnSync(existsSync(runtimePath) ? runtimePath : process.execPath, ['-e', print], {
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

function removeOldBundles() {
  const folders = readdirSync(distPath).filter((name) => name !== currentName);
  const byAge = folders.sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  for (const name of byAge.slice(bundlesKept)) rmSync(join(distPath, name), { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) await writeBundle(join(distPath, 'check'), { write: false });
  else await bundle();
}
