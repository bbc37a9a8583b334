import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PathTable } from './path-table.ts';

test('an exact path wins over prefixes, and a longer prefix over a shorter one', () => {
  const rows = ['/', '/a/', '/a/b', '/a/b/', '/a/b/c', '/a/b/c'].map((path, id) => ({ path, id }));
  const table = new PathTable(rows);
  const cases: [path: string, ids: number[]][] = [
    ['/', [0]],
    ['/x', []],
    ['/a', []],
    ['/a/', [1]],
    ['/a/x', [1]],
    ['/a/b', [2]],
    ['/a/bc', [1]],
    ['/a/b/x', [3]],
    ['/a/b/c', [4, 5]],
    ['/a/b/c/', [3]],
    ['', []],
    ['constructor', []],
  ];
  for (const [path, ids] of cases)
    assert.deepEqual(
      table.rowsAt(path).map(({ id }) => id),
      ids,
      path,
    );
});
