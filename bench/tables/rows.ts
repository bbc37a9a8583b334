import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTopic, KafkaCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { median } from '../side-by-side.ts';
import type { ProfilePart } from './cpu-profile.ts';
import { idleTopic, type Measured, type Measurement } from './measure.ts';

export interface TableScale {
  readonly runs: number;
  readonly mebibytes: number;
  readonly lagSeconds: number;
  readonly commitIntervalMs: number;
  readonly idleTables: number;
  readonly idleMs: number;
}

/** A bar and what was measured; runs are in the order in which they were made. */
export interface TableRow {
  readonly name: 'throughput' | 'lag' | 'memory' | 'idle';
  readonly what: string;
  readonly unit: string;
  readonly bar: { readonly atLeast: number } | { readonly atMost: number };
  readonly weir: readonly number[];
}

export interface TableRows {
  readonly rows: readonly TableRow[];
  /** What the CPU time of the first row goes to. */
  readonly parts: readonly ProfilePart[];
}

async function measure(wanted: Measurement): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    // As agents start the process of tables.
    '--max-old-space-size=384',
    join(import.meta.dirname, 'measure.ts'),
    JSON.stringify(wanted),
  ]);
  return JSON.parse(stdout) as Measured;
}

/** `startBroker` starts a cluster in other processes and returns its address. */
export async function tableRows(scale: TableScale, startBroker: () => Promise<string>): Promise<TableRows> {
  const { runs, mebibytes, lagSeconds, commitIntervalMs, idleTables, idleMs } = scale;
  const written: Measured[] = [];
  for (let run = 0; run < runs; run++)
    written.push(await measure({ row: 'throughput', mebibytes, isProfiled: false }));
  // Apart from the others, because it costs time of its own.
  const { parts = [] } = await measure({ row: 'throughput', mebibytes, isProfiled: true });
  const lags: Measured[] = [];
  for (let run = 0; run < runs; run++)
    lags.push(await measure({ row: 'lag', seconds: lagSeconds, commitIntervalMs }));
  const broker = await startBroker();
  await createTopics(broker, idleTables);
  const idle = await measure({ row: 'idle', broker, tables: idleTables, ms: idleMs });
  const rows: TableRow[] = [
    {
      name: 'throughput',
      what: 'JSON with 10 columns to a table, for each second of CPU time',
      unit: 'MiB',
      bar: { atLeast: 40 },
      weir: written.map(({ mebibytesPerSecond }) => mebibytesPerSecond!),
    },
    {
      name: 'lag',
      what: `records at 5 MiB/s until their commit, p99, with a commit interval of ${commitIntervalMs / 1000} s`,
      unit: 's',
      bar: { atMost: commitIntervalMs / 1000 + 5 },
      weir: lags.map((one) => one.lagSeconds!),
    },
    {
      name: 'memory',
      what: 'resident memory of the process at its peak, in the first row',
      unit: 'MiB',
      bar: { atMost: 1024 },
      weir: written.map(({ residentMebibytes }) => residentMebibytes),
    },
    {
      name: 'idle',
      what: `${idleTables.toLocaleString('en-US')} idle tables of as many topics of one cluster`,
      unit: '% of a core',
      bar: { atMost: 2 },
      weir: [idle.idlePercent!],
    },
  ];
  return { rows, parts };
}

async function createTopics(broker: string, count: number): Promise<void> {
  const [host = '', port] = broker.split(':');
  const cluster = new KafkaCluster({
    bootstrap: [{ host, port: Number(port) }],
    clientId: 'bench',
    timeoutMs: 30_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  try {
    for (let at = 0; at < count; at++)
      await createTopic(cluster, { name: idleTopic(at), partitions: 1, configs: [] });
  } finally {
    await cluster.close();
  }
}

export function isMet({ bar, weir }: TableRow): boolean {
  const result = median(weir);
  return 'atLeast' in bar ? result >= bar.atLeast : result <= bar.atMost;
}
