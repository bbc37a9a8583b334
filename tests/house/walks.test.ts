import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, typescriptFiles } from './repository.ts';
import { importsBetweenPackages, walkProblems, walksOf } from './walks.ts';

const path = 'docs/contribute/tour.md';
const walks = walksOf({ path, text: readFileSync(join(root, path), 'utf8') });
const imports = importsBetweenPackages(typescriptFiles());
/** The command, and the console in a browser. */
const starts = ['packages/cli/src/main.ts', 'packages/console/src/main.tsx'];

/** A walk of more files is not read to its end. */
const filesMax: Readonly<Record<string, number>> = { Produce: 25, Fetch: 15, 'Create topic': 15 };

test('the walks are few, short and numbered', () => {
  assert.deepEqual(
    walks.map(({ title }) => title),
    Object.keys(filesMax),
  );
  for (const { title, parts, numbers } of walks) {
    const files = parts.flat();
    assert.deepEqual(files, [...new Set(files)], title);
    assert.ok(files.length > 5 && files.length <= filesMax[title]!, `${title} has ${files.length} files`);
    assert.deepEqual(
      numbers,
      files.map((_, index) => index + 1),
      title,
    );
  }
});

test('every file of a walk is reached from the ones before it', () => {
  for (const start of starts) assert.ok(imports.has(start), `${start} exists`);
  assert.deepEqual(
    walks.flatMap((walk) => walkProblems(walk, starts, imports)),
    [],
  );
});

test('a file that was moved, or that nothing before it imports, is found', () => {
  const graph = new Map([
    ['main.ts', ['a.ts']],
    ['a.ts', ['b.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', []],
    ['other.ts', ['main.ts']],
  ]);
  const problems = (...parts: string[][]) =>
    walkProblems({ title: 'walk', parts, numbers: [] }, ['main.ts'], graph);
  assert.deepEqual(problems(['a.ts', 'c.ts'], ['b.ts']), []);
  assert.deepEqual(problems(['a.ts', 'moved.ts']), ['walk: moved.ts does not exist']);
  assert.deepEqual(problems(['b.ts', 'a.ts']), ['walk: a.ts is imported by none of the files before it']);
  assert.deepEqual(problems(['other.ts']), ['walk: other.ts is imported by none of the files before it']);
});
