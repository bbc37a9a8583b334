import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import {
  buildEndTransactionMarker,
  buildRecordBatch,
  type CompressionCodec,
  headerAt,
  type RecordBatchFields,
} from '@weir/wire';
import fc from 'fast-check';
import { migrationLimits } from '../limits.ts';
import type { CopiedKind } from './copied-batch.ts';
import { type Walk, walkAnswer } from './walk.ts';

const walk = (records: Buffer, expectedOffset = 0) =>
  walkAnswer(Buffer.from(records), { expectedOffset, clock: systemClock });

/** Records at these offsets, in a batch from `base` to `last`. */
function batch(
  base: number,
  last: number,
  offsets = range(base, last),
  fields: RecordBatchFields = {},
): Buffer {
  return buildRecordBatch(
    offsets.map((offset) => ({
      offset: BigInt(offset),
      timestamp: BigInt(offset * 10),
      key: Buffer.from(`k${offset}`),
      value: Buffer.from(`value ${offset}`.repeat(3)),
    })),
    { baseOffset: BigInt(base), lastOffsetDelta: last - base, partitionLeaderEpoch: 7, ...fields },
  );
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const producer = { producerId: 9n, producerEpoch: 1, baseSequence: 4 };
const marker = (offset: number, result: 'commit' | 'abort') =>
  buildEndTransactionMarker({
    result,
    producerId: 9n,
    producerEpoch: 1,
    coordinatorEpoch: 3,
    timestamp: 5n,
    baseOffset: BigInt(offset),
    partitionLeaderEpoch: 7,
  });
/** A marker of a consensus log. */
const foreignMarker = buildRecordBatch(
  [{ timestamp: 0n, key: Buffer.from([0, 0, 0, 2]), value: Buffer.alloc(6) }],
  { isControl: true },
);

// biome-ignore format: a table
const kinds: readonly [what: string, bytes: Buffer, kind: CopiedKind, recordCount: number][] = [
  ['records',                                     batch(0, 4),                                                    'plain',         5],
  ['records of an idempotent producer',           batch(0, 4, undefined, producer),                               'plain',         5],
  ['records of a transaction',                    batch(0, 4, undefined, { ...producer, isTransactional: true }), 'transactional', 5],
  ['a batch with holes of compaction',            batch(0, 4, [1, 3]),                                            'plain',         2],
  ['a batch that compaction emptied',             batch(0, 4, []),                                                'plain',         0],
  ['an emptied batch of a transaction',           batch(0, 4, [], { ...producer, isTransactional: true }),        'plain',         0],
  ['a commit',                                    marker(0, 'commit'),                                            'commitMarker',  1],
  ['an abort',                                    marker(0, 'abort'),                                             'abortMarker',   1],
  ['a marker that compaction emptied',            batch(0, 0, [], { isControl: true, isTransactional: true }),    'otherControl',  0],
  ['a marker of a consensus log',                 foreignMarker,                                                  'otherControl',  1],
  ['log-append time',                             batch(0, 4, undefined, { timestampType: 'logAppendTime', maxTimestamp: 99n }), 'plain', 5],
];

for (const [what, bytes, kind, recordCount] of kinds)
  test(`${what}: ${kind}, copied byte for byte`, async () => {
    const found = await walk(bytes);
    assert.equal(found.problem, undefined);
    const [one] = found.batches;
    assert.deepEqual([one!.kind, one!.recordCount], [kind, recordCount]);
    assert.equal(one!.baseOffset, 0);
    assert.equal(one!.nextOffset, bytes.readInt32BE(headerAt.lastOffsetDelta) + 1);
    assert.deepEqual(Buffer.concat(found.slices), withEpoch(bytes, 0));
  });

for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const satisfies readonly CompressionCodec[])
  test(`a batch with ${codec} is copied byte for byte, with what a commit needs of it`, async () => {
    const bytes = batch(5, 9, undefined, { ...producer, codec });
    const { batches, slices } = await walk(bytes, 5);
    assert.deepEqual(Buffer.concat(slices), withEpoch(bytes, 0));
    assert.deepEqual(batches, [
      {
        baseOffset: 5,
        nextOffset: 10,
        byteStart: 0,
        byteLength: bytes.length,
        maxTimestampMs: 90,
        producerId: 9,
        producerEpoch: 1,
        baseSequence: 4,
        recordCount: 5,
        kind: 'plain',
      },
    ]);
  });

