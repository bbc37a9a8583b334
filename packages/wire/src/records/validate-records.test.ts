import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { type CompressionCodec, codecIds } from '../compression/index.ts';
import { RecordBatchView } from './batch.ts';
import { buildRecordBatch, type RecordToWrite } from './builder.ts';
import { sealBatch } from './crc.ts';
import { headerAt, headerBytes } from './layout.ts';
import { validateProducedBatch } from './validate.ts';
import { type RecordRules, validateBatchRecords, validateBatchRecordsOffThread } from './validate-records.ts';

const codecs = Object.keys(codecIds) as CompressionCodec[];

function record(fields: Partial<RecordToWrite> = {}): RecordToWrite {
  return { timestamp: 100n, key: Buffer.from('k'), value: Buffer.from('v'), ...fields };
}

function batchOf(records: RecordToWrite[], codec: CompressionCodec = 'none'): RecordBatchView {
  return new RecordBatchView(buildRecordBatch(records, { codec }));
}

test('summarizes batches of real clients', () => {
  for (const codec of codecs) {
    assert.deepEqual(validateBatchRecords(new RecordBatchView(javaBatches[codec])), {
      ok: true,
      recordsBytes: 84,
      minTimestamp: 1699999999990n,
      maxTimestamp: 1700000000005n,
    });
  }
  for (const batch of Object.values(librdkafkaBatches)) {
    assert.ok(validateBatchRecords(new RecordBatchView(batch), { requiresKeys: false }).ok);
  }
});

test('the latest timestamp is computed, not taken from the header', () => {
  const batch = buildRecordBatch(
    [record({ timestamp: 5n }), record({ timestamp: 9n }), record({ timestamp: 7n })],
    { maxTimestamp: 7n },
  );
  const result = validateBatchRecords(new RecordBatchView(batch));
  assert.ok(result.ok);
  assert.equal(result.maxTimestamp, 9n);
});

test('a compacted topic rejects records without keys and names each', () => {
  const batch = batchOf(
    [record(), record({ key: null }), record({ key: Buffer.alloc(0) }), record({ key: null })],
    'lz4',
  );
  const result = validateBatchRecords(batch, { requiresKeys: true });
  const message = 'key is null, but the topic is compacted';
  assert.deepEqual(result, {
    ok: false,
    error: 'INVALID_RECORD',
    message: `record 1: ${message}`,
    recordErrors: [
      { batchIndex: 1, message },
      { batchIndex: 3, message },
    ],
  });
});

test('rules for single records', () => {
  const times = [record({ timestamp: 100n }), record({ timestamp: -1n }), record({ timestamp: 200n })];
  const large = [record(), record({ value: Buffer.alloc(1000) })];
  const keyless = [record({ key: null }), record({ timestamp: 300n })];
  const gap = [record({ offset: 0n }), record({ offset: 2n })];
  const table: [
    name: string,
    records: RecordToWrite[],
    rules: RecordRules,
    error: string,
    batchIndexes: number[],
  ][] = [
    ['times within', times, { timestampMin: 100n, timestampMax: 200n }, 'none', []],
    ['one too early', times, { timestampMin: 101n }, 'INVALID_TIMESTAMP', [0]],
    ['one too late', times, { timestampMax: 199n }, 'INVALID_TIMESTAMP', [2]],
    [
      'no key and a bad time',
      keyless,
      { requiresKeys: true, timestampMax: 200n },
      'INVALID_TIMESTAMP',
      [0, 1],
    ],
    ['size within', large, { recordBytesMax: 1010 }, 'none', []],
    ['one too large', large, { recordBytesMax: 1009 }, 'MESSAGE_TOO_LARGE', [1]],
    ['batch too large inside', large, { outputBytesMax: 1000 }, 'MESSAGE_TOO_LARGE', []],
    ['a gap in the offsets', gap, {}, 'INVALID_RECORD', [1]],
  ];
  for (const codec of codecs) {
    for (const [name, records, rules, error, batchIndexes] of table) {
      const result = validateBatchRecords(batchOf(records, codec), rules);
      assert.equal(result.ok ? 'none' : result.error, error, `${codec}: ${name}`);
      if (!result.ok)
        assert.deepEqual(
          result.recordErrors.map(({ batchIndex }) => batchIndex),
          batchIndexes,
          name,
        );
    }
  }
});

