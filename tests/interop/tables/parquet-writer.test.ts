/** The writer of Parquet files needs more memory than it has. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MiB } from '@weir/core';
import { DuckDbWriter, ParquetMemoryExceeded } from '@weir/tables';

async function writerFor(
  t: TestContext,
  options: { readonly memoryBytesMax: number; readonly spillBytesMax: number },
) {
  const directory = await mkdtemp(join(tmpdir(), 'parquet-'));
  const writer = new DuckDbWriter({
    directory,
    ...options,
  });
  t.after(async () => {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { writer };
}

const numbers = [{ id: 1, name: 'n', isRequired: false, type: { kind: 'int' } }] as const;
const texts = [{ id: 1, name: 'text', isRequired: false, type: { kind: 'string' } }] as const;

async function assertWrites(writer: DuckDbWriter): Promise<void> {
  const file = await writer.open(numbers);
  await file.append([[1, 2]]);
  assert.equal((await file.finish()).recordCount, 2);
}

test('rows that need more than the memory are refused with one line, and the writer goes on', async (t) => {
  const { writer } = await writerFor(t, { memoryBytesMax: 16 * MiB, spillBytesMax: 0 });
  const file = await writer.open(texts);
  const rows = Array.from({ length: 1000 }, (_, at) => `${at}`.repeat(1000));
  const appendMany = async () => {
    for (let batch = 0; batch < 40; batch++) await file.append([rows]);
    await file.finish();
  };
  await assert.rejects(appendMany(), (error: Error) => {
    assert.ok(error instanceof ParquetMemoryExceeded);
    assert.equal(
      error.message,
      'the rows of the open Parquet files need more than 16MiB of memory; write smaller files, or allow the writer more',
    );
    return true;
  });
  await file.abandon();
  await assertWrites(writer);
});

test('rows that do not fit into memory go to disk', async (t) => {
  const { writer } = await writerFor(t, { memoryBytesMax: 32 * MiB, spillBytesMax: 256 * MiB });
  const file = await writer.open(texts);
  for (let batch = 0; batch < 60; batch++)
    await file.append([Array.from({ length: 1000 }, (_, at) => `${batch * 1000 + at} `.repeat(150))]);
  assert.equal((await file.finish()).recordCount, 60_000);
});
