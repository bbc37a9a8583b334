import { GiB } from '@weir/core';
import { cpuSecondsOf } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { startSlowStore } from '../kafka/slow-bucket.ts';
import type { StoreLatency } from '../kafka/store-latency.ts';
import { startTansu, tansuInstall } from '../kafka/tansu.ts';
import { startCluster } from '../kafka/weir.ts';
import type { StoreRowName } from './bars.ts';
import { lightLatencies, lightValues, runLight, warmUpLight } from './light-load.ts';
import type { Choices, LoadRow, Sizes, StartedSides } from './load-row.ts';
import { type Bench, measuredRun } from './measure.ts';
import type { RunRecord, Values } from './metrics.ts';
import type { Side } from './sides.ts';

/** Latencies are drawn with this seed, so that runs differ by the machine alone. */
const seed = 17;
const partitions = 16;
const steadyMegabytesPerSecond = 10;
const steadyFlags = { batches: 1, records: 32, connections: 16, rate: steadyMegabytesPerSecond };
const fullFlags = { batches: 1, records: 256, connections: 16 };
/** Many at once: the store answers late, however many there are. */
const warmUpConnections = 100;

/** Topics of their own, so that what is fetched has batches of one size. */
const warmUpTopic = (topic: string) => `${topic}-warm-up`;
const steadyTopic = (topic: string) => `${topic}-steady`;

interface StoreRow {
  readonly name: StoreRowName;
  readonly store: string;
  readonly latency: StoreLatency;
  readonly agentFlags: readonly string[];
}

/** An agent and a control plane of Weir, and tansu, each over a bucket of the same S3 server. */
export const storeRows: readonly LoadRow[] = [
  storeRow({
    name: 'store-8',
    store: '8 ms, window 25 ms',
    latency: { kind: 'constant', ms: 8 },
    agentFlags: ['-batchTimeout', '25ms'],
  }),
  storeRow({
    name: 'store-60',
    store: '60 ms (p99 400 ms)',
    latency: { kind: 'log-normal', medianMs: 60, p99Ms: 400 },
    agentFlags: [],
  }),
];

function storeRow({ name, store, latency, agentFlags }: StoreRow): LoadRow {
  return {
    name,
    title: `light client: object store of ${store}: ${steadyMegabytesPerSecond} MB/s by 16 connections, full speed, fetch`,
    sides: ['tansu-s3', 'agent'],
    partitions,
    start: (lifetime, choices) => startOverStore(lifetime, choices, latency, agentFlags),
    // Objects are in memory, and the database of the control plane is small.
    bytesPerSide: () => 0,
    async prepare(bench, side, topic, { storeSeconds }) {
      const more = [warmUpTopic(topic), steadyTopic(topic)];
      await bench.load.createTopics(side.broker.servers, more, partitions);
      const limits = { connections: warmUpConnections, seconds: 2 * storeSeconds };
      await warmUpLight(bench, side, warmUpTopic(topic), partitions, limits);
      const flags = { ...fullFlags, bytes: GiB, seconds: storeSeconds / 2 };
      await runLight(bench, side, 'produce', warmUpTopic(topic), partitions, flags);
    },
    run: (bench, side, topic, sizes) => runOverStore(bench, side, topic, sizes),
  };
}

async function startOverStore(
  lifetime: Lifetime,
  { tansu }: Choices,
  latency: StoreLatency,
  agentFlags: readonly string[],
): Promise<StartedSides> {
  const store = await startSlowStore(lifetime, latency, seed);
  const [ours, theirs] = [store.bucket('weir'), store.bucket('tansu')];
  const options = { profileFolder: undefined, bucketUrl: ours.url, agentFlags };
  const weir: Side = {
    id: 'agent',
    broker: await startCluster(lifetime, options),
    topicConfigs: {},
    bucketCounts: ours.counts,
  };
  if (tansu === undefined) return { sides: [weir], notes: [withoutTansu] };
  const other: Side = {
    id: 'tansu-s3',
    broker: await startTansu(lifetime, tansu, { endpoint: store.endpoint, bucket: 'tansu' }),
    topicConfigs: {},
    bucketCounts: theirs.counts,
  };
  return { sides: [other, weir], notes: [] };
}

const withoutTansu =
  'tansu did not take part, because no program was named: `--tansu <file>` or the variable `TANSU` does, and ' +
  `\`${tansuInstall}\` builds it.`;

/** A fixed rate for latencies, then as fast as it goes, then the fetch of what was written. */
async function runOverStore(bench: Bench, side: Side, topic: string, sizes: Sizes): Promise<RunRecord> {
  const { storeSeconds, storeBytes } = sizes;
  const steady = await runLight(bench, side, 'produce', steadyTopic(topic), partitions, {
    ...steadyFlags,
    bytes: storeSeconds * steadyMegabytesPerSecond * 1e6,
    // A server that cannot keep up gets as long again; its latencies then say so.
    seconds: 2 * storeSeconds,
  });
  let writtenBytes = 0;
  const before = await side.bucketCounts?.();
  const record = await measuredRun(bench, side, async () => {
    const limits = { bytes: storeBytes, seconds: storeSeconds };
    const full = await runLight(bench, side, 'produce', topic, partitions, { ...fullFlags, ...limits });
    writtenBytes = full.bytes;
    const after = await side.bucketCounts?.();
    const puts =
      before === undefined || after === undefined
        ? {}
        : { putsPerGib: (after.puts - before.puts) / (full.bytes / GiB) };
    return { bytes: full.bytes, values: { ...lightValues(full), ...puts } };
  });
  const fetched = await fetchOverStore(bench, side, topic, { bytes: writtenBytes, seconds: storeSeconds });
  return { ...record, values: { ...record.values, ...lightLatencies(steady), ...fetched } };
}

async function fetchOverStore(
  bench: Bench,
  side: Side,
  topic: string,
  limits: { readonly bytes: number; readonly seconds: number },
): Promise<Values> {
  const before = await side.bucketCounts?.();
  const cpuBefore = cpuSecondsOf(side.broker);
  const { bytes, seconds } = await runLight(bench, side, 'fetch', topic, partitions, limits);
  const cpuAfter = cpuSecondsOf(side.broker);
  const after = await side.bucketCounts?.();
  return {
    fetchMbPerSecond: bytes / 1e6 / seconds,
    ...(cpuBefore === undefined || cpuAfter === undefined
      ? {}
      : { fetchCpuSecondsPerGb: (cpuAfter - cpuBefore) / (bytes / 1e9) }),
    ...(before === undefined || after === undefined
      ? {}
      : { getsPerGib: (after.gets - before.gets) / (bytes / GiB) }),
  };
}
