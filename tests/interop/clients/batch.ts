import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  batchRecords,
  buildEndTransactionMarker,
  buildRecordBatch,
  type CompressionCodec,
  type RecordBatchView,
  recordBatches,
  type SnappyFraming,
  type TimestampType,
  validateBatchRecords,
  validateProducedBatch,
} from '@weir/wire';
import fc from 'fast-check';

/** A record batch with all its fields, independent of Weir's types and of those of a client. */
export interface Batch {
  readonly codec: CompressionCodec;
  readonly baseOffset: bigint;
  readonly partitionLeaderEpoch: number;
  readonly timestampType: TimestampType;
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  readonly lastOffsetDelta: number;
  readonly baseTimestamp: bigint;
  readonly maxTimestamp: bigint;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly records: readonly BatchedRecord[];
}

export interface BatchedRecord {
  readonly offset: bigint;
  readonly timestamp: bigint;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly Header[];
}

export interface Header {
  readonly key: string;
  readonly value: Buffer | null;
}

/** The tested codecs. Snappy has two framings: that of the Java client, and raw as in most others. */
export const compressions = {
  none: { codec: 'none' },
  gzip: { codec: 'gzip' },
  'snappy in xerial frames': { codec: 'snappy', snappyFraming: 'xerial' },
  'bare snappy': { codec: 'snappy', snappyFraming: 'raw' },
  lz4: { codec: 'lz4' },
  zstd: { codec: 'zstd' },
} as const satisfies Readonly<Record<string, Compression>>;

export interface Compression {
  readonly codec: CompressionCodec;
  readonly snappyFraming?: SnappyFraming;
}

const arbitraryBytes = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes));

/**
 * Larger than the blocks of snappy and lz4, so that there are several; one kind compresses well, the other not at all.
 */
const arbitraryLargeBytes = fc
  .tuple(fc.boolean(), fc.nat())
  .map(([compresses, seed]) =>
    compresses
      ? Buffer.alloc(150_000, `seed ${seed}`)
      : createHash('shake256', { outputLength: 150_000 }).update(`${seed}`).digest(),
  );

const arbitraryHeader: fc.Arbitrary<Header> = fc.record(
  {
    key: fc.string({ unit: 'grapheme', maxLength: 8 }),
    value: fc.option(arbitraryBytes, { nil: null }),
  },
  { noNullPrototype: true },
);

const recordsMax = 12;

/**
 * Generates records without offsets, which follow from their positions. Timestamps go forward and back within the span.
 */
export function arbitraryRecords(
  timestampSpanMs = 200_000_000_000n,
): fc.Arbitrary<readonly Omit<BatchedRecord, 'offset'>[]> {
  const earliest = 1_600_000_000_000n;
  const record = fc.record(
    {
      timestamp: fc.bigInt({ min: earliest, max: earliest + timestampSpanMs }),
      key: fc.option(arbitraryBytes, { nil: null }),
      value: fc.option(
        fc.oneof({ arbitrary: arbitraryBytes, weight: 19 }, { arbitrary: arbitraryLargeBytes, weight: 1 }),
        { nil: null },
      ),
      headers: fc.array(arbitraryHeader, { maxLength: 3 }),
    },
    { noNullPrototype: true },
  );
  return fc.array(record, { minLength: 1, maxLength: recordsMax });
}

/** The producer of a batch: idempotent, perhaps transactional, or without an id. */
export interface Producer {
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isTransactional: boolean;
}

export const arbitraryProducer: fc.Arbitrary<Producer> = fc.record(
  {
    producerId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    producerEpoch: fc.integer({ min: 0, max: 0x7fff }),
    baseSequence: fc.integer({ min: 0, max: 0x7fff_ffff }),
    isTransactional: fc.boolean(),
  },
  { noNullPrototype: true },
);

const noProducer: Producer = { producerId: -1n, producerEpoch: -1, baseSequence: -1, isTransactional: false };

