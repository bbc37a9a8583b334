import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches } from '../../testing/golden-batches.ts';
import { type CompressionCodec, codecIds } from '../compression/index.ts';
import { RecordBatchView } from './batch.ts';
import {
  buildRecordBatch,
  RecordBatchBuilder,
  type RecordBatchFields,
  type RecordToWrite,
  textValue,
} from './builder.ts';
import { batchRecords, RecordCursor } from './record-cursor.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int32 = fc.integer();
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const nullableBytes = fc.option(bytes, { nil: null });

/** Timestamps close to each other as in practice, and arbitrary ones. */
const timestamp = fc.oneof(
  fc.bigInt({ min: 1_700_000_000_000n - 500n, max: 1_700_000_000_000n + 500n }),
  int64,
);

const recordArbitrary = fc.record({
  timestamp,
  key: nullableBytes,
  value: nullableBytes,
  headers: fc.array(
    fc.record(
      { key: fc.string({ unit: 'grapheme', maxLength: 8 }), value: nullableBytes },
      { noNullPrototype: true },
    ),
    {
      maxLength: 3,
    },
  ),
});

const fieldsArbitrary = fc.record({
  baseOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  partitionLeaderEpoch: int32,
  codec: fc.constantFrom(...codecs),
  producerId: int64,
  producerEpoch: fc.integer({ min: -1, max: 32_767 }),
  baseSequence: int32,
  isTransactional: fc.boolean(),
  isControl: fc.boolean(),
});

const goldenRecords: RecordToWrite[] = [
  {
    timestamp: 1700000000000n,
    key: Buffer.from('k1'),
    value: Buffer.from('first value, first value, first value'),
    headers: [
      { key: 'trace', value: Buffer.from('abc') },
      { key: 'none', value: null },
    ],
  },
  { timestamp: 1699999999990n, key: null, value: Buffer.from('null key') },
  { timestamp: 1700000000005n, key: Buffer.alloc(0), value: null },
];

test('writes the same bytes as the Java client', () => {
  const table: [golden: keyof typeof javaBatches, fields: RecordBatchFields][] = [
    ['none', {}],
    [
      'transactional',
      {
        baseOffset: 2n ** 40n,
        partitionLeaderEpoch: 9,
        producerId: 4_000_000_000n,
        producerEpoch: 7,
        baseSequence: 2_147_483_646,
        isTransactional: true,
      },
    ],
    ['logAppendTime', { timestampType: 'logAppendTime', maxTimestamp: 1700000001234n }],
  ];
  for (const [golden, fields] of table) {
    assert.equal(
      buildRecordBatch(goldenRecords, fields).toString('hex'),
      javaBatches[golden].toString('hex'),
      golden,
    );
  }
});