test('the list of invalid records is bounded', () => {
  const batch = batchOf(Array.from({ length: 5000 }, () => record({ key: null })));
  const result = validateBatchRecords(batch, { requiresKeys: true });
  assert.ok(!result.ok);
  assert.equal(result.recordErrors.length, 1000);
});

test('the structure is checked to the last byte', () => {
  const change = (edit: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(javaBatches.none);
    edit(bytes);
    sealBatch(bytes);
    return new RecordBatchView(bytes);
  };
  const table: [name: string, batch: RecordBatchView, message: RegExp][] = [
    [
      'fewer records than counted',
      change((bytes) => bytes.writeInt32BE(4, headerAt.recordCount)),
      /length at byte 84/,
    ],
    [
      'more records than counted',
      change((bytes) => bytes.writeInt32BE(2, headerAt.recordCount)),
      /7 bytes follow/,
    ],
    ['a record that is too long', change((bytes) => bytes.writeUInt8(0x7e, headerBytes)), /length/],
    [
      'content that is not of the codec',
      change((bytes) => bytes.writeInt16BE(codecIds.lz4, headerAt.attributes)),
      /lz4: magic/,
    ],
  ];
  for (const [name, batch, message] of table) {
    const result = validateBatchRecords(batch);
    assert.ok(!result.ok, name);
    assert.equal(result.error, 'INVALID_RECORD', name);
    assert.match(result.message, message, name);
  }
});

test('mutated and random batches give a typed result and never throw', () => {
  const mutation = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
  const mutated = fc.tuple(fc.constantFrom(...codecs), mutation).map(([codec, changes]) => {
    const bytes = Buffer.from(javaBatches[codec]);
    for (const [at, byte] of changes)
      bytes[headerAt.attributes + (at % (bytes.length - headerAt.attributes))] = byte;
    return bytes;
  });
  const random = fc
    .tuple(fc.constantFrom(...codecs), fc.uint8Array({ maxLength: 100 }))
    .map(([codec, tail]) => {
      const bytes = Buffer.concat([javaBatches[codec].subarray(0, headerBytes), tail]);
      bytes.writeInt32BE(bytes.length - 12, headerAt.batchLength);
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(mutated, random), (bytes) => {
      sealBatch(bytes);
      const header = validateProducedBatch(bytes, { allowsZstd: true });
      const batch = header.ok ? header.batch : new RecordBatchView(bytes);
      const result = validateBatchRecords(batch, { requiresKeys: true, outputBytesMax: 1 << 20 });
      assert.equal(typeof result.ok, 'boolean');
    }),
    { numRuns: 2000 },
  );
});

test('a visitor receives every record, and its problem counts where the rules found none', () => {
  const batch = batchOf([record(), record({ key: null }), record({ value: null })], 'gzip');
  const seen: number[] = [];
  const result = validateBatchRecords(batch, {
    requiresKeys: true,
    visit({ index }) {
      seen.push(index);
      return index === 0 ? undefined : 'no';
    },
  });
  assert.deepEqual(seen, [0, 1, 2]);
  assert.ok(!result.ok);
  assert.equal(result.error, 'INVALID_RECORD');
  assert.deepEqual(result.recordErrors, [
    { batchIndex: 1, message: 'key is null, but the topic is compacted' },
    { batchIndex: 2, message: 'no' },
  ]);
});

test('off-thread validation has the same results, and a record that is too long ends the decompression', async () => {
  const pause = async () => {};
  const long = record({ value: Buffer.alloc(2 << 20) });
  const cases: [RecordToWrite[], RecordRules][] = [
    [[record(), record()], {}],
    [[record(), record({ key: null })], { requiresKeys: true }],
    [
      [record(), long, ...Array.from({ length: 14 }, () => record({ value: Buffer.alloc(1 << 20) }))],
      { recordBytesMax: 1 << 21 },
    ],
    [[long], { outputBytesMax: 1 << 20 }],
  ];
  for (const codec of codecs) {
    for (const [records, rules] of cases) {
      const batch = batchOf(records, codec);
      const atOnce = validateBatchRecords(batch, rules);
      const { inflatedBytes = 0, ...offThread } = {
        inflatedBytes: undefined,
        ...(await validateBatchRecordsOffThread(batch, rules, pause)),
      };
      assert.deepEqual(offThread, atOnce, codec);
      if (rules.recordBytesMax === undefined || codec === 'none') continue;
      // An lz4 block has up to 4 MiB.
      assert.ok(inflatedBytes <= 4 << 20, `${codec}: ${inflatedBytes} of ${16 << 20} bytes`);
    }
  }
});
