import { MiB } from '@weir/core';
import { atLeast, atMost, type Benchmark, ms, type Row, Skipped } from './benchmark.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { statsOf } from './kafka/process-stats.ts';
import type { RegistryLoad } from './registry/load.ts';
import type { ProbeLine } from './registry/probe.ts';
import type { RegistrySize } from './registry/schemas.ts';
import {
  fill,
  firstRequest,
  type MeasuredLoad,
  measureLoad,
  type RegistryStage,
  settled,
  startRegistryCluster,
  startRegistryPlayground,
} from './registry/stage.ts';
import type { Effort } from './side-by-side.ts';

interface Scale extends RegistrySize {
  readonly connections: number;
  readonly lookupsPerSecond: number;
  readonly registrationsPerSecond: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Until freed memory has been returned to the system. */
  readonly settleMs: number;
}

const full: Scale = {
  subjects: 20_000,
  versions: 5,
  connections: 16,
  lookupsPerSecond: 3_000,
  registrationsPerSecond: 50,
  warmUpMs: 3_000,
  durationMs: 10_000,
  settleMs: 15_000,
};
/** Smoke test. */
const tiny: Scale = {
  subjects: 20,
  versions: 2,
  connections: 2,
  lookupsPerSecond: 100,
  registrationsPerSecond: 50,
  warmUpMs: 20,
  durationMs: 100,
  settleMs: 0,
};

/**
 * A large schema registry: memory of the processes that have it, how long they need to load it, lookups over HTTP and
 * registrations over SQLite. Servers are processes of their own.
 */
export const registry: Benchmark = {
  name: 'registry',
  startsServers: true,
  async run(effort: Effort, print: (text: string) => void = () => {}) {
    if (statsOf(process.pid) === undefined) throw new Skipped('it measures processes in /proc');
    const isFull = effort.turns > 1;
    const scale = isFull ? full : tiny;
    // The smoke test starts one process alone.
    const first = isFull ? startRegistryCluster : startRegistryPlayground;
    const say = isFull ? print : () => {};
    const rows = await Lifetime.during(async (lifetime) => {
      const { stage, rows: sizes } = await filled(await first(lifetime), scale, say);
      say('lookups and registrations …');
      return [...sizes, ...(await lookups(stage, scale)), ...(await registrations(stage, scale))];
    });
    if (!isFull) return rows;
    const both = await Lifetime.during(async (lifetime) =>
      filled(await startRegistryPlayground(lifetime), scale, say),
    );
    return [...rows, ...both.rows];
  },
};

/**
 * Fills the registry, starts everything again and waits for the first answer, for which the registry is loaded. Memory
 * is compared with that of the same processes with an empty registry, after a first request as well.
 */
async function filled(
  empty: RegistryStage,
  scale: Scale,
  say: (text: string) => void,
): Promise<{ readonly stage: RegistryStage; readonly rows: Row[] }> {
  const isAlone = empty.controlPlane === empty.server;
  /** Of the server, and of the control plane if that is another process. They wait at the same time. */
  const memoryOf = ({ server, controlPlane }: RegistryStage) =>
    Promise.all((isAlone ? [server] : [server, controlPlane]).map((one) => settled(one, scale.settleMs)));
  say(`${empty.name}: memory without schemas …`);
  const emptyMs = empty.server.startMs + (await firstRequest(empty));
  const [before, controlPlaneBefore] = (await memoryOf(empty)) as [ProbeLine, ProbeLine?];
  const schemas = `${scale.subjects * scale.versions} schemas of 1 KiB`;
  say(`${empty.name}: ${schemas} …`);
  await fill(empty, scale);
  const stage = await empty.restart();
  const firstMs = await firstRequest(stage);
  const [after, controlPlaneAfter] = (await memoryOf(stage)) as [ProbeLine, ProbeLine?];
  const rows: Row[] = [
    memoryRow(`${schemas}: memory that they add to ${stage.name}`, before, after),
    {
      what: `${schemas}: from the start of ${stage.name} to its first answer`,
      result: round((stage.server.startMs + firstMs) / 1000),
      unit: 's',
      bar: atMost(10),
      detail: `${ms(firstMs)} of it for the request; busy for at most ${ms(after.longestBlockMs)} at a time; with no schemas ${ms(emptyMs)} and ${ms(before.longestBlockMs)}`,
    },
  ];
  if (controlPlaneBefore !== undefined && controlPlaneAfter !== undefined) {
    const what = `${schemas}: memory that they add to the control plane`;
    rows.push(memoryRow(what, controlPlaneBefore, controlPlaneAfter));
  }
  return { stage, rows };
}

function memoryRow(what: string, before: ProbeLine, after: ProbeLine): Row {
  const heap = mebibytes(after.heapBytes - before.heapBytes);
  const external = mebibytes(after.externalBytes - before.externalBytes);
  return {
    what,
    result: mebibytes(after.rssBytes - before.rssBytes),
    unit: 'MiB',
    bar: atMost(300),
    detail: `of it heap ${heap} and buffers ${external}; the process has ${mebibytes(after.rssBytes)}`,
  };
}

async function lookups(stage: RegistryStage, scale: Scale): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [kind, what] of [
    ['byId', 'GET /schemas/ids/{id}'],
    ['lookUp', 'POST /subjects/{subject}'],
  ] as const) {
    const load = loadOf(scale, kind, scale.lookupsPerSecond);
    await measureLoad(stage, { ...load, durationMs: scale.warmUpMs });
    const measured = await measureLoad(stage, load);
    const { latenciesMs, serverCpuSeconds, tookMs } = measured;
    const share = serverCpuSeconds / (tookMs / 1000);
    rows.push({
      what: `${what}, per second of a core`,
      result: Math.round(latenciesMs.length / Math.max(serverCpuSeconds, 0.001)),
      unit: '/s',
      bar: atLeast(3_000),
      detail: `${Math.round((latenciesMs.length * 1000) / tookMs)}/s took ${Math.round(100 * share)} % of a core`,
    });
    rows.push(
      latencyRow(`${what} at ${scale.lookupsPerSecond}/s, ${scale.connections} connections`, measured, 5),
    );
  }
  return rows;
}

async function registrations(stage: RegistryStage, scale: Scale): Promise<Row[]> {
  const load = loadOf(scale, 'register', scale.registrationsPerSecond);
  await measureLoad(stage, { ...load, durationMs: scale.warmUpMs });
  const measured = await measureLoad(stage, { ...load, newVersion: scale.versions + 2 });
  return [latencyRow(`registration over SQLite at ${scale.registrationsPerSecond}/s`, measured, 30)];
}

function loadOf(scale: Scale, kind: RegistryLoad['kind'], ratePerSecond: number): Omit<RegistryLoad, 'port'> {
  const { connections, durationMs, subjects, versions } = scale;
  const size = { subjects, versions };
  return { size, kind, connections, ratePerSecond, durationMs, newVersion: versions + 1 };
}

function latencyRow(what: string, { latenciesMs }: MeasuredLoad, barMs: number): Row {
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return {
    what: `${what}, p99`,
    result: round(quantile(0.99)),
    unit: 'ms',
    bar: atMost(barMs),
    detail: `p50 ${ms(quantile(0.5))}, the longest of ${sorted.length} ${ms(quantile(1))}`,
  };
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MiB);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
