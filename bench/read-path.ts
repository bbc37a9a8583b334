import { KiB, Metrics, MiB, silentLog, systemClock, systemRandom } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import type { ClusterView } from '../packages/broker/src/cluster/cluster-view.ts';
import { createReadPath, type ReadPath } from '../packages/broker/src/read-path/read-path.ts';
import { AnswerHold } from '../packages/broker/src/requests/answer-hold.ts';
import { TestStore } from '../packages/broker/testing/data-path.ts';
import type { Pointers } from '../packages/cluster/src/index.ts';
import { mergeFiles } from '../packages/jobs/src/compaction/merge-files.ts';
import { buildLogFile, logFileKey } from '../packages/storage/src/index.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

const clusterId = 'vci_bench';
const pageBytes = 4 * MiB;
const partitionBytesMax = MiB;
const topicId = Buffer.alloc(16, 7).toString('base64url');

/** Every GET of the store, whose objects are in memory and read into the memory of the caller. */
class CountedStore extends TestStore {
  readBytes = 0;

  override async getRange(...call: Parameters<TestStore['getRange']>): Promise<Buffer> {
    const range = await super.getRange(...call);
    this.readBytes += range.length;
    return range;
  }
}

/** Fills a store with files of one page, and returns the pointers of each partition. */
async function fill(store: TestStore, fileCount: number, partitionCount: number, batch: Buffer) {
  const rows: { fileId: string; byteStart: number; byteLength: number }[][] = Array.from(
    { length: partitionCount },
    () => [],
  );
  const perPartition = Math.floor((pageBytes - 64 * KiB) / partitionCount / batch.length);
  for (let file = 0; file < fileCount; file++) {
    const fileId = file.toString(16).padStart(32, '0');
    const batches = Array.from({ length: partitionCount * perPartition }, (_, index) => ({
      topicId,
      partition: Math.floor(index / perPartition),
      bytes: batch,
    }));
    const { slices, placed } = buildLogFile({ clusterId, fileId, batches });
    await store.put(logFileKey(clusterId, fileId), slices);
    for (const [partition, list] of rows.entries()) {
      const byteStart = placed.byteStart[partition * perPartition]!;
      list.push({ fileId, byteStart, byteLength: perPartition * batch.length });
    }
  }
  return rows.map(
    (list): Pointers => ({
      fileId: list.map(({ fileId }) => fileId),
      byteStart: Float64Array.from(list, ({ byteStart }) => byteStart),
      byteLength: Float64Array.from(list, ({ byteLength }) => byteLength),
      baseOffset: Float64Array.from(list, (_, row) => row * perPartition),
      nextOffset: Float64Array.from(list, (_, row) => (row + 1) * perPartition),
    }),
  );
}

function readPathOf(store: TestStore, cacheBytesMax: number): ReadPath {
  return createReadPath({
    store,
    cluster: { clusterId } as ClusterView,
    pages: { pageBytes, cacheBytesMax, ownFiles: 'none' },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
}

/** A consumer of some partitions. One step is one fetch, whose answer is done with at once, as if it was sent. */
class Consumer {
  readonly #readPath: ReadPath;
  readonly #pointers: readonly Pointers[];
  readonly #offsets: number[];
  servedBytes = 0;

  constructor(readPath: ReadPath, pointers: readonly Pointers[]) {
    this.#readPath = readPath;
    this.#pointers = pointers;
    this.#offsets = pointers.map(() => 0);
  }

  async step(): Promise<boolean> {
    const hold = new AnswerHold();
    const queries = this.#pointers.map((pointers, index) => ({
      pointers,
      fromOffset: this.#offsets[index]!,
      bytesMax: partitionBytesMax,
      atLeastOne: true,
    }));
    let bytes = 0;
    for (const [index, list] of (await this.#readPath.readBatches(queries, hold)).entries()) {
      if (list instanceof Error) throw list;
      bytes += list.bytes;
      if (list.bytes > 0) this.#offsets[index] = list.nextOffset;
    }
    hold.release();
    this.servedBytes += bytes;
    return bytes > 0;
  }
}

function batchOf(bytes: number): Buffer {
  return buildRecordBatch([{ timestamp: 1n, key: null, value: Buffer.alloc(bytes - 80, 'weir') }]);
}

const consumerCount = 50;

/**
 * Fifty consumers of one topic with 16 partitions, a fetch each in turn, from the beginning. Without sockets: what the
 * read path takes, and whether it reads each page once.
 */
