import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits, KiB, MiB } from '@weir/core';
import { settle } from '@weir/core/testing';
import { batchOf, DataPath, produced } from '../../testing/data-path.ts';
import { AnswerPages } from './answer-pages.ts';
import { BatchCursor } from './batch-cursor.ts';
import type { BatchList } from './batch-list.ts';
import { createCopyPool } from './page-pool.ts';

const pageBytes = 4 * MiB;

/** Returns a batch of exactly `bytes` bytes. */
function batchOfBytes(bytes: number): Buffer {
  const overheadBytes = batchOf(['x'.repeat(bytes)]).length - bytes;
  return batchOf(['x'.repeat(bytes - overheadBytes)]);
}

/** Returns a page with a batch at its beginning. */
function pageWith(batch: Buffer): Buffer {
  const page = Buffer.allocUnsafeSlow(pageBytes);
  batch.copy(page);
  return page;
}

function take(list: BatchList, page: Buffer, batchCount = 1): void {
  const cursor = new BatchCursor([page]);
  for (let count = 0; count < batchCount; count++) {
    assert.ok(cursor.next());
    list.add(cursor, count, cursor.batchBytes);
  }
}

/** Returns the page memory that an encoded answer retains; small slices are copied in any case. */
function heldBytes(lists: readonly BatchList[], pages: readonly Buffer[]): number {
  const held = new Set(
    lists.flatMap(({ slices }) =>
      slices.filter(({ length }) => length >= coreLimits.copiedSliceBytesMax).map(({ buffer }) => buffer),
    ),
  );
  return pages.filter(({ buffer }) => held.has(buffer)).length * pageBytes;
}

test('an answer holds a page of which it uses enough, and copies from others', () => {
  const table: [batchBytes: number, pageCount: number, heldPages: number][] = [
    [100, 50, 0],
    [4 * KiB, 50, 0],
    [16 * KiB, 50, 0],
    [64 * KiB, 20, 0],
    [511 * KiB, 4, 0],
    [513 * KiB, 4, 4],
    [1 * MiB, 4, 4],
    [4 * MiB, 2, 2],
  ];
  for (const [batchBytes, pageCount, heldPages] of table) {
    const batch = batchOfBytes(batchBytes);
    const pages = Array.from({ length: pageCount }, () => pageWith(batch));
    const answer = new AnswerPages();
    const list = answer.newList();
    for (const page of pages) take(list, page);
    const before = Buffer.concat(list.slices);
    answer.release();
    assert.ok(Buffer.concat(list.slices).equals(before), `${batchBytes}: the same bytes`);
    assert.equal(heldBytes([list], pages), heldPages * pageBytes, `${batchBytes} bytes`);
  }
});

test('the use of a page counts across partitions', () => {
  const batch = batchOfBytes(16 * KiB);
  const page = Buffer.alloc(pageBytes, batch);
  for (const [partitions, isHeld] of [
    [20, false],
    [40, true],
  ] as const) {
    const answer = new AnswerPages();
    const lists = Array.from({ length: partitions }, () => answer.newList());
    for (const list of lists) take(list, page);
    answer.release();
    assert.equal(heldBytes(lists, [page]) > 0, isHeld, `${partitions} partitions`);
  }
});

test('while it is built, an answer holds no more of the pages loaded for it than afterwards', () => {
  const batch = batchOfBytes(8 * KiB);
  const answer = new AnswerPages();
  const list = answer.newList();
  const pages: Buffer[] = [];
  for (let count = 0; count < 30; count++) {
    const page = pageWith(batch);
    pages.push(page);
    answer.loaded([page]);
    take(list, page);
    assert.ok(heldBytes([list], pages) <= 8 * MiB + pageBytes, `after ${count + 1} pages`);
  }
});

test('the memory of copies is used again when the answer is sent, and not before', () => {
  const pool = createCopyPool(true);
  const batch = batchOfBytes(64 * KiB);
  const answerOf = () => {
    const answer = new AnswerPages(pool);
    const list = answer.newList();
    for (let count = 0; count < 20; count++) take(list, pageWith(batch));
    answer.release();
    // Copies are not copied again.
    const slices = [...list.slices];
    answer.release();
    assert.deepEqual(
      slices.map((slice, index) => slice === list.slices[index]),
      slices.map(() => true),
    );
    return { answer, list, bytes: Buffer.concat(list.slices) };
  };
  const waiting = answerOf();
  const heldBytes = pool.bytes;
  for (let count = 0; count < 10; count++) answerOf().answer.free();
  assert.ok(pool.bytes <= 2 * heldBytes, `${pool.bytes} bytes in the pool`);
  assert.ok(Buffer.concat(waiting.list.slices).equals(waiting.bytes));
  waiting.answer.free();
  assert.ok(!Buffer.concat(waiting.list.slices).equals(waiting.bytes), 'freed memory is used again');

  const kept = answerOf();
  kept.answer.keep();
  for (let count = 0; count < 10; count++) answerOf().answer.free();
  assert.ok(Buffer.concat(kept.list.slices).equals(kept.bytes), 'what is kept stays');
});

test('a list can be trimmed after its slices were copied', () => {
  const batch = batchOfBytes(16 * KiB);
  const answer = new AnswerPages();
  const list = answer.newList();
  take(list, Buffer.alloc(pageBytes, batch), 4);
  answer.release();
  list.trimTo(3 * 16 * KiB - 1);
  assert.deepEqual([list.batchCount, Buffer.concat(list.slices).length], [2, 2 * 16 * KiB]);
});

test('small ranges of many files are copied, and whole pages are returned as views', async () => {
  for (const [otherBytes, isShared] of [
    [0, true],
    [200 * KiB, false],
  ] as const) {
    const path = new DataPath({
      flush: { windowMs: 10, compressedBytesMax: 1 << 30 },
      pages: { ownFiles: 'none', cacheBytesMax: 0 },
    });
    path.store.readsIntoMemory = false;
    const { topicId } = path.cluster.addTopic('t', 2);
    await path.ready();
    for (let file = 0; file < 10; file++) {
      const batches = [produced(topicId, 0, batchOfBytes(16 * KiB))];
      if (otherBytes > 0) batches.push(produced(topicId, 1, batchOfBytes(otherBytes)));
      const appended = path.writePath.append(batches, { deadlineMs: Number.POSITIVE_INFINITY });
      path.clock.advance(10);
      await appended;
      await settle();
    }
    const bytesMax = Number.MAX_SAFE_INTEGER;
    const [found] = await path.cluster.findBatches([{ topicId, partition: 0, offset: 0, bytesMax }]);
    const query = { pointers: found!.pointers, fromOffset: 0, bytesMax, atLeastOne: true };
    const [list] = (await path.readPath.readBatches([query])) as [BatchList];
    assert.equal(list.batchCount, 10);
    const stored = new Set([...path.store.objects.values()].map(({ buffer }) => buffer));
    const large = list.slices.filter(({ length }) => length >= coreLimits.copiedSliceBytesMax);
    assert.deepEqual(
      large.map(({ buffer }) => stored.has(buffer)),
      Array(10).fill(isShared),
    );
  }
});
