/** The process that writes Parquet files is killed, hangs, or runs out of memory. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { MiB, systemClock } from '@weir/core';
import {
  DuckDbWriter,
  type DuckDbWriterOptions,
  ParquetMemoryExceeded,
  ParquetWriterCrashed,
  type WrittenParquet,
} from '@weir/tables';

async function writerFor(t: TestContext, options: Partial<DuckDbWriterOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'parquet-'));
  const writer = new DuckDbWriter({
    clock: systemClock,
    directory,
    memoryBytesMax: 64 * MiB,
    spillBytesMax: 64 * MiB,
    ...options,
  });
  t.after(async () => {
    await writer.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { writer, directory };
}

const numbers = [{ id: 1, name: 'n', isRequired: false, type: { kind: 'int' } }] as const;
const texts = [{ id: 1, name: 'text', isRequired: false, type: { kind: 'string' } }] as const;

async function assertWrites(writer: DuckDbWriter): Promise<WrittenParquet> {
  const file = await writer.open(numbers);
  await file.append([[1, 2]]);
  const written = await file.finish();
  assert.equal(written.recordCount, 2);
  return written;
}

for (const signal of ['SIGSEGV', 'SIGKILL'] as const)
  test(`after ${signal} open files are lost, finished ones are not, and the next file is written`, async (t) => {
    const { writer, directory } = await writerFor(t);
    const finished = await assertWrites(writer);
    const file = await writer.open(numbers);
    await file.append([[1]]);
    process.kill((await writer.pid())!, signal);
    await assert.rejects(file.finish(), { name: 'ParquetWriterCrashed', message: /; write the file again$/ });
    await file.abandon();
    await assertWrites(writer);
    assert.equal((await stat(finished.path)).size, finished.fileBytes);
    assert.deepEqual((await readdir(directory)).filter((name) => name.endsWith('.parquet')).length, 2);
  });

test('a process that gives no answer is ended', async (t) => {
  // The clock runs out as soon as the process stands still.
  let isHung = false;
  const waits = new Set<() => void>();
  const clock = {
    ...systemClock,
    after(_: number, run: () => void) {
      waits.add(run);
      if (isHung) run();
      return () => waits.delete(run);
    },
  };
  const { writer } = await writerFor(t, { clock });
  const file = await writer.open(numbers);
  process.kill((await writer.pid())!, 'SIGSTOP');
  isHung = true;
  await assert.rejects(file.append([[1]]), (error: Error) => {
    assert.ok(error instanceof ParquetWriterCrashed);
    assert.match(error.message, /it gave no answer for 120000 ms/);
    return true;
  });
  isHung = false;
  await assertWrites(writer);
  assert.equal(waits.size, 0, 'no watch is left');
});

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
