import type { LightRowName } from './bars.ts';
import type { LightSummary } from './light-client.ts';
import type { LoadRow, Sizes } from './load-row.ts';
import { type Bench, measuredRun } from './measure.ts';
import type { Values } from './metrics.ts';
import type { SideId } from './side-names.ts';
import type { Side } from './sides.ts';

const sides: readonly SideId[] = ['kafka', 'playground', 'local'];

/** Requests that a server has answered before its first row, so that what a request needs is compiled. */
const warmUpRequests = 100_000;
const fetchedBytes = 1_200_000_000;
const steadyMegabytesPerSecond = 60;

type Flags = Readonly<Record<string, string | number>>;

interface ProduceRow {
  readonly name: LightRowName;
  readonly title: string;
  readonly isQuick: boolean;
  readonly partitions: number;
  readonly flags: Flags;
  bytes(sizes: Sizes): number;
}

/**
 * Rows of a client that is written for the benchmark and costs a tenth of Apache's: what they show is the server. Kafka
 * and Weir get the same frames.
 */
export const lightRows: readonly LoadRow[] = [
  produceRow({
    name: 'light-steady',
    title: `light client: steady ${steadyMegabytesPerSecond} MB/s, 16 partitions, requests of 2 x 80 KiB`,
    isQuick: true,
    partitions: 16,
    flags: { batches: 2, records: 80, rate: steadyMegabytesPerSecond },
    bytes: ({ steadySeconds }) => steadySeconds * steadyMegabytesPerSecond * 1e6,
  }),
  produceRow({
    name: 'light-full',
    title: 'light client: full speed, 16 partitions, requests of 4 x 256 KiB, 2 connections',
    isQuick: true,
    partitions: 16,
    flags: { batches: 4, records: 256, connections: 2 },
    bytes: ({ fullRecords }) => 2 * fullRecords * 1024,
  }),
  produceRow({
    name: 'light-small',
    title: 'light client: full speed, 16 partitions, requests of 16 KiB, 5 in flight',
    isQuick: true,
    partitions: 16,
    flags: { batches: 1, records: 16 },
    bytes: ({ fullRecords }) => (fullRecords * 1024) / 2,
  }),
  fetchRow('light-fetch-1', 'light client: fetch 1 partition', 1),
  fetchRow('light-fetch-16', 'light client: fetch 16 partitions', 16),
];

function produceRow({ flags, bytes, ...row }: ProduceRow): LoadRow {
  const { partitions } = row;
  const usual = { batches: 2, records: 80 };
  return {
    ...row,
    sides,
    bytesPerSide: (sizes) => (sizes.runs + 1) * bytes(sizes) + warmUpRequests * 1024,
    async prepare(bench, side, topic, { rowWarmUpRecords }) {
      await warmUp(bench, side, topic, partitions);
      await run(bench, side, 'produce', topic, partitions, {
        ...usual,
        ...flags,
        bytes: rowWarmUpRecords * 1024,
      });
    },
    run: (bench, side, topic, sizes) =>
      measuredRun(bench, side, async () => {
        const summary = await run(bench, side, 'produce', topic, partitions, {
          ...usual,
          ...flags,
          bytes: bytes(sizes),
        });
        const { p50Ms, p99Ms, p999Ms } = summary;
        const latency = { openP50Ms: p50Ms, openP99Ms: p99Ms, openP999Ms: p999Ms };
        return { bytes: summary.bytes, values: { ...valuesOf(summary), ...latency } };
      }),
  };
}

function fetchRow(name: LightRowName, title: string, partitions: number): LoadRow {
  return {
    name,
    title,
    isQuick: true,
    sides,
    partitions,
    bytesPerSide: () => fetchedBytes + warmUpRequests * 1024,
    async prepare(bench, side, topic) {
      await warmUp(bench, side, topic, partitions);
      const written = { batches: Math.min(4, partitions), records: 128, bytes: fetchedBytes * 1.01 };
      await run(bench, side, 'produce', topic, partitions, written);
      await run(bench, side, 'fetch', topic, partitions, { bytes: fetchedBytes });
    },
    run: (bench, side, topic) =>
      measuredRun(bench, side, async () => {
        const summary = await run(bench, side, 'fetch', topic, partitions, { bytes: fetchedBytes });
        return { bytes: summary.bytes, values: valuesOf(summary) };
      }),
  };
}

function valuesOf({ bytes, seconds, cpuSeconds }: LightSummary): Values {
  return { mbPerSecond: bytes / 1e6 / seconds, clientSecondsPerGb: cpuSeconds / (bytes / 1e9) };
}

/** Once for each server. */
async function warmUp(bench: Bench, side: Side, topic: string, partitions: number): Promise<void> {
  const answered = bench.lightRequests.get(side.broker) ?? 0;
  if (answered >= warmUpRequests) return;
  const requests = warmUpRequests - answered;
  const flags = { batches: 1, records: 1, connections: 4, bytes: requests * 1100 };
  await run(bench, side, 'produce', topic, partitions, flags);
}

async function run(
  bench: Bench,
  { broker }: Side,
  command: 'produce' | 'fetch',
  topic: string,
  partitions: number,
  flags: Flags,
): Promise<LightSummary> {
  const all = { server: broker.servers, topic, partitions, ...flags };
  const args = Object.entries(all).flatMap(([name, value]) => [
    `--${name}`,
    String(typeof value === 'number' ? Math.round(value) : value),
  ]);
  const summary = await bench.runLight([command, ...args]);
  if (command === 'produce') {
    bench.writtenBytes.set(broker, (bench.writtenBytes.get(broker) ?? 0) + summary.bytes);
    bench.lightRequests.set(broker, (bench.lightRequests.get(broker) ?? 0) + summary.requests);
  }
  return summary;
}
