/** Measures one thing in a process of its own, so that CPU time and memory are those of tables alone. */
import { MiB, silentLog, systemClock } from '@weir/core';
import { SourceClusters } from '../../packages/tables/src/source/source-clusters.ts';
import { type ProfilePart, profiled } from './cpu-profile.ts';
import { GeneratedTopic } from './generated-topic.ts';
import { WrittenTables } from './written-tables.ts';

export type Measurement =
  | { readonly row: 'throughput'; readonly mebibytes: number; readonly isProfiled: boolean }
  | { readonly row: 'lag'; readonly seconds: number; readonly commitIntervalMs: number }
  | { readonly row: 'idle'; readonly broker: string; readonly tables: number; readonly ms: number };

export interface Measured {
  /** MiB of JSON for each second of CPU time. */
  readonly mebibytesPerSecond?: number;
  readonly residentMebibytes: number;
  readonly parts?: readonly ProfilePart[];
  readonly lagSeconds?: number;
  readonly idlePercent?: number;
}

const pause = (ms: number) => new Promise<void>((resolve) => void systemClock.after(ms, resolve));
const cpuSeconds = (before?: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const residentMebibytes = () => process.resourceUsage().maxRSS / 1024;
const partitions = 6;

/** From a third of the records on, when everything is warm, until all of them are committed. */
async function throughput(mebibytes: number, isProfiled: boolean): Promise<Measured> {
  const { recordBytes } = new GeneratedTopic({ partitions: 1, recordsPerPartition: 0 });
  const recordsPerPartition = Math.ceil((mebibytes * MiB) / recordBytes / partitions);
  const topic = new GeneratedTopic({ partitions, recordsPerPartition });
  const tables = await WrittenTables.open();
  const ingestion = await tables.start(topic, { topic: 'orders', commitIntervalMs: 10_000 });
  const count = (of: 'readOffset' | 'nextOffset') =>
    ingestion.progress().partitions.reduce((sum, one) => sum + Number(one[of]), 0);
  const total = partitions * recordsPerPartition;
  const until = async (of: 'readOffset' | 'nextOffset', wanted: number) => {
    while (count(of) < wanted) await pause(20);
  };
  await until('readOffset', total / 3);
  const [first, before] = [count('readOffset'), process.cpuUsage()];
  let parts: ProfilePart[] | undefined;
  if (isProfiled) parts = await profiled(() => until('nextOffset', total));
  else await until('nextOffset', total);
  const seconds = cpuSeconds(before);
  const resident = residentMebibytes();
  await tables.end();
  return {
    mebibytesPerSecond: ((total - first) * recordBytes) / MiB / seconds,
    residentMebibytes: resident,
    ...(parts !== undefined && { parts }),
  };
}

/** How long after its production a record is in the table, at the 99th percentile, at 5 MiB/s. */
async function lag(seconds: number, commitIntervalMs: number): Promise<Measured> {
  const recordsPerSecond = Math.round((5 * MiB) / 250 / partitions);
  const topic = new GeneratedTopic({
    partitions,
    recordsPerPartition: recordsPerSecond * seconds,
    recordsPerSecond,
  });
  const lagsMs: number[] = [];
  const seen = new Map<number, number>();
  const tables = await WrittenTables.open();
  const ingestion = await tables.start(topic, { topic: 'orders', commitIntervalMs }, (progress) => {
    const nowMs = systemClock.nowMs();
    for (const { partition, nextOffset } of progress.partitions) {
      const to = Number(nextOffset);
      // One of ten records is enough.
      for (let at = seen.get(partition) ?? 0; at < to; at += 10) lagsMs.push(nowMs - topic.timestampMs(at));
      seen.set(partition, Math.max(seen.get(partition) ?? 0, to));
    }
  });
  const isDone = () =>
    ingestion.progress().partitions.length === partitions &&
    ingestion.progress().partitions.every(({ nextOffset }) => nextOffset >= topic.endOffset);
  while (!isDone()) await pause(100);
  const resident = residentMebibytes();
  await tables.end();
  lagsMs.sort((one, other) => one - other);
  return { lagSeconds: lagsMs[Math.floor(lagsMs.length * 0.99)]! / 1000, residentMebibytes: resident };
}

/** Tables of topics that get no records, read from a cluster in another process. */
async function idle(broker: string, count: number, ms: number): Promise<Measured> {
  const [hostname = '', port] = broker.split(':');
  const sources = new SourceClusters({
    hosts: { lookupFor: () => undefined as never },
    clock: systemClock,
    log: silentLog,
  });
  const cluster = { name: 'bench', brokers: [{ hostname, port: Number(port) }], credentials: undefined };
  const tables = await WrittenTables.open();
  const ingestions = [];
  for (let at = 0; at < count; at++) {
    const topic = idleTopic(at);
    const source = sources.open(cluster, topic, () => '');
    ingestions.push(await tables.start(source, { topic, commitIntervalMs: 60_000 }));
  }
  while (ingestions.some((one) => one.progress().partitions.length === 0)) await pause(200);
  await pause(ms / 2);
  const before = process.cpuUsage();
  await pause(ms);
  const percent = (cpuSeconds(before) * 100_000) / ms;
  const resident = residentMebibytes();
  await tables.discard();
  return { idlePercent: percent, residentMebibytes: resident };
}

export const idleTopic = (at: number) => `idle-${at}`;

async function measured(wanted: Measurement): Promise<Measured> {
  switch (wanted.row) {
    case 'throughput':
      return await throughput(wanted.mebibytes, wanted.isProfiled);
    case 'lag':
      return await lag(wanted.seconds, wanted.commitIntervalMs);
    case 'idle':
      return await idle(wanted.broker, wanted.tables, wanted.ms);
  }
}

if (import.meta.main) {
  const result = await measured(JSON.parse(process.argv[2]!) as Measurement);
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
}
