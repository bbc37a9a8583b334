import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderCycles, importCycles, importGraph } from './import-graph.ts';
import { type SourceFile, typescriptFiles } from './repository.ts';

const graph = importGraph(typescriptFiles());

test('no files import each other in a circle', () => {
  assert.deepEqual(importCycles(graph), []);
});

test('no folders import each other in a circle', () => {
  assert.deepEqual(folderCycles(graph), []);
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
      [
        'src/a, src/b, src/c: src/a/a.ts imports src/b/b.ts; src/b/b.ts imports src/c/c.ts; ' +
          'src/c/c.ts imports src/a/a.ts',
      ],
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
      ['src/a, src/b: src/a/a.ts imports src/b/b.ts; src/b/c.ts imports src/a/d.ts'],
    ],
    [
      'three folders without a circle of files',
      {
        'src/a/a.ts': '../b/b.ts',
        'src/b/b.ts': 'node:fs',
        'src/b/d.ts': '../c/c.ts',
        'src/c/c.ts': 'node:fs',
        'src/c/e.ts': '../a/f.ts',
        'src/a/f.ts': 'node:fs',
      },
      [],
      [
        'src/a, src/b, src/c: src/a/a.ts imports src/b/b.ts; src/b/d.ts imports src/c/c.ts; ' +
          'src/c/e.ts imports src/a/f.ts',
      ],
    ],
    [
      'folders below a folder',
      {
        'src/x/a/a.ts': '../b/b.ts',
        'src/x/b/b.ts': 'node:fs',
        'src/x/b/c.ts': '../a/d.ts',
        'src/x/a/d.ts': 'node:fs',
      },
      [],
      ['src/x/a, src/x/b: src/x/a/a.ts imports src/x/b/b.ts; src/x/b/c.ts imports src/x/a/d.ts'],
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
    assert.deepEqual(folderCycles(planted).map(shorten), folders, name);
  }
});
