import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compressionsAlgorithms } from '@platformatic/kafka';
import {
  apis,
  type CompressionCodec,
  codecIds,
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
} from '@weir/wire';
import fc from 'fast-check';
import {
  arbitraryBatch,
  arbitraryProducer,
  arbitraryRecords,
  type Batch,
  compressions,
  endMarker,
  type Header,
  type Producer,
  type Records,
  readBatches,
  readProducedBatch,
  writeBatch,
  writtenBatch,
} from './batch.ts';
import { kafkajsVersions, plugCodec } from './kafkajs.ts';

/**
 * Record batches in both directions, inside the Produce requests and Fetch responses in which kafkajs handles them.
 *
 * kafkajs includes gzip and leaves the other codecs to plug-ins. The plug-ins here are not the libraries that Weir
 * uses, except for zstd, which only node:zlib provides.
 */
for (const codec of ['snappy', 'lz4', 'zstd'] as const) {
  const { compressSync, decompressSync } = compressionsAlgorithms[codec];
  plugCodec(codecIds[codec], compressSync, decompressSync);
}

const runs = { seed: 830, numRuns: 60 };
const produceVersion = 7;
const fetchVersion = 11;

/** kafkajs takes headers as an object, so keys are unique and numeric keys come first, and it fails on null values. */
const writableRecords = arbitraryRecords().map((records) =>
  records.map((record) => ({
    ...record,
    headers: record.headers.map(({ key, value }, index) => ({
      key: `header ${index} ${key}`,
      value: value ?? Buffer.alloc(0),
    })),
  })),
);

for (const codec of Object.keys(codecIds) as CompressionCodec[]) {
  test(`kafkajs writes ${codec} batches`, async () => {
    await fc.assert(
      fc.asyncProperty(writableRecords, arbitraryProducer, async (records, producer) => {
        assert.deepEqual(
          await writtenByKafkajs(records, producer, codec),
          expected(records, producer, codec),
        );
      }),
      runs,
    );
  });
}

test('kafkajs writes several headers of one name', async () => {
  const headers = [
    { key: 'name', value: Buffer.from('one') },
    { key: 'name', value: Buffer.from('two') },
  ];
  const records = [{ timestamp: 1_700_000_000_000n, key: null, value: null, headers }];
  const noProducer = { producerId: -1n, producerEpoch: 0, baseSequence: 0, isTransactional: false };
  assert.deepEqual(
    await writtenByKafkajs(records, noProducer, 'none'),
    expected(records, noProducer, 'none'),
  );
});

for (const [name, compression] of Object.entries(compressions)) {
  test(`kafkajs reads our batches: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryBatch(compression.codec), { minLength: 1, maxLength: 3 }),
        async (batches) => {
          const records = Buffer.concat(batches.map((batch) => writeBatch(batch, compression)));
          assert.deepEqual(readBatches(records), batches);
          assert.deepEqual(await readByKafkajs(records), batches.flatMap(messagesOf));
        },
      ),
      runs,
    );
  });
}

test('kafkajs reads our transaction markers', async () => {
  const marker = endMarker('commit');
  const messages = await readByKafkajs(marker);
  assert.deepEqual(messages, readBatches(marker).flatMap(messagesOf));
  assert.equal(messages[0]?.isControlRecord, true);
});

async function writtenByKafkajs(
  records: Records,
  { producerId, producerEpoch, baseSequence, isTransactional }: Producer,
  codec: CompressionCodec,
): Promise<Batch> {
  const frame = await versionOf('Produce', produceVersion).encodeRequest(
    { correlationId: 1, clientId: null },
    {
      acks: -1,
      timeout: 1000,
      producerId,
      producerEpoch,
      transactionalId: isTransactional ? 'transaction' : null,
      compression: codecIds[codec],
      topicData: [
        {
          topic: 'topic',
          partitions: [
            {
              partition: 0,
              firstSequence: baseSequence,
              messages: records.map(({ timestamp, key, value, headers }) => ({
                timestamp: Number(timestamp),
                key,
                value,
                headers: headersObject(headers),
              })),
            },
          ],
        },
      ],
    },
  );
  const message = frame.subarray(4);
  const { bodyStart } = decodeRequestHeader(message);
  const { body: request } = decodeRequestBody(apis.Produce, produceVersion, message, bodyStart);
  return readProducedBatch(request.topicData[0]!.partitionData[0]!.records);
}

/** kafkajs uses the earliest timestamp as base, wherever its record is, and has no leader epoch. */
function expected(records: Records, producer: Producer, codec: CompressionCodec): Batch {
  const baseTimestamp = earliestOf(records);
  return writtenBatch(records, producer, codec, { partitionLeaderEpoch: 0, baseTimestamp });
}

function earliestOf(records: Records): bigint {
  let earliest = records[0]!.timestamp;
  for (const { timestamp } of records) if (timestamp < earliest) earliest = timestamp;
  return earliest;
}

/** A record as kafkajs exposes it: with the header of its batch, but without codec and CRC. */
interface Message {
  readonly magicByte: number;
  readonly attributes: number;
  readonly timestamp: string;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>;
  readonly isControlRecord: boolean;
  readonly batchContext: object;
}

type HeaderValue = Buffer | null;

async function readByKafkajs(records: Buffer): Promise<readonly Message[]> {
  const frame = Buffer.concat(
    encodeResponse(apis.Fetch, fetchVersion, 1, {
      throttleTimeMs: 0,
      responses: [
        {
          topic: 'topic',
          partitions: [
            { partitionIndex: 0, errorCode: 0, highWatermark: 0n, abortedTransactions: null, records },
          ],
        },
      ],
    }),
  );
  const response = (await versionOf('Fetch', fetchVersion).decodeResponse(frame.subarray(8))) as {
    readonly responses: readonly {
      readonly partitions: readonly { readonly messages: readonly Message[] }[];
    }[];
  };
  return response.responses[0]!.partitions[0]!.messages;
}

function messagesOf(batch: Batch): Message[] {
  const batchContext = {
    firstOffset: String(batch.baseOffset),
    firstTimestamp: String(batch.baseTimestamp),
    partitionLeaderEpoch: batch.partitionLeaderEpoch,
    inTransaction: batch.isTransactional,
    isControlBatch: batch.isControl,
    lastOffsetDelta: batch.lastOffsetDelta,
    producerId: String(batch.producerId),
    producerEpoch: batch.producerEpoch,
    firstSequence: batch.baseSequence,
    maxTimestamp: String(batch.maxTimestamp),
    timestampType: batch.timestampType === 'logAppendTime' ? 1 : 0,
    magicByte: 2,
  };
  return batch.records.map(({ offset, timestamp, key, value, headers }) => ({
    magicByte: 2,
    attributes: 0,
    timestamp: String(timestamp),
    offset: String(offset),
    key,
    value,
    headers: headersObject(headers),
    isControlRecord: batch.isControl,
    batchContext,
  }));
}

/** Returns headers in the form of kafkajs: the values of a repeated name are a list. */
function headersObject(headers: readonly Header[]): Message['headers'] {
  const grouped = Map.groupBy(headers, ({ key }) => key);
  return Object.fromEntries(
    [...grouped].map(([key, same]) => [
      key,
      same.length === 1 ? same[0]!.value : same.map(({ value }) => value),
    ]),
  );
}

function versionOf(name: string, version: number) {
  const found = kafkajsVersions.find((candidate) => candidate.name === name && candidate.version === version);
  assert.ok(found, `kafkajs has no ${name} v${version}`);
  return found;
}
