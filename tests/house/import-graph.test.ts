import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importCycles, importGraph, mutualFolders } from './import-graph.ts';
import { type SourceFile, typescriptFiles } from './repository.ts';

const graph = importGraph(typescriptFiles());

/** Remaining cycles, by their first file. Remove a row with its cycle; add none. */
const knownCycles: readonly string[] = [
  'packages/groups/src/assignors/assignor.ts',
  'packages/groups/src/coordinator.ts',
  'packages/machine/src/commit/captured-producers.ts',
  'packages/machine/src/offsets/captured-offsets.ts',
];

/** Folders of a package that still import each other. Remove a row when they no longer do; add none. */
const knownMutualFolders: readonly string[] = [];

test('no files import each other in a circle', () => {
  const cycles = importCycles(graph);
  assert.deepEqual(
    cycles.filter(([first]) => !knownCycles.includes(first!)),
    [],
  );
  const found = cycles.map(([first]) => first);
  assert.deepEqual(
    knownCycles.filter((first) => !found.includes(first)),
    [],
    'these cycles are gone: remove their rows',
  );
});

test('no two folders of a package import each other', () => {
  const pairs = mutualFolders(graph);
  const isKnown = (pair: string) => knownMutualFolders.some((known) => pair.startsWith(`${known}:`));
  assert.deepEqual(
    pairs.filter((pair) => !isKnown(pair)),
    [],
  );
  assert.deepEqual(
    knownMutualFolders.filter((known) => !pairs.some((pair) => pair.startsWith(`${known}:`))),
    [],
    'these folders no longer import each other: remove their rows',
  );
});

test('the rules find what they should', () => {
  const cases: [name: string, files: Record<string, string>, cycles: string[][], folders: string[]][] = [
    ['a chain', { 'src/a/a.ts': '../b/b.ts', 'src/b/b.ts': '../c/c.ts', 'src/c/c.ts': 'node:fs' }, [], []],
    [
      'a pair of files in one folder',
      { 'src/a/a.ts': './b.ts', 'src/a/b.ts': './a.ts' },
      [['src/a/a.ts', 'src/a/b.ts']],
      [],
    ],
    [
      'a circle around a corner',
      { 'src/a/a.ts': '../b/b.ts', 'src/b/b.ts': '../c/c.ts', 'src/c/c.ts': '../a/a.ts' },
      [['src/a/a.ts', 'src/b/b.ts', 'src/c/c.ts']],
      [],
    ],
    [
      'folders without a circle of files',
      {
        'src/a/a.ts': '../b/b.ts',
        'src/b/b.ts': 'node:fs',
        'src/b/c.ts': '../a/d.ts',
        'src/a/d.ts': 'node:fs',
      },
      [],
      ['src/a and src/b: src/a/a.ts imports src/b/b.ts; src/b/c.ts imports src/a/d.ts'],
    ],
    [
      'a test',
      { 'src/a/a.ts': '../b/b.ts', 'src/b/b.ts': 'node:fs', 'src/b/b.test.ts': '../a/a.ts' },
      [],
      [],
    ],
    [
      'the top of a package',
      { 'src/index.ts': './a/a.ts', 'src/a/a.ts': '../b.ts', 'src/b.ts': 'node:fs' },
      [],
      [],
    ],
  ];
  for (const [name, imports, cycles, folders] of cases) {
    const files: SourceFile[] = Object.entries(imports).map(([path, specifier]) => ({
      path: `packages/x/${path}`,
      text: `import type { A } from '${specifier}';`,
    }));
    const planted = importGraph(files);
    const shorten = (text: string) => text.replaceAll('packages/x/', '');
    assert.deepEqual(
      importCycles(planted).map((group) => group.map(shorten)),
      cycles,
      name,
    );
    assert.deepEqual(mutualFolders(planted).map(shorten), folders, name);
  }
});
