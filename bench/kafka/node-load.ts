import { randomBytes } from 'node:crypto';
import { type Clock, MiB, systemClock } from '@weir/core';
import { apis, batchRecords, buildRecordBatch, errorByCode, recordBatches } from '@weir/wire';
import type { KafkaConnection } from '../../packages/client/src/connection.ts';
import { connect } from '../../tests/interop/brokers/stored.ts';
import { createTopic } from '../../tests/interop/brokers/topics.ts';
import type { ClientSettings, EndToEndWork, FetchWork, Latency, Load, ProduceWork } from './load.ts';
import { recordBytes } from './load.ts';

/** The last versions that identify topics by name. */
const lastProduceVersionWithNames = 12;
const lastFetchVersionWithNames = 12;
const timeoutMs = 120_000;
/** Limit of Apache's producer per connection. */
const inFlightMax = 5;
/** Apache's default of `batch.size`. */
const defaultBatchBytes = 16 * 1024;
/** Size of a 1 KiB record in a batch. */
const storedRecordBytes = recordBytes + 16;

/**
 * The load generator without Java: Weir's own codec, in this process. Its producers are not idempotent and do not
 * linger; they send finished batches of the requested size. Its results show how Weir changes over time, and not how it
 * compares to Kafka.
 */
export function openNodeLoad(clock: Clock = systemClock): Load {
  return {
    async createTopics(servers, topics, partitions) {
      for (const topic of topics) await createTopic(servers, topic, partitions);
    },
    produce: (servers, work) => produce(clock, servers, work),
    fetch: (servers, work) => fetchAll(clock, servers, work),
    endToEnd: (servers, work) => endToEnd(clock, servers, work),
  };
}

/** Records have the present as their time, as those of other clients: retention deletes what is old. */
function batchOf(clock: Clock, records: number, stampMs?: number): Buffer {
  const timestamp = BigInt(clock.nowMs());
  const values = Array.from({ length: records }, () => {
    const value = randomBytes(recordBytes);
    if (stampMs !== undefined) value.writeDoubleBE(stampMs);
    return { timestamp, key: null, value };
  });
  return buildRecordBatch(values);
}

function recordsPerBatch(settings: ClientSettings): number {
  return Math.max(1, Math.floor(Number(settings['batch.size'] ?? defaultBatchBytes) / storedRecordBytes));
}

/** Writes the same batch to several partitions of a topic in one request. */
async function append(
  connection: KafkaConnection,
  name: string,
  partitions: readonly number[],
  records: Buffer,
): Promise<void> {
  const partitionData = partitions.map((index) => ({ index, records }));
  const { responses } = await connection.request(
    apis.Produce,
    { acks: -1, timeoutMs, topicData: [{ name, partitionData }] },
    { timeoutMs, highestUseful: lastProduceVersionWithNames },
  );
  for (const { errorCode, errorMessage } of responses[0]!.partitionResponses) {
    if (errorCode !== 0) throw new Error(`Produce: ${errorByCode(errorCode)?.name} ${errorMessage ?? ''}`);
  }
}

async function produce(clock: Clock, servers: string, { spread, settings, ...work }: ProduceWork) {
  const recordsInBatch = spread === 'turns' ? 1 : recordsPerBatch(settings);
  return writeBatches(clock, servers, { ...work, recordsInBatch, partitionsInRequest: 1 });
}

export interface BatchesToWrite extends Omit<ProduceWork, 'settings' | 'spread'> {
  readonly recordsInBatch: number;
  /** Neighbouring partitions per request; a divisor of the partition count of the topic. */
  readonly partitionsInRequest: number;
}

/**
 * Writes finished batches to one partition after the other. Apache's producer cannot measure a cluster with very many
 * partitions, because it iterates over all of them on every send.
 */
