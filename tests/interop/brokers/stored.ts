import { setMaxListeners } from 'node:events';
import { MiB, systemClock } from '@weir/core';
import { apis, errorByCode } from '@weir/wire';
import { KafkaConnection } from '../../../packages/cli/src/kafka/connection.ts';
import { type Batch, type BatchedRecord, readBatches } from '../clients/batch.ts';

/**
 * What a broker holds, read over our own codec, so that batches can be seen as they are stored: their codec, their producer, their
 * offsets. Every broker serves every partition, so that one connection is enough.
 */
const timeoutMs = 60_000;
const pollMs = 50;
/** Topics have names up to this version of Fetch, and ids from then on. */
const lastVersionWithNames = 12;

const neverStopped = new AbortController().signal;
setMaxListeners(0, neverStopped);

export function connect(broker: string, clientId = 'judge'): Promise<KafkaConnection> {
  const [host, port] = broker.split(':');
  return KafkaConnection.open({
    address: { host: host!, port: Number(port) },
    clock: systemClock,
    clientId,
    stop: neverStopped,
    timeoutMs,
  });
}

/** Batches by partition. */
type StoredTopic = readonly (readonly Batch[])[];

/** Reads a topic from its start to its end, again until it holds that many records: another broker may have heard of them first. */
export async function storedTopic(broker: string, topic: string, recordsMin = 0): Promise<StoredTopic> {
  const connection = await connect(broker);
  try {
    const partitions: Batch[][] = [];
    while (true) {
      const count = await partitionCount(connection, topic);
      while (partitions.length < count) partitions.push([]);
      await readOn(connection, topic, partitions);
      if (recordCount(partitions) >= recordsMin) return partitions;
      await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
    }
  } finally {
    connection.close();
  }
}

async function partitionCount(connection: KafkaConnection, topic: string): Promise<number> {
  const { topics } = await connection.request(
    apis.Metadata,
    { topics: [{ name: topic }], allowAutoTopicCreation: false },
    { timeoutMs, highestUseful: 11 },
  );
  const { errorCode, partitions } = topics[0]!;
  if (errorCode !== 0) throw new Error(`Metadata of ${topic}: ${errorByCode(errorCode)?.name}`);
  return partitions.length;
}

/** Adds what comes after the batches that are known, up to the end that each partition has when it is reached. */
async function readOn(connection: KafkaConnection, topic: string, known: Batch[][]): Promise<void> {
  const behind = new Set(known.keys());
  while (behind.size > 0) {
    const { responses } = await connection.request(
      apis.Fetch,
      {
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: 16 * MiB,
        topics: [
          {
            topic,
            partitions: Array.from(behind, (partition) => ({
              partition,
              fetchOffset: endOf(known[partition]!),
              partitionMaxBytes: MiB,
            })),
          },
        ],
      },
      { timeoutMs, highestUseful: lastVersionWithNames },
    );
    for (const { partitionIndex, errorCode, highWatermark, records } of responses[0]?.partitions ?? []) {
      if (errorCode !== 0)
        throw new Error(`Fetch of ${topic} ${partitionIndex}: ${errorByCode(errorCode)?.name}`);
      const batches = known[partitionIndex]!;
      // The bytes are a view of a frame that is about to be let go.
      batches.push(...readBatches(Buffer.concat(records?.length ? [records as Buffer] : [])));
      if (endOf(batches) >= highWatermark) behind.delete(partitionIndex);
    }
  }
}

function endOf(batches: readonly Batch[]): bigint {
  const last = batches.at(-1);
  return last === undefined ? 0n : last.baseOffset + BigInt(last.lastOffsetDelta) + 1n;
}

function recordCount(topic: StoredTopic): number {
  return topic.flat().reduce((sum, { records }) => sum + records.length, 0);
}

export function recordsOf(batches: readonly Batch[]): readonly BatchedRecord[] {
  return batches.flatMap(({ records }) => records);
}

export function valuesOf(batches: readonly Batch[]): readonly string[] {
  return recordsOf(batches).map(({ value }) => String(value));
}
