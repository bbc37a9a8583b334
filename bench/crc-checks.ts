import { crc32c } from '@node-rs/crc32';
import { KiB, Metrics, MiB, silentLog, systemClock } from '@weir/core';
import { buildRecordBatch } from '@weir/wire';
import type { ClusterView } from '../packages/broker/src/cluster/cluster-view.ts';
import { createReadPath, type ReadPath } from '../packages/broker/src/read-path/read-path.ts';
import { TestStore } from '../packages/broker/testing/data-path.ts';
import { buildLogFile, logFileKey } from '../packages/storage/src/index.ts';
import { atMost, type Bar, type Benchmark, ms, type Row } from './benchmark.ts';
import { type Effort, sideBySide } from './side-by-side.ts';

const clusterId = 'vci_bench';
const fileId = '0123456789ab0def0123456789abcdef';
const pageBytes = 4 * MiB;
/** Bytes of a page that hold records. */
const recordsBytes = pageBytes - 64 * KiB;
/** The CRC covers the batch from this byte on: everything after the CRC field. */
const crcCoversFrom = 21;
interface Shape {
  readonly name: string;
  readonly bytes: number;
  readonly loadedBar?: Bar;
  readonly againBar?: Bar;
}

/** A batch of a busy producer, and one of a producer that does not linger. */
const shapes: readonly Shape[] = [
  { name: '256 KiB', bytes: 256 * KiB, loadedBar: atMost(1.5), againBar: atMost(0.1) },
  { name: '1 KiB', bytes: KiB },
];

/**
 * Cost of CRC checks on batches read from the store. A batch is checked once while its page is cached. Measures a read
 * of a newly loaded page and a read of a cached page, each against the CRC computation alone. The store returns views
 * and costs nothing.
 */
export const crcChecks: Benchmark = {
  name: 'crc-checks',
  async run(effort) {
    const rows: Row[] = [];
    for (const shape of shapes) rows.push(...(await measure(shape, effort)));
    return rows;
  },
};

async function measure({ name, bytes, loadedBar, againBar }: Shape, effort: Effort): Promise<Row[]> {
  const value = Buffer.alloc(bytes - 80, 'weir');
  const batch = buildRecordBatch([{ timestamp: 1n, key: null, value }]);
  const count = Math.floor(recordsBytes / batch.length);
  const store = new TestStore();
  store.readsIntoMemory = false;
  const query = await fill(store, batch, count);
  const loaded = readPathOf(store, 0);
  const cached = readPathOf(store, 16 * pageBytes);
  const read = async (readPath: ReadPath) => {
    const [list] = await readPath.readBatches([query]);
    if (list === undefined || list instanceof Error) throw list ?? new Error('no answer');
    if (list.batchCount !== count) throw new Error(`${list.batchCount} of ${count} batches were read`);
  };
  const content = store.objects.get(logFileKey(clusterId, fileId))!;
  const start = query.pointers.byteStart[0]!;
  // Over all bytes of the page, because a single batch would stay in the CPU cache.
  const crcs = () => {
    for (let at = start, left = count; left > 0; at += batch.length, left--)
      crc32c(content.subarray(at + crcCoversFrom, at + batch.length));
  };
  // Loads and checks the page, so that later reads find it checked.
  await read(cached);
  const first = await sideBySide(
    { name: 'loaded', run: () => read(loaded) },
    { name: 'CRCs', run: crcs },
    effort,
  );
  const again = await sideBySide(
    { name: 'again', run: () => read(cached) },
    { name: 'CRCs', run: crcs },
    effort,
  );
  return [
    {
      what: `read a page of 4 MiB with ${count} batches of ${name} that was just loaded / their CRCs alone`,
      result: 1 / first.referenceOverSubject,
      unit: 'x',
      ...(loadedBar && { bar: loadedBar }),
      detail: `${ms(first.subjectMs)} / ${ms(first.referenceMs)}`,
    },
    {
      what: 'the same page, read again from memory / their CRCs alone',
      result: 1 / again.referenceOverSubject,
      unit: 'x',
      ...(againBar && { bar: againBar }),
      detail: `${ms(again.subjectMs)} / ${ms(again.referenceMs)}`,
    },
  ];
}

async function fill(store: TestStore, batch: Buffer, count: number) {
  const topicId = Buffer.alloc(16, 7).toString('base64url');
  const batches = Array.from({ length: count }, () => ({ topicId, partition: 0, bytes: batch }));
  const { slices, placed } = buildLogFile({ clusterId, fileId, batches });
  await store.put(logFileKey(clusterId, fileId), slices);
  return {
    pointers: {
      fileId: [fileId],
      byteStart: Float64Array.of(placed.byteStart[0]!),
      byteLength: Float64Array.of(count * batch.length),
      baseOffset: Float64Array.of(0),
      nextOffset: Float64Array.of(count),
    },
    fromOffset: 0,
    bytesMax: Number.MAX_SAFE_INTEGER,
    atLeastOne: true,
  };
}

function readPathOf(store: TestStore, cacheBytesMax: number): ReadPath {
  return createReadPath({
    store,
    cluster: { clusterId } as ClusterView,
    pages: { pageBytes, cacheBytesMax, ownFiles: 'none', readahead: false },
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
}