export async function writeBatches(clock: Clock, servers: string, work: BatchesToWrite) {
  const { topics, partitions, producers, records, rate, recordsInBatch, partitionsInRequest } = work;
  const { warmUpRecords = 0 } = work;
  const perRequest = recordsInBatch * partitionsInRequest;
  const requestsPerTopic = Math.ceil(partitions / partitionsInRequest);
  const connections = await Promise.all(Array.from({ length: producers }, () => connect(servers, 'bench')));
  const batch = batchOf(clock, recordsInBatch);
  const latenciesMs: number[] = [];
  let sent = 0;
  const startMs = clock.monotonicMs();
  const slots = connections.flatMap((connection) => Array<KafkaConnection>(inFlightMax).fill(connection));
  try {
    await Promise.all(slots.map(writeUntilEnd));
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (clock.monotonicMs() - startMs) / 1000;
  return { records: sent, bytes: sent * recordBytes, seconds, latency: summary(latenciesMs) };

  async function writeUntilEnd(connection: KafkaConnection): Promise<void> {
    while (sent < records) {
      const first = sent;
      sent += perRequest;
      const dueMs = rate === undefined ? clock.monotonicMs() : startMs + (first / rate) * 1000;
      await until(clock, dueMs);
      const slot = Math.floor(first / perRequest) % (topics.length * requestsPerTopic);
      const firstPartition = (slot % requestsPerTopic) * partitionsInRequest;
      const chosen = Array.from({ length: partitionsInRequest }, (_, index) => firstPartition + index);
      await append(connection, topics[Math.floor(slot / requestsPerTopic)]!, chosen, batch);
      if (first >= warmUpRecords) latenciesMs.push(clock.monotonicMs() - dueMs);
    }
  }
}

async function fetchAll(clock: Clock, servers: string, work: FetchWork) {
  const { topic, partitions, records, repeats } = work;
  const connection = await connect(servers, 'bench');
  const startMs = clock.monotonicMs();
  let seen = 0;
  try {
    for (let repeat = 0; repeat < repeats; repeat++) {
      const offsets = Array<bigint>(partitions).fill(0n);
      for (let found = 0; found < records; ) {
        const came = await readOnce(connection, topic, offsets, () => {});
        found += came;
        seen += came;
      }
    }
  } finally {
    connection.close();
  }
  return { records: seen, bytes: seen * recordBytes, seconds: (clock.monotonicMs() - startMs) / 1000 };
}

async function endToEnd(clock: Clock, servers: string, work: EndToEndWork) {
  const { topic, partitions, records, rate, warmUpRecords, settings } = work;
  const [writer, reader] = await Promise.all([connect(servers, 'bench'), connect(servers, 'bench')]);
  const perBatch = recordsPerBatch(settings);
  const latenciesMs: number[] = [];
  const offsets = await endsOf(reader, topic, partitions);
  const startMs = clock.monotonicMs();
  const writing = write();
  try {
    for (let seen = 0; seen < records; ) {
      const reading = readOnce(reader, topic, offsets, (stampMs) => {
        if (seen++ >= warmUpRecords) latenciesMs.push(clock.monotonicMs() - stampMs);
      });
      // If a writer fails, the reader must not wait for records that never arrive.
      await Promise.race([reading, writing.then(() => reading)]);
    }
    await writing;
  } finally {
    writer.close();
    reader.close();
  }
  const seconds = (clock.monotonicMs() - startMs) / 1000;
  return { records, bytes: records * recordBytes, seconds, latency: summary(latenciesMs) };

  async function write(): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for (let sent = 0; sent < records; sent += perBatch) {
      const dueMs = startMs + (sent / rate) * 1000;
      await until(clock, dueMs);
      while (underWay.size >= inFlightMax) await Promise.race(underWay);
      const partition = Math.floor(sent / perBatch) % partitions;
      const batch = batchOf(clock, Math.min(perBatch, records - sent), dueMs);
      const done = append(writer, topic, [partition], batch);
      const counted = done.finally(() => underWay.delete(counted));
      underWay.add(counted);
    }
    await Promise.all(underWay);
  }
}

/** Returns the current end offsets, so that records of an earlier run are not read. */
async function endsOf(connection: KafkaConnection, topic: string, partitions: number): Promise<bigint[]> {
  const { topics } = await connection.request(
    apis.ListOffsets,
    {
      replicaId: -1,
      topics: [
        {
          name: topic,
          partitions: Array.from({ length: partitions }, (_, partitionIndex) => ({
            partitionIndex,
            timestamp: -1n,
          })),
        },
      ],
    },
    { timeoutMs },
  );
  const ends = Array<bigint>(partitions).fill(0n);
  for (const { partitionIndex, offset } of topics[0]!.partitions) ends[partitionIndex] = offset;
  return ends;
}

/**
 * Fetches all partitions once with the limits of Apache's consumer. Advances the offsets and returns the number of
 * records.
 */
async function readOnce(
  connection: KafkaConnection,
  topic: string,
  offsets: bigint[],
  onStamp: (stampMs: number) => void,
): Promise<number> {
  const { responses } = await connection.request(
    apis.Fetch,
    {
      maxWaitMs: 500,
      minBytes: 1,
      maxBytes: 50 * MiB,
      topics: [
        {
          topic,
          partitions: offsets.map((fetchOffset, partition) => ({
            partition,
            fetchOffset,
            partitionMaxBytes: MiB,
          })),
        },
      ],
    },
    { timeoutMs, highestUseful: lastFetchVersionWithNames },
  );
  let count = 0;
  for (const { partitionIndex, errorCode, records } of responses[0]?.partitions ?? []) {
    if (errorCode !== 0) throw new Error(`Fetch: ${errorByCode(errorCode)?.name}`);
    for (const batch of recordBatches(records ?? Buffer.alloc(0), { partialTail: 'ignore' })) {
      if (!batch.hasValidCrc()) throw new Error(`the batch at ${batch.baseOffset} is damaged`);
      for (const record of batchRecords(batch)) {
        if (record.offset !== offsets[partitionIndex]) continue;
        offsets[partitionIndex] = record.offset + 1n;
        count++;
        onStamp(Buffer.from(record.value!).readDoubleBE());
      }
    }
  }
  return count;
}

function until(clock: Clock, dueMs: number): Promise<void> | undefined {
  const waitMs = dueMs - clock.monotonicMs();
  if (waitMs <= 0) return undefined;
  return new Promise((resolve) => clock.after(waitMs, resolve));
}

function summary(latenciesMs: number[]): Latency {
  const sorted = latenciesMs.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return {
    count: sorted.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: sorted.at(-1) ?? 0,
  };
}
