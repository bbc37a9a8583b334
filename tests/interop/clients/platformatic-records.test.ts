import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as platformatic from '@platformatic/kafka';
import { type CompressionCodec, codecIds, codecOfId } from '@weir/wire';
import fc from 'fast-check';
import {
  arbitraryBatch,
  arbitraryProducer,
  arbitraryRecords,
  type Batch,
  compressions,
  endMarker,
  type Producer,
  type Records,
  readBatches,
  readProducedBatch,
  writeBatch,
  writtenBatch,
} from './batch.ts';

/**
 * Record batches in both directions. Snappy and lz4 are the client's own, in WebAssembly; gzip and zstd are those of
 * node:zlib on both sides, because no other is available.
 */
const runs = { seed: 830, numRuns: 60 };

/** The client encodes timestamp deltas beyond 32 bits wrongly (its zigzag shifts by 31). It decodes them correctly. */
const writableRecords = arbitraryRecords(2n ** 31n - 1n);

for (const codec of Object.keys(codecIds) as CompressionCodec[]) {
  test(`platformatic writes ${codec} batches`, () => {
    fc.assert(
      fc.property(writableRecords, arbitraryProducer, (records, producer) => {
        const written = platformatic.createRecordsBatch(messages(records), options(producer, codec));
        assert.deepEqual(readProducedBatch(written.buffer), expected(records, producer, codec));
      }),
      runs,
    );
  });

  test(`platformatic writes ${codec} batches asynchronously`, async () => {
    await fc.assert(
      fc.asyncProperty(writableRecords, arbitraryProducer, async (records, producer) => {
        const written = await platformatic.createRecordsBatchAsync(
          messages(records),
          options(producer, codec),
        );
        assert.deepEqual(readProducedBatch(written.buffer), expected(records, producer, codec));
      }),
      runs,
    );
  });
}

test('platformatic writes batches of producers that are not idempotent', () => {
  const records = fc.sample(writableRecords, { seed: 830, numRuns: 1 })[0]!;
  const written = platformatic.createRecordsBatch(messages(records), {});
  // Epoch and sequence should be -1, like the id; brokers ignore the difference.
  const noProducer = { producerId: -1n, producerEpoch: 0, baseSequence: 0, isTransactional: false };
  assert.deepEqual(readProducedBatch(written.buffer), {
    ...expected(records, noProducer, 'none'),
    partitionLeaderEpoch: 0,
  });
});

for (const [name, compression] of Object.entries(compressions)) {
  test(`platformatic reads our batches: ${name}`, () => {
    fc.assert(
      fc.property(fc.array(arbitraryBatch(compression.codec), { minLength: 1, maxLength: 3 }), (batches) => {
        const records = Buffer.concat(batches.map((batch) => writeBatch(batch, compression)));
        assert.deepEqual(readBatches(records), batches);
        assert.deepEqual(theirBatches(records), batches);
      }),
      runs,
    );
  });
}

test('platformatic reads our transaction markers', () => {
  const marker = endMarker('abort');
  const [batch] = theirBatches(marker);
  assert.equal(batch?.isControl, true);
  assert.deepEqual([batch], readBatches(marker));
});

function messages(records: Records): platformatic.MessageRecord[] {
  return records.map(({ timestamp, key, value, headers }) => ({
    topic: 'topic',
    partition: 0,
    timestamp,
    ...(key === null ? {} : { key }),
    value: value as Buffer,
    // The client takes headers as a map with Buffer keys, so no two keys are equal.
    headers: new Map(headers.map((header) => [Buffer.from(header.key), header.value as Buffer])),
  }));
}

function options(producer: Producer, compression: CompressionCodec) {
  return {
    compression,
    producerId: producer.producerId,
    producerEpoch: producer.producerEpoch,
    partitionLeaderEpoch: 11,
    sequences: new platformatic.NumericMap([['topic:0', producer.baseSequence]]),
    ...(producer.isTransactional ? { transactionalId: 'transaction' } : {}),
  };
}

function expected(records: Records, producer: Producer, codec: CompressionCodec): Batch {
  const baseTimestamp = records[0]!.timestamp;
  return writtenBatch(records, producer, codec, { partitionLeaderEpoch: 11, baseTimestamp });
}

const logAppendTimeBit = 1 << 3;

function theirBatches(records: Buffer): readonly Batch[] {
  return platformatic.readRecordsBatches(platformatic.Reader.from(records)).map((batch) => {
    const hasAppendTime = (batch.attributes & logAppendTimeBit) !== 0;
    return {
      codec: codecOfId(batch.attributes & platformatic.IS_COMPRESSED)!,
      baseOffset: batch.firstOffset,
      partitionLeaderEpoch: batch.partitionLeaderEpoch,
      timestampType: hasAppendTime ? 'logAppendTime' : 'createTime',
      isTransactional: (batch.attributes & platformatic.IS_TRANSACTIONAL) !== 0,
      isControl: (batch.attributes & platformatic.IS_CONTROL) !== 0,
      lastOffsetDelta: batch.lastOffsetDelta,
      baseTimestamp: batch.firstTimestamp,
      maxTimestamp: batch.maxTimestamp,
      producerId: batch.producerId,
      producerEpoch: batch.producerEpoch,
      baseSequence: batch.firstSequence,
      records: batch.records.map((record) => ({
        offset: batch.firstOffset + BigInt(record.offsetDelta),
        timestamp: hasAppendTime ? batch.maxTimestamp : batch.firstTimestamp + record.timestampDelta,
        key: record.key,
        value: record.value,
        headers: record.headers.map(([key, value]) => ({ key: String(key), value })),
      })),
    };
  });
}
