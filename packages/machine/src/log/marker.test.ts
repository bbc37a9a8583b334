import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { markerAt, markerFileSlot, packMarker, producerIdMax } from './marker.ts';
import { PartitionLog } from './partition-log.ts';
import { PointerPool } from './pointer-pool.ts';

const marker = fc.record(
  {
    producerId: fc.oneof(fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32, producerIdMax), fc.nat(producerIdMax)),
    producerEpoch: fc.oneof(fc.constantFrom(0, 32_766, 32_767), fc.nat(32_767)),
    isCommit: fc.boolean(),
  },
  { noNullPrototype: true },
);

test('a marker fits in the columns of a pointer', () => {
  fc.assert(
    fc.property(marker, (one) => {
      const pool = new PointerPool();
      const slot = pool.allocateChunk();
      const [byteStart, byteLength] = packMarker(one);
      pool.write(slot, markerFileSlot, byteStart, byteLength, 7, 8);
      assert.deepEqual(markerAt(pool, slot), one);
    }),
  );
});

test('a marker takes one offset, ends the previous pointer, and is not found by timestamp', () => {
  const pool = new PointerPool();
  const log = new PartitionLog(0, 'topic', 0, pool);
  log.endTransaction({ producerId: 1, producerEpoch: 0, isCommit: true }, 900);
  assert.deepEqual([log.indexOfTimestamp(0), log.indexOfLatestTimestamp()], [-1, -1]);
  assert.equal(log.indexOfTimestamp(Number.NEGATIVE_INFINITY), -1);
  log.append(3, 0, 10, 5, 50);
  log.endTransaction({ producerId: 1, producerEpoch: 0, isCommit: false }, 900);
  log.append(3, 10, 10, 2, 40);
  assert.deepEqual([log.pointerCount, log.nextOffset], [4, 9]);
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => log.endOf(index)),
    [1, 6, 7, 9],
  );
  assert.deepEqual(
    [log.indexOfTimestamp(45), log.indexOfTimestamp(51), log.indexOfLatestTimestamp()],
    [1, -1, 1],
  );
  assert.equal(log.indexOfTimestamp(Number.NEGATIVE_INFINITY), 1);
});
