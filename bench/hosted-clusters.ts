import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MiB } from '@weir/core';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import type { HostedClusters, HostedResults } from './hosted-clusters-process.ts';
import { Lifetime } from './kafka/lifetime.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly clusters: number;
  /** About a tenth of the clusters, to compute the cost of one more. */
  readonly fewClusters: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

const full: Scale = { clusters: 1_000, fewClusters: 100, warmUpMs: 5_000, durationMs: 30_000 };
/** Smoke test. */
const tiny: Scale = { clusters: 5, fewClusters: 5, warmUpMs: 100, durationMs: 200 };

const agentsPerCluster = 10;
const processFile = fileURLToPath(new URL('./hosted-clusters-process.ts', import.meta.url));

/**
 * Many idle clusters in one control-plane process over SQLite, with agent heartbeats as the only calls: the resources
 * of their leader, and of a second process that is standby for all of them.
 */
export const hostedClusters: Benchmark = {
  name: 'hosted-clusters',
  startsServers: true,
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    const few = await measured(scale.fewClusters, scale);
    const many = scale.clusters === scale.fewClusters ? few : await measured(scale.clusters, scale);
    return rows(scale, few, many);
  },
};

interface Measured {
  readonly leader: HostedResults;
  readonly standby: HostedResults;
}

function rows({ clusters, fewClusters }: Scale, few: Measured, many: Measured): Row[] {
  const size = `${clusters} clusters, ${clusters * agentsPerCluster} agents`;
  return [
    {
      what: `${size}: from the start until all are led`,
      result: round(many.leader.readyMs / 1000),
      unit: 's',
      detail: `${fewClusters} clusters: ${round(few.leader.readyMs / 1000)} s`,
    },
    {
      what: `${size}: CPU of the leader`,
      result: percent(many.leader.cpuShare),
      unit: '% of a core',
      bar: atMost(10),
      detail: `${fewClusters} clusters: ${percent(few.leader.cpuShare)} %; ${many.leader.heartbeats} heartbeats`,
    },
    {
      what: `${size}: memory of the leader`,
      result: mebibytes(many.leader.rssBytes),
      unit: 'MiB',
      bar: atMost(600),
      detail: `${memoryOf(many.leader)}; ${fewClusters} clusters: ${mebibytes(few.leader.rssBytes)} MiB, ${memoryOf(few.leader)}`,
    },
    {
      what: `${size}: CPU of a standby of all`,
      result: percent(many.standby.cpuShare),
      unit: '% of a core',
      detail: `${fewClusters} clusters: ${percent(few.standby.cpuShare)} %`,
    },
    {
      what: `${size}: memory of a standby of all`,
      result: mebibytes(many.standby.rssBytes),
      unit: 'MiB',
      detail: memoryOf(many.standby),
    },
  ];
}

/** Measures the leader alone, as most installations run, and then a standby beside it. */
function measured(clusters: number, { warmUpMs, durationMs }: Scale): Promise<Measured> {
  return Lifetime.during(async (lifetime) => {
    const order = { folder: lifetime.folder(), clusters, agentsPerCluster, warmUpMs, durationMs };
    const leader = await hosted({ ...order, role: 'leader' }, lifetime);
    const standby = await hosted({ ...order, role: 'standby' }, lifetime);
    return { leader, standby };
  });
}

/** Starts the process and returns its results; it runs until the end of the lifetime. */
async function hosted(order: HostedClusters, lifetime: Lifetime): Promise<HostedResults> {
  const child = spawn(process.execPath, [processFile, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  lifetime.owns(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const results = JSON.parse(line) as HostedResults;
    if (results.changedRoles > 0) throw new Error(`${results.changedRoles} nodes did not stay ${order.role}`);
    return results;
  }
  throw new Error(`the ${order.role} of ${order.clusters} clusters ended without results`);
}

function memoryOf({ heapUsedBytes, externalBytes }: HostedResults): string {
  return `heap ${mebibytes(heapUsedBytes)} MiB, external ${mebibytes(externalBytes)} MiB`;
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MiB);
}

function percent(share: number): number {
  return round(100 * share);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