test('a built batch reads back unchanged, in every codec', () => {
  fc.assert(
    fc.property(
      fc.array(recordArbitrary, { minLength: 1, maxLength: 30 }),
      fieldsArbitrary,
      (records, fields) => {
        const batch = new RecordBatchView(buildRecordBatch(records, fields));
        assert.ok(batch.hasValidCrc());
        assert.equal(batch.batchLength + 12, batch.sizeBytes);
        for (const [name, value] of Object.entries(fields))
          assert.equal(batch[name as keyof RecordBatchView], value, name);
        assert.equal(batch.recordCount, records.length);
        assert.equal(batch.lastOffsetDelta, records.length - 1);
        assert.equal(batch.baseTimestamp, records[0]?.timestamp);
        assert.ok(records.every((record) => record.timestamp <= batch.maxTimestamp));
        assert.ok(records.some((record) => record.timestamp === batch.maxTimestamp));
        assert.deepEqual(
          [...batchRecords(batch)],
          records.map((record, index) => ({ offset: fields.baseOffset + BigInt(index), ...record })),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('copying records leaves gaps where records were dropped and preserves the rest exactly', () => {
  const keep = fc.array(fc.tuple(recordArbitrary, fc.boolean()), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(keep, fieldsArbitrary, (choices, fields) => {
      const original = new RecordBatchView(
        buildRecordBatch(
          choices.map(([record]) => record),
          fields,
        ),
      );
      const builder = new RecordBatchBuilder({ ...fields, lastOffsetDelta: original.lastOffsetDelta });
      const cursor = new RecordCursor(original);
      while (cursor.next()) if (choices[cursor.index]?.[1]) builder.copy(cursor);
      const compacted = new RecordBatchView(builder.finish());
      assert.equal(compacted.lastOffset, original.lastOffset);
      assert.deepEqual(
        [...batchRecords(compacted)],
        [...batchRecords(original)].filter((_, index) => choices[index]?.[1]),
      );
    }),
    { numRuns: 100 },
  );
});

test('with a delete horizon timestamps still read back', () => {
  const batch = new RecordBatchView(buildRecordBatch(goldenRecords, { deleteHorizon: 1_800_000_000_000n }));
  assert.deepEqual(
    Array.from(batchRecords(batch), (record) => record.timestamp),
    goldenRecords.map((record) => record.timestamp),
  );
});

test('an empty batch retains its offsets and is never compressed', () => {
  const empty = buildRecordBatch([], {
    codec: 'zstd',
    baseOffset: 5n,
    lastOffsetDelta: 9,
    baseSequence: 3,
    maxTimestamp: 7n,
  });
  const batch = new RecordBatchView(empty);
  assert.equal(batch.sizeBytes, 61);
  assert.equal(batch.codec, 'none');
  assert.equal(batch.recordCount, 0);
  assert.equal(batch.lastOffset, 14n);
  assert.equal(batch.lastSequence, 12);
  assert.equal(batch.baseTimestamp, -1n);
  assert.equal(batch.maxTimestamp, 7n);
  assert.deepEqual([...batchRecords(batch)], []);
});

test('the size is known before the batch is finished', () => {
  const builder = new RecordBatchBuilder();
  assert.equal(builder.uncompressedBytes, 61);
  for (const record of goldenRecords) builder.append(record);
  assert.equal(builder.recordCount, 3);
  assert.equal(builder.uncompressedBytes, builder.finish().length);
});

test('offsets must increase', () => {
  const builder = new RecordBatchBuilder({ baseOffset: 10n });
  const at = (offset: bigint) => () => builder.append({ offset, timestamp: 0n, key: null, value: null });
  assert.throws(at(9n), RangeError);
  at(12n)();
  assert.throws(at(12n), RangeError);
  assert.throws(at(10n + 2n ** 31n), RangeError);
  at(10n + 2n ** 31n - 1n)();
  assert.equal(new RecordBatchView(builder.finish()).lastOffsetDelta, 2_147_483_647);
});

for (const codec of codecs) {
  test(`${codec}: a batch that is finished off-thread is the same batch`, async () => {
    const filled = () => {
      const builder = new RecordBatchBuilder({ codec });
      for (let n = 0; n < 100; n++) {
        builder.append({ timestamp: BigInt(n), key: null, value: Buffer.from(`value ${n}`) });
      }
      return builder;
    };
    assert.deepEqual(await filled().finishOffThread(), filled().finish());
  });
}

test('a batch of texts equals the batch of their bytes', () => {
  const times = fc.oneof(
    fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_500 }),
    fc.integer({ min: 0, max: 8.64e15 }),
  );
  const records = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), times), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(records, (all) => {
      const ofTexts = new RecordBatchBuilder();
      const ofBytes = new RecordBatchBuilder();
      const ofValues = new RecordBatchBuilder();
      for (const [text, timestampMs] of all) {
        const value = Buffer.from(text);
        ofTexts.appendValue(textValue(text), timestampMs);
        ofBytes.append({ timestamp: BigInt(timestampMs), key: null, value });
        ofValues.append({ timestamp: BigInt(timestampMs), key: null, value: textValue(text) });
      }
      assert.equal(ofTexts.uncompressedBytes, ofBytes.uncompressedBytes);
      const expected = ofBytes.finish();
      assert.deepEqual(ofTexts.finish(), expected);
      assert.deepEqual(ofValues.finish(), expected);
    }),
  );
});
