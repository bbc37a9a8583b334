import assert from 'node:assert/strict';
import { test } from 'node:test';
import { javaBatches, librdkafkaBatches } from '../../testing/golden-batches.ts';
import { DecodeError } from '../decode-error.ts';
import { RecordBatchView, recordBatches } from './batch.ts';
import { buildRecordBatch } from './builder.ts';

/** All getters of a header by name, to compare whole headers at once. */
function headerOf(bytes: Buffer): Record<string, unknown> {
  const batch = new RecordBatchView(bytes);
  const names = Object.entries(Object.getOwnPropertyDescriptors(RecordBatchView.prototype))
    .filter(([name, { get }]) => get !== undefined && name !== 'recordsBytes')
    .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, batch[name as keyof RecordBatchView]]));
}

test('reads the header of a plain batch', () => {
  assert.deepEqual(headerOf(javaBatches.none), {
    sizeBytes: 145,
    baseOffset: 0n,
    batchLength: 133,
    partitionLeaderEpoch: -1,
    magic: 2,
    crc: 0x98db47fa,
    attributes: 0,
    codecId: 0,
    codec: 'none',
    timestampType: 'createTime',
    isTransactional: false,
    isControl: false,
    deleteHorizon: undefined,
    lastOffsetDelta: 2,
    lastOffset: 2n,
    nextOffset: 3n,
    baseTimestamp: 1700000000000n,
    maxTimestamp: 1700000000005n,
    producerId: -1n,
    producerEpoch: -1,
    baseSequence: -1,
    lastSequence: -1,
    recordCount: 3,
  });
});

test('reads the header of a transactional batch whose sequence wraps', () => {
  const header = headerOf(javaBatches.transactional);
  assert.equal(header.baseOffset, 2n ** 40n);
  assert.equal(header.lastOffset, 2n ** 40n + 2n);
  assert.equal(header.partitionLeaderEpoch, 9);
  assert.equal(header.isTransactional, true);
  assert.equal(header.producerId, 4_000_000_000n);
  assert.equal(header.producerEpoch, 7);
  assert.equal(header.baseSequence, 2_147_483_646);
  assert.equal(header.lastSequence, 0);
});

test('a delete horizon replaces the base timestamp', () => {
  const batch = new RecordBatchView(
    buildRecordBatch([{ timestamp: 5n, key: null, value: null }], { deleteHorizon: 99n }),
  );
  assert.equal(batch.deleteHorizon, 99n);
  assert.equal(batch.baseTimestamp, 99n);
  assert.equal(batch.maxTimestamp, 5n);
});

test('every golden batch has a valid CRC and its codec', () => {
  for (const [name, bytes] of Object.entries({ ...javaBatches, ...librdkafkaBatches })) {
    const batch = new RecordBatchView(bytes);
    assert.ok(batch.hasValidCrc(), name);
    if (name in librdkafkaBatches) assert.equal(batch.codec, name);
  }
});

test('a truncated header is no batch', () => {
  assert.throws(() => new RecordBatchView(javaBatches.none.subarray(0, 60)), DecodeError);
});

test('iterates over all batches of a records field as slices of it', () => {
  const field = Buffer.concat([javaBatches.lz4, javaBatches.commit, javaBatches.none]);
  const batches = [...recordBatches(field, { partialTail: 'error' })];
  assert.deepEqual(
    batches.map((batch) => batch.sizeBytes),
    [javaBatches.lz4.length, javaBatches.commit.length, javaBatches.none.length],
  );
  for (const batch of batches) assert.equal(batch.bytes.buffer, field.buffer);
  assert.deepEqual([...recordBatches(Buffer.alloc(0), { partialTail: 'error' })], []);
});

test('a truncated last batch is ignored or an error, wherever it is cut', () => {
  const field = Buffer.concat([javaBatches.commit, javaBatches.none]);
  for (let end = javaBatches.commit.length + 1; end < field.length; end++) {
    const cut = field.subarray(0, end);
    assert.equal([...recordBatches(cut, { partialTail: 'ignore' })].length, 1, `cut at ${end}`);
    assert.throws(() => [...recordBatches(cut, { partialTail: 'error' })], DecodeError, `cut at ${end}`);
  }
});

test('invalid lengths and formats are errors even when a partial tail is ignored', () => {
  const withLength = (length: number) => {
    const bytes = Buffer.from(javaBatches.none);
    bytes.writeInt32BE(length, 8);
    return bytes;
  };
  const withMagic = (magic: number) => {
    const bytes = Buffer.from(javaBatches.none);
    bytes.writeInt8(magic, 16);
    return bytes;
  };
  for (const bytes of [
    withLength(-1),
    withLength(0),
    withLength(48),
    withMagic(0),
    withMagic(1),
    withMagic(3),
  ]) {
    assert.throws(() => [...recordBatches(bytes, { partialTail: 'ignore' })], DecodeError);
  }
});
