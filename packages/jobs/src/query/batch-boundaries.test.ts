import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchCursor, ReadPath } from '@weir/broker';
import { findBoundaries } from './batch-boundaries.ts';

/** A stored range of a compacted log: gaps between batches, an empty batch, and a marker. */
const batches = [
  { offset: 10, span: 2, records: 2, isControl: false, ms: 5 },
  { offset: 20, span: 5, records: 0, isControl: false, ms: 900 },
  { offset: 25, span: 1, records: 1, isControl: true, ms: 900 },
  { offset: 40, span: 3, records: 1, isControl: false, ms: 8 },
];

const readPath: Pick<ReadPath, 'searchBatches'> = {
  async searchBatches(_pointers, visit) {
    for (const { offset, span, records, isControl, ms } of batches) {
      const header = { recordCount: records, isControl, maxTimestamp: BigInt(ms) };
      const found = visit({ header, offsetSpan: span, batchBytes: 100 } as unknown as BatchCursor, offset);
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

/** The wanted end, and the end of the last batch before it with its bytes and its latest time. */
const cases: [offset: number, timestampMs: number | undefined, end: number, bytes: number, ms: number][] = [
  [9, undefined, 8, 0, -1],
  [11, undefined, 8, 0, -1],
  [12, undefined, 12, 100, 5],
  [19, undefined, 12, 100, 5],
  [25, undefined, 25, 200, 5],
  [30, undefined, 26, 300, 5],
  [43, undefined, 43, 400, 8],
  [43, 8, 26, 300, 5],
  [43, 9, 43, 400, 8],
  [43, 5, 8, 0, -1],
];

for (const [offset, timestampMs, end, byteLength, maxTimestampMs] of cases) {
  test(`batches before offset ${offset}${timestampMs === undefined ? '' : ` and time ${timestampMs}`}`, async () => {
    const range = { fileId: 'f', byteStart: 7, byteLength: 400, baseOffset: 8, nextOffset: 43 };
    const query = { kind: 'batchBoundaries', ranges: [{ ...range, offset, timestampMs }] } as const;
    const found = await findBoundaries(readPath, query, new AbortController().signal);
    assert.deepEqual(found, [{ offset: end, byteLength, maxTimestampMs }]);
  });
}