/** A batch whose field is changed, with the CRC that fits. */
function forged(change: (bytes: Buffer) => void): Buffer {
  const bytes = batch(3, 7);
  change(bytes);
  bytes.writeUInt32BE(crc32c(bytes.subarray(headerAt.attributes)), headerAt.crc);
  return bytes;
}

/** Bit by bit, so that it shares nothing with the code. */
function crc32c(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

// biome-ignore format: a table
const problems: readonly [what: string, bytes: Buffer, message: RegExp][] = [
  ['a flipped bit',                     flipped(batch(3, 7)),                                                                      /^the batch at offset 3 has the CRC \d+, which does not match its bytes$/],
  ['more records than offsets',         forged((bytes) => bytes.writeInt32BE(6, headerAt.recordCount)),                            /has 6 records in 5 offsets/],
  ['a negative count',                  forged((bytes) => bytes.writeInt32BE(-1, headerAt.recordCount)),                           /has -1 records in 5 offsets/],
  ['a negative last offset',            forged((bytes) => bytes.writeInt32BE(-2, headerAt.lastOffsetDelta)),                       /last offset delta -2/],
  ['a codec that does not exist',       forged((bytes) => bytes.writeInt16BE(6, headerAt.attributes)),                             /codec 6/],
  ['a negative offset',                 forged((bytes) => bytes.writeBigInt64BE(-9n, headerAt.baseOffset)),                        /no offset of a log/],
  ['an offset beyond all logs',         forged((bytes) => bytes.writeBigInt64BE(2n ** 62n, headerAt.baseOffset)),                  /no offset of a log/],
  ['a producer id beyond all others',   forged((bytes) => bytes.writeBigInt64BE(2n ** 62n, headerAt.producerId)),                  /producer id 4611686018427387904/],
  ['a length below that of a header',   forged((bytes) => bytes.writeInt32BE(12, headerAt.batchLength)),                           /has the length 12, less than a header/],
  ['a negative length',                 forged((bytes) => bytes.writeInt32BE(-12, headerAt.batchLength)),                          /has the length -12, less than a header/],
  ['a length that no copy has room for', forged((bytes) => bytes.writeInt32BE(2 ** 31 - 1, headerAt.batchLength)),                 /has 2147483647 bytes, and \d+ can be copied/],
  ['a magic of the future',             forged((bytes) => bytes.writeInt8(3, headerAt.magic)),                                     /magic 3, which no format has/],
  ['a control batch that is compressed', forged((bytes) => bytes.writeInt16BE(0x21, headerAt.attributes)),                         /control batch that is compressed/],
  ['a control batch without a type',    forged((bytes) => bytes.writeInt16BE(0x20, headerAt.attributes)),                          /control batch that cannot be read/],
];

for (const [what, bytes, message] of problems)
  test(`${what} stops the partition, and what is before it is copied`, async () => {
    const found = await walk(Buffer.concat([batch(0, 2), bytes, batch(8, 9)]));
    assert.equal(found.problem?.kind, 'damaged');
    assert.match(found.problem!.message, message);
    assert.deepEqual([found.batches.length, found.nextOffset], [1, 3]);
  });

function flipped(bytes: Buffer): Buffer {
  bytes[bytes.length - 3]! ^= 4;
  return bytes;
}

test('batches that are copied already are left out', async () => {
  const found = await walk(Buffer.concat([batch(0, 4), batch(5, 9), batch(10, 14)]), 10);
  assert.deepEqual([found.skippedCount, found.batches.length, found.nextOffset], [2, 1, 15]);
});

test('a batch that is copied in part is never appended', async () => {
  const { problem, batches } = await walk(batch(0, 9), 5);
  assert.deepEqual(problem, {
    kind: 'overlap',
    message: 'the batch at offset 0 ends at offset 9, and the copy goes on at 5',
    baseOffset: 0,
  });
  assert.equal(batches.length, 0);
});

test('an answer that ends within its first batch says how much it needs', async () => {
  const whole = batch(0, 9);
  const found = await walk(whole.subarray(0, 40));
  assert.deepEqual([found.wantedBytes, found.batches.length], [whole.length, 0]);
  assert.equal((await walk(Buffer.concat([batch(0, 1), whole.subarray(0, 40)]))).wantedBytes, undefined);
});

test('an answer of very many batches is walked in parts', async () => {
  const one = batch(0, 0, [0]);
  const count = migrationLimits.walkedBatchesMax + 10;
  const records = Buffer.concat(Array.from({ length: count }, () => one));
  for (let index = 0; index < count; index++)
    records.writeBigInt64BE(BigInt(index), index * one.length + headerAt.baseOffset);
  const found = await walk(records);
  assert.equal(found.nextOffset, migrationLimits.walkedBatchesMax);
  const rest = await walk(records.subarray(found.byteLength), found.nextOffset);
  assert.equal(rest.nextOffset, count);
});

/** A log as compaction, transactions and retention leave it. */
const logs = fc
  .array(
    fc.record({
      gap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(50)),
      span: fc.integer({ min: 1, max: 20 }),
      kept: fc.infiniteStream(fc.boolean()),
      codec: fc.constantFrom<CompressionCodec>('none', 'gzip', 'snappy', 'lz4', 'zstd'),
      what: fc.constantFrom('plain', 'producer', 'transaction', 'commit', 'abort'),
    }),
    { maxLength: 25 },
  )
  .map((entries) => {
    let next = 0;
    return entries.map(({ gap, span, kept, codec, what }) => {
      const base = next + gap;
      if (what === 'commit' || what === 'abort') {
        next = base + 1;
        return marker(base, what);
      }
      next = base + span;
      const offsets = range(base, next - 1).filter(() => kept.next().value);
      const fields = what === 'plain' ? {} : { ...producer, isTransactional: what === 'transaction' };
      return batch(base, next - 1, offsets, { ...fields, codec });
    });
  });

