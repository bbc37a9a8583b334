import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { markerFileSlot } from './marker.ts';
import { PartitionLog } from './partition-log.ts';
import { chunkMask, chunkPointers, chunkShift, PointerPool } from './pointer-pool.ts';

interface Row {
  fileSlot: number;
  baseOffset: number;
  maxTimestampMs: number;
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), timestampMs: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('marker' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), part: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      at: fc.nat(100),
      count: fc.integer({ min: 1, max: 60 }),
      by: fc.integer({ min: 1, max: 60 }),
    }),
  },
);

/** Reads a log as it was when it was captured. */
function capture(log: PartitionLog, pool: PointerPool) {
  const { chunks, headPositions, pointerCount } = log;
  const read = () =>
    Array.from({ length: pointerCount }, (_, index) => {
      const position = headPositions + index;
      const slot = chunks[position >>> chunkShift]! * chunkPointers + (position & chunkMask);
      return `${pool.fileSlot(slot)} ${pool.baseOffset(slot)}`;
    });
  const before = read();
  return () => assert.deepEqual(read(), before);
}

test('replaced pointers are where those before were, for every search, and captures keep the old ones', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 250, size: 'max' }), (steps) => {
      const pool = new PointerPool();
      const log = new PartitionLog(0, 'a', 0, pool);
      const other = new PartitionLog(1, 'b', 0, pool);
      let rows: Row[] = [];
      let fileSlot = 0;
      for (const one of steps) {
        pool.keepFreed();
        const check = capture(log, pool);
        const baseOffset = log.nextOffset;
        if (one.kind === 'append') {
          log.append(++fileSlot, 0, 10, 8, one.timestampMs);
          rows.push({ fileSlot, baseOffset, maxTimestampMs: one.timestampMs });
        } else if (one.kind === 'marker') {
          log.endTransaction({ producerId: 1, producerEpoch: 0, isCommit: true }, 999);
          rows.push({ fileSlot: markerFileSlot, baseOffset, maxTimestampMs: Number.NEGATIVE_INFINITY });
        } else if (one.kind === 'drop') {
          const count = Math.floor((rows.length * one.part) / 8);
          log.dropFirst(count);
          rows = rows.slice(count);
        } else if (rows.length > 0) {
          const first = one.at % rows.length;
          const gone = rows.slice(first, first + one.count);
          const start = gone[0]!.baseOffset;
          const end = rows[first + gone.length]?.baseOffset ?? log.nextOffset;
          const count = Math.min(one.by, end - start);
          const added = Array.from({ length: count }, (_, index) => ({
            fileSlot: ++fileSlot,
            baseOffset: start + index,
            maxTimestampMs: (index * 7) % 50,
          }));
          log.replace(first, gone.length, {
            fileSlot: added.map((row) => row.fileSlot),
            byteStart: added.map(() => 0),
            byteLength: added.map(() => 10),
            baseOffset: added.map((row) => row.baseOffset),
            maxTimestampMs: added.map((row) => row.maxTimestampMs),
          });
          rows.splice(first, gone.length, ...added);
        }
        // Takes chunks that were given back, as another log would.
        other.append(fileSlot, 99, 1, 1, 0);
        check();
        pool.releaseFreed();
        compare(log, pool, rows);
        const chunks = log.chunks.length + other.chunks.length;
        assert.equal(pool.usedBytes, chunks * chunkPointers * 28, 'no chunk is lost');
      }
    }),
  );
});

function compare(log: PartitionLog, pool: PointerPool, rows: readonly Row[]): void {
  assert.equal(log.pointerCount, rows.length);
  for (const [index, { fileSlot, baseOffset }] of rows.entries()) {
    const slot = log.slot(index);
    assert.deepEqual([pool.fileSlot(slot), pool.baseOffset(slot)], [fileSlot, baseOffset]);
    assert.equal(log.endOf(index), rows[index + 1]?.baseOffset ?? log.nextOffset);
  }
  for (let timestampMs = 0; timestampMs <= 51; timestampMs += 3) {
    const expected = rows.findIndex((row) => row.maxTimestampMs >= timestampMs);
    assert.equal(log.indexOfTimestamp(timestampMs), expected);
  }
  assert.equal(log.byteCount, 10 * rows.filter(({ fileSlot }) => fileSlot !== markerFileSlot).length);
}
