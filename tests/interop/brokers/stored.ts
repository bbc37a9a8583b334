import { setMaxListeners } from 'node:events';
import { MiB, systemClock } from '@weir/core';
import { apis, errorByCode } from '@weir/wire';
import { KafkaConnection } from '../../../packages/client/src/connection.ts';
import { type Batch, type BatchedRecord, readBatches } from '../clients/batch.ts';

/**
 * Reads what a broker stores with Weir's own codec, to see batches as they are stored: codec, producer and offsets.
 * Every broker serves every partition, so one connection is enough.
 */
const timeoutMs = 60_000;
const pollMs = 50;
/** The last Fetch version with topic names; later versions have ids. */
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

/**
 * Reads a topic from start to end, and repeats until it has this many records, because this broker may learn of them
 * later than another.
 */
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

/** Appends the batches after the known ones, up to the current end of each partition. */
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
      // Copied, because the bytes are a view of a frame that is about to be released.
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
