import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { PartitionLog } from './partition-log.ts';
import { PointerPool } from './pointer-pool.ts';

function emptyLog(pool = new PointerPool()): PartitionLog {
  return new PartitionLog(0, 'topic', 0, pool);
}

/** A log whose pointers have these timestamps, each in its own file. */
function logOf(timestampsMs: readonly number[]): PartitionLog {
  const log = emptyLog();
  for (const [file, timestampMs] of timestampsMs.entries()) log.append(file, 0, 10, 1, timestampMs);
  return log;
}

test('the first pointer that reaches a timestamp is found although timestamps are unordered', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 30 }), { maxLength: 100 }), (timestampsMs) => {
      const log = logOf(timestampsMs);
      for (let wanted = -2; wanted <= 31; wanted++) {
        assert.equal(
          log.indexOfTimestamp(wanted),
          timestampsMs.findIndex((timestampMs) => timestampMs >= wanted),
        );
      }
      assert.equal(log.indexOfLatestTimestamp(), timestampsMs.indexOf(Math.max(...timestampsMs)));
    }),
  );
});

test('offset and timestamp searches work on a long log', () => {
  const random = seededRandom(7);
  const log = emptyLog();
  const bases: number[] = [];
  const timestampsMs: number[] = [];
  for (let file = 0; file < 20_000; file++) {
    bases.push(log.nextOffset);
    // Increasing overall, with outliers in both directions.
    timestampsMs.push(file + random.below(500) - 250);
    log.append(file, 0, 10, 1 + random.below(9), timestampsMs[file]!);
  }
  for (let round = 0; round < 200; round++) {
    const offset = random.below(log.nextOffset);
    const index = log.indexOfOffset(offset);
    assert.equal(
      index,
      bases.findLastIndex((base) => base <= offset),
    );
    assert.ok(log.endOf(index) > offset);
    const wanted = random.below(20_500);
    assert.equal(
      log.indexOfTimestamp(wanted),
      timestampsMs.findIndex((timestampMs) => timestampMs >= wanted),
    );
  }
});

test('a batch that directly follows the last one in the same file extends its pointer', () => {
  const pool = new PointerPool();
  const log = emptyLog(pool);
  const appended = [
    log.append(1, 0, 100, 3, 50),
    log.append(1, 100, 20, 2, 70),
    log.append(1, 120, 20, 1, 60),
    /** A gap in the file. */
    log.append(1, 150, 10, 1, 10),
    /** Another file that happens to continue at the same position. */
    log.append(2, 160, 10, 1, 5),
  ];
  assert.deepEqual(appended, [true, false, false, true, true]);
  const rows = [0, 1, 2].map((index) => {
    const slot = log.slot(index);
    return [
      pool.fileSlot(slot),
      pool.byteStart(slot),
      pool.byteLength(slot),
      pool.baseOffset(slot),
      log.endOf(index),
      pool.maxTimestampMs(slot),
    ];
  });
  assert.deepEqual(rows, [
    [1, 0, 140, 0, 6, 70],
    [1, 150, 10, 6, 7, 10],
    [2, 160, 10, 7, 8, 5],
  ]);
  assert.equal(log.indexOfTimestamp(65), 0);
});

test('chunks of a freed log are reused and do not affect other logs', () => {
  const pool = new PointerPool();
  const first = emptyLog(pool);
  const other = emptyLog(pool);
  for (let file = 0; file < 100; file++) {
    first.append(file, 0, 10, 1, file);
    other.append(file, 0, 10, 1, file);
  }
  const freed = new Set(Array.from({ length: 100 }, (_, index) => first.slot(index)));
  first.free();
  assert.equal(first.pointerCount, 0);
  const next = emptyLog(pool);
  for (let file = 0; file < 100; file++) next.append(file, 0, 10, 2, 1000 - file);
  assert.ok(freed.has(next.slot(0)) && freed.has(next.slot(99)));
  for (let file = 0; file < 100; file++) {
    assert.equal(other.indexOfOffset(file), file);
    assert.equal(next.indexOfOffset(2 * file + 1), file);
  }
});