/** Generates a batch as a broker may store it, with the gaps that compaction leaves. */
export function arbitraryBatch(codec: CompressionCodec): fc.Arbitrary<Batch> {
  return fc
    .record({
      records: arbitraryRecords(),
      gaps: fc.array(fc.nat({ max: 2 }), { minLength: recordsMax + 1, maxLength: recordsMax + 1 }),
      producer: fc.oneof(arbitraryProducer, fc.constant(noProducer)),
      baseOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }),
      partitionLeaderEpoch: fc.integer({ min: -1, max: 0x7fff_ffff }),
      hasAppendTime: fc.boolean(),
    })
    .map(({ records, gaps, producer, baseOffset, partitionLeaderEpoch, hasAppendTime }): Batch => {
      const maxTimestamp = latestOf(records);
      let offset = baseOffset - 1n;
      const placed = records.map((record, index) => {
        offset += 1n + BigInt(gaps[index]!);
        return { ...record, offset, timestamp: hasAppendTime ? maxTimestamp : record.timestamp };
      });
      return {
        ...producer,
        codec,
        baseOffset,
        partitionLeaderEpoch,
        timestampType: hasAppendTime ? 'logAppendTime' : 'createTime',
        isControl: false,
        lastOffsetDelta: Number(offset - baseOffset) + gaps.at(-1)!,
        baseTimestamp: records[0]!.timestamp,
        maxTimestamp,
        records: placed,
      };
    });
}

export function latestOf(records: readonly { readonly timestamp: bigint }[]): bigint {
  let latest = -1n;
  for (const { timestamp } of records) if (timestamp > latest) latest = timestamp;
  return latest;
}

export function writeBatch({ records, ...fields }: Batch, compression: Compression): Buffer {
  return buildRecordBatch(records, { ...fields, compression });
}

/** Returns the one batch that a producer sent, which Weir must accept. */
export function readProducedBatch(records: Buffer | null): Batch {
  const validation = validateProducedBatch(records, { allowsZstd: true });
  if (!validation.ok) assert.fail(validation.message);
  const summary = validateBatchRecords(validation.batch);
  if (!summary.ok) assert.fail(summary.message);
  return batchOf(validation.batch);
}

export function readBatches(records: Buffer): readonly Batch[] {
  return [...recordBatches(records, { partialTail: 'error' })].map(batchOf);
}

function batchOf(view: RecordBatchView): Batch {
  assert.ok(view.hasValidCrc());
  assert.ok(view.codec);
  const records = [...batchRecords(view)];
  assert.equal(view.recordCount, records.length);
  return {
    codec: view.codec,
    baseOffset: view.baseOffset,
    partitionLeaderEpoch: view.partitionLeaderEpoch,
    timestampType: view.timestampType,
    isTransactional: view.isTransactional,
    isControl: view.isControl,
    lastOffsetDelta: view.lastOffsetDelta,
    baseTimestamp: view.baseTimestamp,
    maxTimestamp: view.maxTimestamp,
    producerId: view.producerId,
    producerEpoch: view.producerEpoch,
    baseSequence: view.baseSequence,
    records,
  };
}

/** Records as a client gets them to write. */
export type Records = readonly Omit<BatchedRecord, 'offset'>[];

/** The batch that a client should write; clients differ in the rest. */
export function writtenBatch(
  records: Records,
  producer: Producer,
  codec: CompressionCodec,
  rest: Pick<Batch, 'partitionLeaderEpoch' | 'baseTimestamp'>,
): Batch {
  return {
    ...producer,
    codec,
    baseOffset: 0n,
    timestampType: 'createTime',
    isControl: false,
    lastOffsetDelta: records.length - 1,
    maxTimestamp: latestOf(records),
    records: records.map((record, index) => ({ ...record, offset: BigInt(index) })),
    ...rest,
  };
}

/** The marker that ends a transaction. */
export function endMarker(result: 'commit' | 'abort'): Buffer {
  return buildEndTransactionMarker({
    result,
    producerId: 7n,
    producerEpoch: 3,
    coordinatorEpoch: 5,
    timestamp: 1_700_000_000_000n,
    baseOffset: 99n,
  });
}
