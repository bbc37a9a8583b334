import type { LightRowName } from './bars.ts';
import { type LightFlags, lightLatencies, lightValues, runLight, warmUpLight } from './light-load.ts';
import { allRuns, type LoadRow, type Sizes } from './load-row.ts';
import { measuredRun } from './measure.ts';
import type { SideId } from './side-names.ts';

const sides: readonly SideId[] = ['kafka', 'playground', 'local'];

const steadyMegabytesPerSecond = 60;

interface ProduceRow {
  readonly name: LightRowName;
  readonly title: string;
  readonly partitions: number;
  readonly flags: LightFlags;
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
    partitions: 16,
    flags: { batches: 2, records: 80, rate: steadyMegabytesPerSecond },
    bytes: ({ steadySeconds }) => steadySeconds * steadyMegabytesPerSecond * 1e6,
  }),
  produceRow({
    name: 'light-full',
    title: 'light client: full speed, 16 partitions, requests of 4 x 256 KiB, 2 connections',
    partitions: 16,
    flags: { batches: 4, records: 256, connections: 2 },
    bytes: ({ lightFullBytes }) => lightFullBytes,
  }),
  produceRow({
    name: 'light-small',
    title: 'light client: full speed, 16 partitions, requests of 16 KiB, 5 in flight',
    partitions: 16,
    flags: { batches: 1, records: 16 },
    bytes: ({ lightFullBytes }) => lightFullBytes / 3,
  }),
  fetchRow('light-fetch-1', 'light client: fetch 1 partition', 1),
  fetchRow('light-fetch-16', 'light client: fetch 16 partitions', 16),
];

function produceRow({ flags, bytes, ...row }: ProduceRow): LoadRow {
  const { partitions } = row;
  return {
    ...row,
    sides,
    bytesPerSide: (sizes) => sizes.rowWarmUpRecords * 1024 + allRuns(sizes) * bytes(sizes),
    async prepare(bench, side, topic, { rowWarmUpRecords }) {
      await warmUpLight(bench, side, topic, partitions);
      await runLight(bench, side, 'produce', topic, partitions, { ...flags, bytes: rowWarmUpRecords * 1024 });
    },
    run: (bench, side, topic, sizes) =>
      measuredRun(bench, side, async () => {
        const work = { ...flags, bytes: bytes(sizes) };
        const summary = await runLight(bench, side, 'produce', topic, partitions, work);
        return { bytes: summary.bytes, values: { ...lightValues(summary), ...lightLatencies(summary) } };
      }),
  };
}

function fetchRow(name: LightRowName, title: string, partitions: number): LoadRow {
  return {
    name,
    title,
    sides,
    partitions,
    bytesPerSide: ({ fetchedBytes }) => fetchedBytes,
    async prepare(bench, side, topic, { fetchedBytes }) {
      await warmUpLight(bench, side, topic, partitions);
      const written = { batches: Math.min(4, partitions), records: 128, bytes: fetchedBytes * 1.01 };
      await runLight(bench, side, 'produce', topic, partitions, written);
      await runLight(bench, side, 'fetch', topic, partitions, { bytes: fetchedBytes });
    },
    run: (bench, side, topic, { fetchedBytes }) =>
      measuredRun(bench, side, async () => {
        const summary = await runLight(bench, side, 'fetch', topic, partitions, { bytes: fetchedBytes });
        return { bytes: summary.bytes, values: lightValues(summary) };
      }),
  };
}
