import { createTopic, Producer } from '@weir/client';
import { systemClock } from '@weir/core';
import { atMost, type Benchmark } from './benchmark.ts';
import { pause, type TwoClusters, withTwoClusters } from './migration/two-clusters.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly topics: number;
  readonly rounds: number;
  /** How long producers write before and after a cut-over. */
  readonly steadyMs: number;
}

const full: Scale = { topics: 100, rounds: 3, steadyMs: 5_000 };
/** Smoke test. */
const tiny: Scale = { topics: 3, rounds: 1, steadyMs: 200 };

/** Topics of one producer, as an application has several. */
const topicsPerProducer = 10;
const recordEveryMs = 50;
const recordBytes = 1024;

/**
 * How long producers wait for a cut-over: for each of 100 topics that go together, the longest time from one record
 * that was stored to the next one. Idempotent producers write 20 records a second to each topic, first through the
 * agents to the source, and then to the agents.
 */
export const migrationCutOver: Benchmark = {
  name: 'migration-cut-over',
  startsServers: true,
  isLong: true,
  run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    return withTwoClusters(async (clusters) => {
      const pausesMs: number[] = [];
      const rounds: string[] = [];
      for (let round = 0; round < scale.rounds; round++) {
        const measured = await cutOver(clusters, round, scale);
        pausesMs.push(...measured);
        rounds.push(`${seconds(percentile(measured, 50))} and ${seconds(Math.max(...measured))}`);
      }
      return [
        {
          what: `longest pause of a producer in a cut-over of ${scale.topics} topics, p99`,
          result: Math.round(percentile(pausesMs, 99)) / 1000,
          unit: 's',
          bar: atMost(2),
          detail: `p50 and longest of each round: ${rounds.join('; ')} s`,
        },
      ];
    });
  },
};

async function cutOver(clusters: TwoClusters, round: number, scale: Scale): Promise<readonly number[]> {
  const { source, destination, open, call, described, migrate } = clusters;
  const names = Array.from({ length: scale.topics }, (_, at) => `round-${round}-${at}`);
  const from = open(source);
  for (const name of names) await createTopic(from, { name, partitions: 1, configs: [] });
  if (round === 0) await migrate();
  const untilAll = async (state: string) => {
    for (;;) {
      const { topics } = await described();
      const there = topics.filter((one) => one.state === state && names.includes(one.topic));
      if (there.length === names.length) return;
      await pause(100);
    }
  };
  await untilAll('replicating');
  await call('orbit/auto_migration/start_forwarding', { topics: names });
  await untilAll('proxy');
  const writers = names.map((name) => new Writer(name));
  const producers = Array.from(
    { length: Math.ceil(names.length / topicsPerProducer) },
    () =>
      new Producer(open(destination), {
        ...{ acks: 'all', codec: 'none', isIdempotent: true, batchBytesMax: 100_000 },
        ...{ timeoutMs: 120_000, metadataMaxAgeMs: 60_000 },
      }),
  );
  const writing = writers.map((writer, at) => writer.write(producers[Math.floor(at / topicsPerProducer)]!));
  const failed = Promise.all(writing);
  failed.catch(() => undefined);
  const moved = async () => {
    while (writers.some(({ count }) => count === 0)) await pause(20);
    await pause(scale.steadyMs);
    for (const writer of writers) writer.pauseMs = 0;
    await call('orbit/auto_migration/initiate', { topics: names, timeout_seconds: 300 });
    await untilAll('migrated');
    await pause(scale.steadyMs);
  };
  // A record that is not stored ends the benchmark.
  await Promise.race([moved(), failed]);
  for (const writer of writers) writer.isStopped = true;
  await failed;
  for (const producer of producers) producer.close();
  return writers.map(({ pauseMs }) => pauseMs);
}

/** Writes to one topic, a record after the other. */
class Writer {
  count = 0;
  /** The longest time between two records that were stored. */
  pauseMs = 0;
  isStopped = false;
  readonly #topic: string;

  constructor(topic: string) {
    this.#topic = topic;
  }

  async write(producer: Producer): Promise<void> {
    for (let lastMs = systemClock.monotonicMs(); !this.isStopped; ) {
      const record = { key: null, value: Buffer.alloc(recordBytes), timestamp: BigInt(systemClock.nowMs()) };
      const [problem] = (await producer.send(this.#topic, 0, [record])).values();
      if (problem !== undefined) throw problem;
      const nowMs = systemClock.monotonicMs();
      this.pauseMs = Math.max(this.pauseMs, nowMs - lastMs);
      lastMs = nowMs;
      this.count++;
      await pause(recordEveryMs);
    }
  }
}

/** The nearest rank. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1]!;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}
