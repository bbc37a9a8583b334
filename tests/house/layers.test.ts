import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layers } from './layer-rule.ts';
import { forbiddenImports } from './layers.ts';
import { readJson, repositoryFiles, typescriptFiles } from './repository.ts';

function declaredDependencies(field: 'dependencies' | 'devDependencies'): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const path of repositoryFiles()) {
    const room = /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1];
    if (room !== undefined) found[room] = Object.keys((readJson(path)[field] as object | undefined) ?? {});
  }
  return found;
}

test('every import follows the layer rule', () => {
  const context = {
    layers,
    dependencies: declaredDependencies('dependencies'),
    devDependencies: declaredDependencies('devDependencies'),
  };
  const files = typescriptFiles();
  assert.ok(files.length > 50, 'the files were found');
  assert.deepEqual(
    files.flatMap((file) => forbiddenImports(file, context)),
    [],
  );
});

test('the rule has no cycle', () => {
  function reaches(from: string, to: string): boolean {
    return layers[from]!.mayImport.some((next) => next === to || reaches(next, to));
  }
  for (const room of Object.keys(layers)) assert.ok(!reaches(room, room), `${room} reaches itself`);
});

test('the rule refuses what it should', () => {
  const context = {
    layers,
    dependencies: { core: [], wire: ['@weir/core', 'snappy'], agent: ['@weir/core', '@weir/wire'] },
    devDependencies: { agent: ['@weir/metadata'] },
  };
  // file, what it imports, expected problem
  const cases: [path: string, specifier: string, problem: string | undefined][] = [
    ['packages/core/src/a.ts', '@weir/wire', 'core may not import wire'],
    ['packages/wire/src/a.ts', '@weir/core', undefined],
    ['packages/wire/src/a.ts', '@weir/agent', 'wire may not import agent'],
    ['packages/wire/src/a.ts', 'node:net', 'wire may not import node:net'],
    ['packages/wire/src/a.ts', 'fs', 'wire may not import fs'],
    ['packages/wire/src/a.ts', 'node:zlib', undefined],
    ['packages/wire/src/a.ts', 'snappy', undefined],
    ['packages/wire/src/a.ts', 'kafkajs', 'kafkajs is not among the dependencies of wire'],
    ['packages/wire/src/a.ts', 'fast-check', 'fast-check is for tests only'],
    ['packages/wire/src/a.test.ts', 'fast-check', undefined],
    ['packages/wire/src/a.ts', '../testing/b.ts', '../testing/b.ts belongs to the tests'],
    ['packages/wire/src/a.ts', './b.test.ts', './b.test.ts belongs to the tests'],
    ['packages/wire/src/a.ts', '../../core/src/limits.ts', 'leaves the package'],
    ['packages/agent/src/a.ts', 'node:net', undefined],
    ['packages/agent/src/a.ts', '@weir/storage', '@weir/storage is not among its dependencies'],
    ['packages/agent/src/a.ts', '@weir/metadata', 'agent may not import metadata'],
    ['packages/agent/src/a.test.ts', '@weir/metadata', undefined],
    ['packages/agent/src/a.test.ts', '@weir/journal', 'agent may not import journal'],
    ['packages/machine/src/a.ts', 'node:zlib', 'machine may not import node:zlib'],
    ['packages/attic/src/a.ts', 'node:net', 'the package attic has no row'],
    ['tests/house/a.ts', 'anything', undefined],
  ];
  const forms = [
    (specifier: string) => `import { a } from '${specifier}';`,
    (specifier: string) => `export { a } from "${specifier}";`,
    (specifier: string) => `import '${specifier}';`,
    (specifier: string) => `const a = await import('${specifier}');`,
    (specifier: string) => `import type { A } from '${specifier}';`,
  ];
  for (const [path, specifier, problem] of cases) {
    for (const form of forms) {
      const [found] = forbiddenImports({ path, text: form(specifier) }, context);
      if (problem === undefined) assert.equal(found, undefined);
      else assert.ok(found?.includes(problem), `${form(specifier)} in ${path}: ${found}`);
    }
  }
});

test('imports inside comments and messages do not count', () => {
  const text =
    "// import { a } from 'kafkajs';\n/* import 'kafkajs'; */\nconst url = 'http://host/path';\n" +
    'throw new Error(`metrics cannot tell "." from "_"`);';
  assert.deepEqual(
    forbiddenImports({ path: 'packages/wire/src/a.ts', text }, { layers, dependencies: {} }),
    [],
  );
});
