import { MiB, systemClock } from '@weir/core';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark, type Row, Skipped } from './benchmark.ts';
import { recordBytes } from './kafka/load.ts';
import { writeBatches } from './kafka/node-load.ts';
import { statsOf } from './kafka/process-stats.ts';
import { pause, type TwoClusters, withTwoClusters } from './migration/two-clusters.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly partitions: number;
  readonly bytesPerTopic: number;
  readonly rounds: number;
}

const full: Scale = { partitions: 8, bytesPerTopic: 768 * MiB, rounds: 3 };
/** Smoke test. */
const tiny: Scale = { partitions: 2, bytesPerTopic: 4 * MiB, rounds: 1 };

/** About the default of Apache's producers, and that of those that are tuned for throughput. */
const batches = [
  { name: '16 KiB', recordsInBatch: 15 },
  { name: '256 KiB', recordsInBatch: 250 },
] as const;

/** One copy of a topic, from its first byte to its last. */
interface Copy {
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

/**
 * What a migration takes to copy a topic of 1 KiB records. The destination is one process with agent and control
 * plane, so that its CPU time is that of the whole copy: fetching, checking, storing and committing.
 */
export const migrationCopy: Benchmark = {
  name: 'migration-copy',
  startsServers: true,
  isLong: true,
  async run(effort: Effort) {
    if (statsOf(process.pid) === undefined) throw new Skipped('it measures processes in /proc');
    const scale = effort.turns > 1 ? full : tiny;
    return await withTwoClusters(async (clusters) => {
      const rows: Row[] = [];
      let isMigrating = false;
      for (const { name, recordsInBatch } of batches) {
        const topic = `batches-of-${recordsInBatch}`;
        await fill(clusters.source, topic, recordsInBatch, scale);
        const copies: Copy[] = [];
        // The first round warms up the JIT.
        for (let round = 0; round <= scale.rounds; round++) {
          const copy = await measured(clusters, topic, scale, async () => {
            if (isMigrating) {
              if (round > 0) await clusters.call('orbit/delete_copy', { topic_name: topic });
            } else await clusters.migrate();
            isMigrating = true;
          });
          if (round > 0 || scale === tiny) copies.push(copy);
        }
        rows.push(row(name, copies));
      }
      return rows;
    });
  },
};

async function fill(
  broker: string,
  topic: string,
  recordsInBatch: number,
  { partitions, bytesPerTopic }: Scale,
): Promise<void> {
  await createTopic(broker, topic, partitions);
  const records = Math.ceil(bytesPerTopic / recordBytes / recordsInBatch) * recordsInBatch;
  await writeBatches(systemClock, broker, {
    ...{ topics: [topic], partitions, producers: 2, records, recordsInBatch, partitionsInRequest: 1 },
  });
}

/** Begins a copy, and takes its time from the first byte on: a topic that is new is found after some seconds. */
async function measured(
  { process, described }: TwoClusters,
  topic: string,
  { bytesPerTopic }: Scale,
  begin: () => Promise<void>,
): Promise<Copy> {
  const found = async () => (await described()).topics.find((one) => one.topic === topic);
  const reading = () => ({
    cpuSeconds: process.results!.cpuSeconds,
    seconds: systemClock.monotonicMs() / 1000,
  });
  await begin();
  let before = reading();
  for (;;) {
    const now = reading();
    const state = await found();
    const copied = (state?.copied_offsets ?? 0) * recordBytes;
    if (copied >= bytesPerTopic) {
      const after = reading();
      return {
        bytes: state!.bytes,
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        seconds: after.seconds - before.seconds,
      };
    }
    if (copied === 0) before = now;
    await pause(pollMs);
  }
}

/** Describing takes CPU time of the process that is measured. */
const pollMs = 50;

function row(name: string, copies: readonly Copy[]): Row {
  // A tick of the clock by which the system counts is the least of a short copy.
  const perCore = copies.map(({ bytes, cpuSeconds }) => bytes / 1e6 / Math.max(cpuSeconds, 0.01));
  const wall = median(copies.map(({ bytes, seconds }) => bytes / 1e6 / seconds));
  const sorted = perCore.toSorted((a, b) => a - b).map(Math.round);
  return {
    what: `copy of a migration, 1 KiB records in batches of ${name}: bytes for each CPU second of the destination`,
    result: Math.round(median(perCore)),
    unit: 'MB/s',
    bar: atLeast(150),
    detail: `${sorted[0]} to ${sorted.at(-1)}; ${Math.round(wall)} MB a second, ${Math.round(copies[0]!.bytes / MiB)} MiB each`,
  };
}
