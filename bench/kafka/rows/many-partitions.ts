import { DatabaseSync } from 'node:sqlite';
import { type Clock, GiB, MiB, systemClock } from '@weir/core';
import { weirUnder } from '../bars.ts';
import type { BenchResult } from '../bench-result.ts';
import type { BenchRow, BenchRun } from '../bench-run.ts';
import { Lifetime } from '../lifetime.ts';
import { recordBytes } from '../load.ts';
import { openNodeLoad, writeBatches } from '../node-load.ts';
import { histogramIn, quantile, since } from '../prometheus.ts';
import { startCluster, type WeirCluster } from '../weir.ts';
import { steadyRate } from './end-to-end.ts';

/** Each topic has a thousand partitions. */
const partitionsPerTopic = 1000;
const producers = 4;
/**
 * Batches of 16 KiB to one partition after the other, as Apache's producer sends them; and single records to scattered
 * partitions.
 */
const phases = [
  { name: '10 MB/s', rate: steadyRate, recordsInBatch: 15, partitionsInRequest: 1 },
  {
    name: '2.5 MB/s of single records',
    rate: Math.round(2.5e6 / recordBytes),
    recordsInBatch: 1,
    partitionsInRequest: 100,
  },
] as const;
/** Written first at full speed, so that every partition has data and the journal is long enough for a snapshot. */
const fillRecordsPerPartition = 40;
const fillPartitionsInRequest = 500;

/** Without a snapshot after this time, the row reports a start from the journal alone. */
const snapshotMsMax = 60_000;
const snapshotPollMs = 250;

/** Time from the upload of a file until the agent has the control plane's answer to the commit. */
const commitHistogram = 'service_agent_segment_batcher_flush_put_file_duration';

/** A control plane and an agent in separate processes, with as many partitions as a large cluster has. */
export const manyPartitionsRow: BenchRow = {
  name: 'many-partitions',
  isQuick: false,
  run: (bench) => Lifetime.during((lifetime) => measure(bench, lifetime)),
};

async function measure(bench: BenchRun, lifetime: Lifetime): Promise<BenchResult[]> {
  const { sizes, print } = bench;
  const load = openNodeLoad();
  const row = `${sizes.partitions} partitions`;
  const cluster = await startCluster(lifetime, bench.weirOptions);
  const topics = Array.from(
    { length: Math.ceil(sizes.partitions / partitionsPerTopic) },
    (_, index) => `many-${index}`,
  );
  await load.createTopics(cluster.servers, topics, partitionsPerTopic);
  print(`  ${topics.length} topics exist`);

  const work = { topics, partitions: partitionsPerTopic, producers };
  const fill = await writeBatches(systemClock, cluster.servers, {
    ...work,
    records: sizes.partitions * fillRecordsPerPartition,
    recordsInBatch: 1,
    partitionsInRequest: fillPartitionsInRequest,
  });
  print(`  filled at ${Math.round(fill.records / fill.seconds)} records/s`);

  const results: BenchResult[] = [];
  for (const { name, rate, ...shape } of phases) {
    const before = histogramIn(await cluster.metrics(), commitHistogram);
    const { latency } = await writeBatches(systemClock, cluster.servers, {
      ...work,
      ...shape,
      records: (sizes.steadyWarmUpSeconds + sizes.steadySeconds) * rate,
      warmUpRecords: sizes.steadyWarmUpSeconds * rate,
      rate,
    });
    const commits = since(before, histogramIn(await cluster.metrics(), commitHistogram));
    const p99 = quantile(commits, 0.99);
    results.push(
      {
        row,
        metric: `commit p99 at ${name}, between ${ms(p99?.atLeast)} and ${ms(p99?.atMost)}`,
        unit: 'ms',
        weir: p99 === undefined ? undefined : p99.guess * 1000,
        bar: weirUnder(20, 'ms'),
      },
      { row, metric: `produce p99 at ${name}`, unit: 'ms', weir: latency.p99Ms },
    );
    print(`  ${name}: ${commits.get(Number.POSITIVE_INFINITY)} commits, p99 ${ms(p99?.atMost)} ms or less`);
  }

  const controlPlaneMib = mib(cluster.controlPlane.results?.peakBytes);
  const agentMib = mib(cluster.agent.results?.peakBytes);
  const restart = await restartFromSnapshot(cluster);
  const { snapshotBytes, journalBytes, entriesBehind } = restart;
  print(`  snapshot ${snapshotBytes} bytes, journal ${journalBytes} bytes, ${entriesBehind} entries to read`);
  await cluster.stop();
  return [
    ...results,
    { row, metric: 'fill, records of 1 KiB', unit: '/s', weir: Math.round(fill.records / fill.seconds) },
    {
      row,
      metric:
        restart.snapshotBytes === 0
          ? 'start of the control plane, from the journal alone'
          : `start of the control plane, from a snapshot and ${restart.entriesBehind} entries`,
      unit: 's',
      weir: restart.leadsMs / 1000,
      ...(restart.snapshotBytes === 0 ? {} : { bar: weirUnder(10, 's') }),
    },
    {
      row,
      metric: 'control plane, peak memory',
      unit: 'MiB',
      weir: controlPlaneMib,
      bar: weirUnder((1.5 * GiB) / MiB, 'MiB'),
    },
    {
      row,
      metric: 'control plane, peak memory after its restart',
      unit: 'MiB',
      weir: restart.peakMib,
      bar: weirUnder((1.5 * GiB) / MiB, 'MiB'),
    },
    { row, metric: 'agent, peak memory', unit: 'MiB', weir: agentMib, bar: weirUnder(512, 'MiB') },
  ];
}