export const fanOut: Benchmark = {
  name: 'fan-out',
  async run(effort) {
    const store = new CountedStore();
    const fileCount = isQuick(effort) ? 4 : 64;
    const pointers = await fill(store, fileCount, 16, batchOf(64 * KiB));
    const readPath = readPathOf(store, 192 * MiB);
    const consumers = Array.from({ length: consumerCount }, () => new Consumer(readPath, pointers));
    const before = process.cpuUsage();
    for (let reading = consumers; reading.length > 0; ) {
      const left: Consumer[] = [];
      for (const consumer of reading) if (await consumer.step()) left.push(consumer);
      reading = left;
    }
    const { user, system } = process.cpuUsage(before);
    const servedBytes = consumers.reduce((bytes, consumer) => bytes + consumer.servedBytes, 0);
    return [
      getsRow(`${consumerCount} consumers of one topic: GETs per page`, store, fileCount),
      {
        what: 'the same: served per CPU second, without sockets',
        result: Math.round(servedBytes / MiB / ((user + system) / 1e6)),
        unit: 'MiB',
        detail: `${Math.round(servedBytes / MiB)} MiB served, ${Math.round(store.readBytes / MiB)} MiB read`,
      },
    ];
  },
};

const mergedPartitions = 1_000;

/**
 * A consumer of one of a thousand partitions reads from the beginning, and nothing else is read: before its files were
 * merged and afterwards. The merge is that of jobs.
 */
export const mergedPartition: Benchmark = {
  name: 'merged-partition',
  async run(effort) {
    const store = new CountedStore();
    const fileCount = isQuick(effort) ? 4 : 32;
    const batch = batchOf(4 * KiB);
    const pointers = await fill(store, fileCount, mergedPartitions, batch);
    const runs = pointers.map((list, partition) => ({ topicId, partition, pointers: list }));
    const { ranges, files } = await mergeFiles(
      { clusterId, level: 1, runs },
      { store, random: systemRandom, signal: new AbortController().signal },
    );
    const { pointers: merged } = ranges[100]!;
    const after: Pointers = {
      fileId: merged.map(({ fileId }) => fileId),
      byteStart: Float64Array.from(merged, ({ byteStart }) => byteStart),
      byteLength: Float64Array.from(merged, ({ byteLength }) => byteLength),
      baseOffset: Float64Array.from(merged, ({ baseOffset }) => baseOffset),
      nextOffset: Float64Array.from(merged, ({ nextOffset }) => nextOffset),
    };
    const cold = async (what: string, list: Pointers, bar: Partial<Row>): Promise<Row> => {
      store.gets = 0;
      store.readBytes = 0;
      const consumer = new Consumer(readPathOf(store, 192 * MiB), [list]);
      while (await consumer.step());
      return {
        what: `one of ${mergedPartitions} partitions, cold, ${what}: read from the store per byte served`,
        result: store.readBytes / consumer.servedBytes,
        unit: 'x',
        ...bar,
        detail: `${store.gets} GETs, ${Math.round(store.readBytes / KiB)} KiB read for ${Math.round(consumer.servedBytes / KiB)} KiB`,
      };
    };
    return [
      await cold(`in ${fileCount} files`, pointers[100]!, {}),
      await cold(`merged into ${files.length}`, after, { bar: atMost(1.3) }),
    ];
  },
};

/** A consumer of one of 288 partitions that share all files reads from the beginning, and nothing else is read. */
export const coldPartition: Benchmark = {
  name: 'cold-partition',
  async run(effort) {
    const store = new CountedStore();
    const fileCount = isQuick(effort) ? 4 : 48;
    const pointers = await fill(store, fileCount, 288, batchOf(13 * KiB));
    const consumer = new Consumer(readPathOf(store, 192 * MiB), [pointers[100]!]);
    while (await consumer.step());
    return [
      getsRow('one of 288 partitions, cold: GETs per page', store, fileCount),
      {
        what: 'the same: read from the store per byte served',
        result: store.readBytes / consumer.servedBytes,
        unit: 'x',
        detail: `${Math.round(store.readBytes / KiB)} KiB read for ${Math.round(consumer.servedBytes / KiB)} KiB`,
      },
    ];
  },
};

function getsRow(what: string, { gets }: CountedStore, pages: number): Row {
  return { what, result: gets / pages, unit: 'x', bar: atMost(1), detail: `${gets} GETs for ${pages} pages` };
}

function isQuick({ turns }: Effort): boolean {
  return turns === 1;
}
