import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordBatches, rewritePosition } from '@weir/wire';
import fc from 'fast-check';
import { batchOf } from '../../testing/data-path.ts';
import { BatchCursor } from './batch-cursor.ts';
import { BatchList, leaderEpoch } from './batch-list.ts';

interface Batch {
  readonly records: number;
  readonly valueBytes: number;
  /** Whether it is stored with its offset, as in a merged file; else with offset 0 and the producer's epoch. */
  readonly isMerged: boolean;
}

function storedBatch({ records, valueBytes, isMerged }: Batch, offset: number): Buffer {
  const batch = batchOf(Array<Buffer>(records).fill(Buffer.alloc(valueBytes, offset)));
  if (isMerged) rewritePosition(batch, BigInt(offset), leaderEpoch);
  return batch;
}

/** The batches one behind the other, in pieces of this size, with the offsets from 5 on. */
function listOf(batches: readonly Batch[], pieceBytes: number): { list: BatchList; sent: Buffer[] } {
  const offsets = batches.map((_, index) =>
    batches.slice(0, index).reduce((next, { records }) => next + records, 5),
  );
  const stored = Buffer.concat(batches.map((batch, index) => storedBatch(batch, offsets[index]!)));
  const pieces: Buffer[] = [];
  for (let at = 0; at < stored.length; at += pieceBytes) pieces.push(stored.subarray(at, at + pieceBytes));
  const cursor = new BatchCursor(pieces);
  const list = new BatchList();
  for (const offset of offsets) {
    assert.ok(cursor.next());
    list.add(cursor, offset, cursor.batchBytes);
  }
  const sent = batches.map((batch, index) => {
    const one = storedBatch(batch, offsets[index]!);
    rewritePosition(one, BigInt(offsets[index]!), leaderEpoch);
    return one;
  });
  return { list, sent };
}

const merged = { records: 1, valueBytes: 100, isMerged: true };
const unmerged = { records: 1, valueBytes: 100, isMerged: false };

test('batches that are stored with their offsets and follow each other are one slice', () => {
  const table: [batches: Batch[], pieceBytes: number, slices: number][] = [
    [[merged, merged, merged], 10_000, 1],
    [[unmerged, unmerged, unmerged], 10_000, 6],
    [[merged, merged, unmerged, merged, merged], 10_000, 4],
    // The second and the third cross pieces.
    [[merged, merged, merged], 200, 5],
  ];
  for (const [batches, pieceBytes, slices] of table) {
    const { list, sent } = listOf(batches, pieceBytes);
    assert.equal(list.slices.length, slices);
    assert.ok(Buffer.concat(list.slices).equals(Buffer.concat(sent)));
  }
});

test('a list has the batches with their offsets, and drops them from its end', () => {
  const batch = fc.record({
    records: fc.integer({ min: 1, max: 3 }),
    valueBytes: fc.nat(80),
    isMerged: fc.boolean(),
  });
  const cuts = fc.array(
    fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), isRead: fc.boolean() }),
  );
  fc.assert(
    fc.property(
      fc.array(batch, { maxLength: 12 }),
      fc.constantFrom(61, 70, 150, 1_000, 100_000),
      cuts,
      (batches, pieceBytes, cuts) => {
        const { list, sent } = listOf(batches, pieceBytes);
        for (const { share, isRead } of cuts) {
          const bytesMax = Math.floor(share * list.bytes);
          while (Buffer.concat(sent).length > bytesMax) sent.pop();
          list.trimTo(bytesMax);
          if (isRead) assert.ok(Buffer.concat(list.slices).equals(Buffer.concat(sent)));
        }
        const bytes = Buffer.concat(list.slices);
        assert.ok(bytes.equals(Buffer.concat(sent)));
        assert.deepEqual([list.bytes, list.batchCount], [bytes.length, sent.length]);
        const views = [...recordBatches(bytes, { partialTail: 'error' })];
        for (const view of views) assert.ok(view.hasValidCrc());
        const records = views.reduce((sum, { recordCount }) => sum + recordCount, 0);
        assert.equal(list.recordCount, records);
        assert.equal(list.nextOffset, sent.length === 0 ? -1 : 5 + records);
      },
    ),
  );
});