interface Stored {
  /** 0 when there is no snapshot. */
  readonly snapshotBytes: number;
  readonly journalBytes: number;
  /** Journal entries after the snapshot. */
  readonly entriesBehind: number;
}

interface Restart extends Stored {
  /** From the start of the process until it is leader. */
  readonly leadsMs: number;
  readonly peakMib: number | undefined;
}

/**
 * Starts a standby, because a standby saves a snapshot sooner than a busy leader; then stops both processes and starts
 * one again.
 */
async function restartFromSnapshot(cluster: WeirCluster, clock: Clock = systemClock): Promise<Restart> {
  const standby = await cluster.startStandby();
  const endMs = clock.monotonicMs() + snapshotMsMax;
  while (journalIn(cluster.database).snapshotBytes === 0 && clock.monotonicMs() < endMs) {
    await new Promise<void>((resolve) => clock.after(snapshotPollMs, resolve));
  }
  await standby.stop();
  await cluster.stopControlPlane();
  const found = journalIn(cluster.database);
  const startMs = clock.monotonicMs();
  const { results } = await cluster.startControlPlane();
  return { ...found, leadsMs: clock.monotonicMs() - startMs, peakMib: mib(results?.peakBytes) };
}

/** Reads the sizes of snapshot and journal that a starting process has to read. */
function journalIn(path: string): Stored {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const snapshot = database
      .prepare(
        'SELECT position, bytes FROM journal_snapshots WHERE bytes IS NOT NULL ORDER BY position DESC LIMIT 1',
      )
      .get() as { position: number; bytes: number } | undefined;
    const { next } = database.prepare('SELECT max(next_position) AS next FROM journal_heads').get() as {
      next: number;
    };
    const { bytes } = database.prepare('SELECT sum(length(packed)) AS bytes FROM journal_chunks').get() as {
      bytes: number | null;
    };
    return {
      snapshotBytes: snapshot?.bytes ?? 0,
      journalBytes: bytes ?? 0,
      entriesBehind: next - (snapshot?.position ?? 0),
    };
  } finally {
    database.close();
  }
}

function mib(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / MiB;
}

function ms(seconds: number | undefined): string {
  return seconds === undefined ? '?' : `${seconds * 1000}`;
}
