import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRecordBatch, OutputLimitExceeded, RecordBatchView } from '@weir/wire';
import { jobLimits } from '../limits.ts';
import { PageBuilder } from './page-builder.ts';

test('a batch that inflates beyond the limit for events is refused', () => {
  const value = Buffer.alloc(jobLimits.eventBatchInflatedBytesMax);
  const batch = new RecordBatchView(
    buildRecordBatch([{ timestamp: 0n, key: null, value }], { codec: 'zstd' }),
  );
  const builder = new PageBuilder();
  assert.throws(() => builder.add(batch, 0), OutputLimitExceeded);
  assert.ok(builder.isEmpty);
});

test('a page ends where offsets are missing', () => {
  const records = (offsets: readonly number[]) =>
    new RecordBatchView(
      buildRecordBatch(
        offsets.map((offset) => ({
          offset: BigInt(offset),
          timestamp: BigInt(offset),
          key: null,
          value: Buffer.from(`event ${offset}`),
        })),
        { lastOffsetDelta: 9 },
      ),
    );
  const builder = new PageBuilder();
  const pages = [
    ...builder.add(records([0, 1, 4, 8]), 100),
    ...builder.add(records([]), 110),
    ...builder.add(records([0, 1]), 120),
    builder.take(),
  ];
  const read = pages.map(({ firstOffset, timesMs, valueStarts, valueEnds, bytes }) =>
    Array.from(timesMs, (_, row) => {
      const value = Buffer.from(bytes).toString('utf8', valueStarts[row], valueEnds[row]);
      return `${firstOffset + row} ${value}`;
    }),
  );
  assert.deepEqual(read, [
    ['100 event 0', '101 event 1'],
    ['104 event 4'],
    ['108 event 8'],
    ['120 event 0', '121 event 1'],
  ]);
  assert.ok(builder.isEmpty);
});