test('any log is copied byte for byte in its order, wherever answers are cut', () =>
  fc.assert(
    fc.asyncProperty(
      logs,
      fc.infiniteStream(fc.nat(1500)),
      fc.infiniteStream(fc.nat(2)),
      async (log, cuts, back) => {
        const whole = Buffer.concat(log);
        const starts = log.map((_, index) => log.slice(0, index).reduce((sum, one) => sum + one.length, 0));
        const copied: Buffer[] = [];
        const offsets: number[] = [];
        let copiedCount = 0;
        let expected = 0;
        let room = 200;
        while (copiedCount < log.length) {
          // A broker may begin with batches that the reader has, and ends anywhere.
          const first = Math.max(0, copiedCount - back.next().value);
          const found: Walk = await walk(
            whole.subarray(starts[first]!, starts[first]! + room + cuts.next().value),
            expected,
          );
          assert.equal(found.problem, undefined);
          assert.ok(found.skippedCount <= copiedCount - first);
          room = found.wantedBytes ?? room;
          copied.push(...found.slices);
          offsets.push(...found.batches.flatMap(({ baseOffset, nextOffset }) => [baseOffset, nextOffset]));
          const joined = Buffer.concat(found.slices);
          assert.equal(joined.length, found.byteLength);
          for (const { byteStart, byteLength, baseOffset } of found.batches) {
            assert.equal(joined.readBigInt64BE(byteStart), BigInt(baseOffset));
            assert.equal(joined.readInt32BE(byteStart + headerAt.batchLength) + 12, byteLength);
          }
          copiedCount += found.batches.length;
          expected = found.nextOffset;
        }
        assert.deepEqual(Buffer.concat(copied), Buffer.concat(log.map((one) => withEpoch(one, 0))));
        assert.deepEqual(
          offsets,
          offsets.toSorted((a, b) => a - b),
        );
      },
    ),
  ));

test('whatever bytes a source sends, a walk ends without an exception', () =>
  fc.assert(
    fc.asyncProperty(
      logs,
      fc.uint8Array({ maxLength: 200 }),
      fc.nat(),
      fc.nat(60),
      async (log, noise, place, offset) => {
        const bytes = Buffer.concat(log);
        const at = bytes.length === 0 ? 0 : place % bytes.length;
        const spoilt = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
        const found = await walk(spoilt, offset);
        assert.ok(found.nextOffset >= offset);
        let next = offset;
        for (const one of found.batches) {
          assert.ok(one.baseOffset >= next && one.nextOffset > one.baseOffset);
          next = one.nextOffset;
        }
      },
    ),
  ));

function withEpoch(bytes: Buffer, epoch: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32BE(epoch, headerAt.partitionLeaderEpoch);
  return copy;
}
