import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durablePragmas, openSqlite, SqliteFile } from './sqlite-file.ts';

function openNumbers() {
  const file = new SqliteFile(openSqlite(':memory:'));
  file.database.exec(`${durablePragmas} CREATE TABLE numbers (number INTEGER PRIMARY KEY)`);
  const operations = {
    add(...numbers: number[]): void {
      for (const number of numbers) file.run('INSERT INTO numbers VALUES (?)', [number]);
    },
    hint: (number: number): void => operations.add(number),
    all: (): number[] =>
      file.rows<{ number: number }>('SELECT number FROM numbers').map(({ number }) => number),
    synchronous: () => file.row<{ synchronous: number }>('PRAGMA synchronous')!.synchronous,
  };
  const rules = {
    add: {},
    hint: { waitsForDisk: false },
    all: { reads: true },
    synchronous: { reads: true },
  } as const;
  const toProblem = (error: unknown) => (error as Error).message;
  const serve = (...calls: [method: string, ...args: number[]][]) =>
    file
      .serveTogether(
        calls.map(([method, ...args], id) => ({ id, method, args })),
        { operations, rules, toProblem },
      )
      .map(({ result, problem }) => problem ?? result);
  return { file, serve };
}

test('a call that fails leaves nothing behind, and does not affect the others of its transaction', () => {
  const { file, serve } = openNumbers();
  const taken = 'UNIQUE constraint failed: numbers.number';
  assert.deepEqual(serve(['add', 1], ['add', 2, 1], ['add', 3], ['all']), [
    undefined,
    taken,
    undefined,
    [1, 3],
  ]);
  assert.deepEqual(serve(['all']), [[1, 3]]);
  file.close();
});

test('a transaction waits for the disk if one of its calls does', () => {
  const { file, serve } = openNumbers();
  const [full, normal] = [2, 1];
  assert.deepEqual(serve(['synchronous']), [full]);
  serve(['hint', 1]);
  assert.deepEqual(serve(['synchronous']), [normal]);
  serve(['hint', 2], ['add', 3]);
  assert.deepEqual(serve(['synchronous']), [full]);
  file.close();
});
