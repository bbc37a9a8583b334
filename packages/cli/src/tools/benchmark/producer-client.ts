import { type ProduceOptions, produceRecords, type RecordToProduce, RememberedTopic } from '@weir/client';
import { MiB, type Random } from '@weir/core';
import type { Allowance, Pace } from './pace.ts';
import { type BenchmarkClient, mayPass } from './run-benchmark.ts';

export const produceLatency = 'produce';

interface ProducerLoad extends ProduceOptions {
  readonly topicName: string;
  readonly recordBytes: number;
  readonly pool: Buffer;
  readonly batchBytesMax: number;
  readonly pace: Pace;
  /** Shared by all clients. */
  readonly allowance: Allowance;
}

/** As many as Kafka's own producer has in flight per broker. */
const inFlightMax = 5;
/** How long records gather before they are sent, unless they fill a batch earlier. */
const lingerMs = 10;
/** Upper bound of a record's overhead in the log: lengths, deltas, no key and no headers. */
const recordOverheadBytes = 24;

/**
 * Produces at a given rate. Every request carries one batch for one partition, round robin over the partitions, as
 * Kafka's own producer does for records without a key. The latency of a record is that of its request.
 */
export async function produceAtPace(
  { index, cluster, meter }: BenchmarkClient,
  load: ProducerLoad,
): Promise<void> {
  const { topicName, recordBytes, pace, allowance, acks, codec } = load;
  const { clock, stop } = cluster;
  const topic = new RememberedTopic(cluster, topicName, { mayCreate: true });
  const { partitions } = (await cluster.retrying(() => topic.find())).topic;
  const recordsMax = Math.max(1, Math.floor(load.batchBytesMax / (recordBytes + recordOverheadBytes)));
  const nextRecord = recordsOf(load.pool, recordBytes);
  const inFlight = new Set<Promise<void>>();
  let turn = index;
  let fatal: unknown;

  async function send(count: number, partition: number): Promise<void> {
    const records = Array.from({ length: count }, nextRecord);
    const sentAtMs = clock.monotonicMs();
    const { failures } = await produceRecords(cluster, topic, new Map([[partition, records]]), {
      acks,
      codec,
    });
    const [failure] = failures.values();
    if (failure === undefined) {
      meter.count(count, count * recordBytes);
      meter.observe(produceLatency, clock.monotonicMs() - sentAtMs, count);
    } else if (!stop.aborted) {
      if (!mayPass(failure)) throw failure;
      meter.fail(failure.message);
    }
  }

  while (!stop.aborted && fatal === undefined) {
    if (inFlight.size >= inFlightMax) {
      await Promise.race(inFlight);
      continue;
    }
    const count = allowance.take(pace.take(recordsMax));
    if (count === 0 && allowance.isUsedUp) break;
    if (count > 0) {
      const partition = partitions[turn++ % partitions.length]!.partitionIndex;
      const sending: Promise<void> = send(count, partition)
        .catch((error: unknown) => {
          fatal ??= error;
        })
        .finally(() => inFlight.delete(sending));
      inFlight.add(sending);
    }
    if (count < recordsMax) await cluster.pause(lingerMs);
  }
  await Promise.all(inFlight);
  if (fatal !== undefined) throw fatal;
}

/** More than the window of Kafka's codecs, so that repetitions cannot be compressed. */
const chanceBytes = 4 * MiB;

/** Incompressible bytes, enough for records of this size. All clients share them. */
export function randomPool(recordBytes: number, random: Random): Buffer {
  const words = new Uint32Array((chanceBytes + recordBytes) / 4 + 1);
  // Xorshift: a call for each of a million words would take longer than the rest of the start.
  let word = random.below(2 ** 32 - 1) + 1;
  for (let at = 0; at < words.length; at++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    words[at] = word;
  }
  return Buffer.from(words.buffer);
}

/** Returns a source of records of this size, each the next window of the pool. */
function recordsOf(pool: Buffer, recordBytes: number): () => RecordToProduce {
  let start = 0;
  return () => {
    const value = pool.subarray(start, start + recordBytes);
    start = (start + recordBytes) % chanceBytes;
    return { key: null, value };
  };
}
