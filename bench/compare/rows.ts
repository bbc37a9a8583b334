import { type Clock, MiB, systemClock } from '@weir/core';
import { peakBytesOf } from '../kafka/broker.ts';
import { Lifetime } from '../kafka/lifetime.ts';
import { type ClientSettings, recordBytes } from '../kafka/load.ts';
import { openNodeLoad } from '../kafka/node-load.ts';
import type { RowName } from './bars.ts';
import { lightRows } from './light-rows.ts';
import { allRuns, type LoadRow, type Sizes } from './load-row.ts';
import { measuredRun, runConsumer, runProducer } from './measure.ts';
import type { RunRecord } from './metrics.ts';
import type { SideId } from './side-names.ts';
import { type Programs, residentMibOf, serverOf, startServer } from './sides.ts';
import { storeRows } from './store-rows.ts';
import { threadRows } from './thread-rows.ts';

const allServers: readonly SideId[] = ['kafka', 'playground', 'local'];

const steadyMegabytesPerSecond = 60;
export const steadySettings: ClientSettings = { 'batch.size': 131_072, 'linger.ms': 10 };
const largeBatches: ClientSettings = { 'batch.size': 262_144 };
const steadyRate = Math.round((steadyMegabytesPerSecond * 1e6) / recordBytes);
const consumeRecords = Math.ceil(600e6 / recordBytes);
const memoryBytes = 6e9;
/** Written in any case, so that the peak is that of a server at work. */
const rowMemoryRecordsMin = 200_000;

/** Full speed, as fast as one client can. */
function fullSpeedRow(row: {
  readonly name: RowName;
  readonly title: string;
  readonly partitions: number;
  readonly settings: ClientSettings;
  records(sizes: Sizes): number;
}): LoadRow {
  const { settings } = row;
  return {
    ...row,
    sides: allServers,
    bytesPerSide: (sizes) => (sizes.rowWarmUpRecords + allRuns(sizes) * row.records(sizes)) * recordBytes,
    async prepare(bench, side, topic, { rowWarmUpRecords }) {
      await runProducer(bench, side, { topic, records: rowWarmUpRecords, settings });
    },
    run(bench, side, topic, sizes) {
      const records = row.records(sizes);
      return measuredRun(bench, side, async () => {
        const { recordsPerSecond, p50Ms, p99Ms } = await runProducer(bench, side, {
          topic,
          records,
          settings,
        });
        const mbPerSecond = (recordsPerSecond * recordBytes) / 1e6;
        return { bytes: records * recordBytes, values: { mbPerSecond, toolP50Ms: p50Ms, toolP99Ms: p99Ms } };
      });
    },
  };
}

const steadyRow: LoadRow = {
  name: 'steady',
  title: `steady ${steadyMegabytesPerSecond} MB/s, 16 partitions, batch.size=131072, linger.ms=10`,
  sides: ['kafka', 'playground', 'local', 'kafka-flush'],
  hasTansu: true,
  partitions: 16,
  bytesPerSide: (sizes) =>
    (sizes.rowWarmUpRecords + 2 * allRuns(sizes) * sizes.steadySeconds * steadyRate) * recordBytes,
  async prepare(bench, side, topic, { rowWarmUpRecords }) {
    const run = { topic, records: rowWarmUpRecords, settings: steadySettings, rate: steadyRate };
    await runProducer(bench, side, run);
  },
  async run(bench, side, topic, { steadySeconds }) {
    const records = steadyRate * steadySeconds;
    const bytes = records * recordBytes;
    const { values, ...rest } = await measuredRun(bench, side, async () => {
      const run = { topic, records, settings: steadySettings, rate: steadyRate };
      const { recordsPerSecond, p50Ms, p99Ms } = await runProducer(bench, side, run);
      const mbPerSecond = (recordsPerSecond * recordBytes) / 1e6;
      return { bytes, values: { mbPerSecond, toolP50Ms: p50Ms, toolP99Ms: p99Ms } };
    });
    // ProducerPerformance measures from when it sends: a stall makes it send later, and does not count for the records
    // that it held up. Therefore the same load again by a client that measures from when a record was due.
    const { latency } = await bench.load.produce(side.broker.servers, {
      topics: [topic],
      partitions: 16,
      producers: 1,
      records,
      rate: steadyRate,
      settings: steadySettings,
      // The first second has no connection yet.
      warmUpRecords: steadyRate,
    });
    await bench.settle();
    const { p50Ms, p99Ms, p999Ms } = latency;
    return { ...rest, values: { ...values, openP50Ms: p50Ms, openP99Ms: p99Ms, openP999Ms: p999Ms } };
  },
};

const consumeRow: LoadRow = {
  name: 'consume',
  title: 'consume 600 MB, 16 partitions, one group of one consumer',
  sides: allServers,
  hasTansu: true,
  partitions: 16,
  bytesPerSide: () => consumeRecords * recordBytes,
  async prepare(bench, side, topic) {
    await runProducer(bench, side, { topic, records: consumeRecords, settings: steadySettings });
    // A group of its own each time, because a known one would go on where it was.
    const group = `warm-up-${bench.writtenBytes.get(side.broker)}`;
    await runConsumer(bench, side, { topic, records: consumeRecords, group });
    await bench.settle();
  },
  run(bench, side, topic, _sizes, turn) {
    return measuredRun(bench, side, async () => {
      const run = { topic, records: consumeRecords, group: `run-${turn}` };
      const { records, joinMs, fetchMs } = await runConsumer(bench, side, run);
      const bytes = records * recordBytes;
      const mbPerSecond = bytes / 1e3 / fetchMs;
      return { bytes, values: { mbPerSecond, wholeMbPerSecond: bytes / 1e3 / (fetchMs + joinMs) } };
    });
  },
};

/** By then a full run has written more than that; alone, the row writes what is missing. */
const memoryRow: LoadRow = {
  name: 'memory',
  title: 'resident memory when at least 6 GB were written since the start',
  isOnce: true,
  sides: allServers,
  partitions: 16,
  bytesPerSide: (_sizes, earlierBytes) =>
    Math.max(rowMemoryRecordsMin * recordBytes, memoryBytes - earlierBytes),
  async prepare() {},
  async run(bench, side, topic) {
    const missingBytes = memoryBytes - (bench.writtenBytes.get(side.broker) ?? 0);
    const records = Math.max(rowMemoryRecordsMin, Math.ceil(missingBytes / recordBytes));
    return measuredRun(bench, side, async () => {
      const { recordsPerSecond } = await runProducer(bench, side, {
        topic,
        records,
        settings: steadySettings,
      });
      const mbPerSecond = (recordsPerSecond * recordBytes) / 1e6;
      return { bytes: records * recordBytes, values: { mbPerSecond } };
    });
  },
};

export const loadRows: readonly LoadRow[] = [
  steadyRow,
  fullSpeedRow({
    name: 'full-1',
    title: 'full speed, 1 partition, batch.size=262144',
    partitions: 1,
    settings: largeBatches,
    records: ({ fullRecords }) => fullRecords,
  }),
  fullSpeedRow({
    name: 'full-64',
    title: 'full speed, 64 partitions, batch.size=262144',
    partitions: 64,
    settings: largeBatches,
    records: ({ fullRecords }) => fullRecords,
  }),
  fullSpeedRow({
    name: 'defaults',
    title: 'all client defaults, 1 partition',
    partitions: 1,
    settings: {},
    records: ({ defaultsRecords }) => defaultsRecords,
  }),
  consumeRow,
  ...lightRows,
  memoryRow,
  ...threadRows,
  ...storeRows,
];

/**
 * Bytes that the rows may occupy on disk. Kafka removes deleted topics within a minute, so that it occupies the warm-up
 * and the largest row; what Weir gives back, and when, is not relied on. Rows with servers of their own come later,
 * when the folders of the others are gone.
 */
export function diskBytesMax(names: readonly RowName[], sizes: Sizes): number {
  let weirBytes = sizes.warmUpBytes;
  const rowWarmUpsBytes =
    (sizes.rowWarmUpsMax - 1) * Math.max(sizes.rowWarmUpRecords, consumeRecords) * recordBytes;
  let kafkaBytesMax = 0;
  let ownBytesMax = 0;
  for (const row of loadRows.filter(({ name }) => names.includes(name))) {
    const bytes = row.bytesPerSide(sizes, weirBytes);
    if (row.start !== undefined) {
      ownBytesMax = Math.max(ownBytesMax, bytes * row.sides.length);
      continue;
    }
    weirBytes += bytes;
    const kafkaSides = row.sides.filter((side) => serverOf(side) === 'kafka');
    kafkaBytesMax = Math.max(kafkaBytesMax, (bytes + rowWarmUpsBytes) * kafkaSides.length);
  }
  return Math.max(ownBytesMax, 2 * weirBytes + sizes.warmUpBytesMax + kafkaBytesMax);
}

export const startRow = {
  name: 'start',
  title: 'start of a server alone',
  sides: allServers,
} as const;

/** Starts a server, creates a topic and writes a record; then leaves it alone and reads its memory. */
export function measureStart(
  side: SideId,
  programs: Programs,
  { idleSeconds }: Sizes,
  clock: Clock = systemClock,
): Promise<RunRecord> {
  return Lifetime.during(async (lifetime) => {
    const load = openNodeLoad(clock);
    const broker = await startServer(lifetime, serverOf(side), programs);
    const readyMs = clock.monotonicMs();
    await load.createTopics(broker.servers, ['first'], 1);
    await load.produce(broker.servers, {
      topics: ['first'],
      partitions: 1,
      producers: 1,
      records: 1,
      settings: { 'batch.size': 1 },
    });
    // Not from before `startServer`, which also formats Kafka's folder.
    const tookMs = broker.processes[0]!.startMs + clock.monotonicMs() - readyMs;
    await new Promise<void>((resolve) => clock.after(idleSeconds * 1000, resolve));
    const idleMib = residentMibOf(broker);
    const peakBytes = peakBytesOf(broker);
    await broker.stop();
    return {
      values: {
        startMs: tookMs,
        ...(idleMib === undefined ? {} : { idleMib }),
        ...(peakBytes === undefined ? {} : { peakMib: peakBytes / MiB }),
      },
    };
  });
}
