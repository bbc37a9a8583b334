import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pointers } from '@weir/cluster';
import { logFileKey } from '@weir/storage';
import { batchRecords, buildEndTransactionMarker, buildRecordBatch, recordBatches } from '@weir/wire';
import { DataPath, type DataPathOptions } from '../../testing/data-path.ts';
import { ClientInflation } from '../inflation/client-inflation.ts';
import { DamagedRange } from './damaged-range.ts';
import { FirstRecord, LatestRecord, searchRecords } from './record-search.ts';

const fileId = '018bcfe5680010000123456789abcdef';

/** Offsets 10 to 29 of a log from which compaction removed most records. */
const storedBatches: readonly Buffer[] = [
  // Offsets 12 to 15, of which 13 and 15 are left; 10 and 11 are gone with their batch.
  batch(12n, [13n, 15n], { lastOffsetDelta: 3 }),
  // Offsets 16 to 19, all removed; the batch still has the latest timestamp of them.
  batch(16n, [], { lastOffsetDelta: 3, maxTimestamp: 9_000n }),
  buildEndTransactionMarker({
    result: 'commit',
    producerId: 5n,
    producerEpoch: 0,
    coordinatorEpoch: 0,
    timestamp: 8_000n,
    baseOffset: 20n,
    partitionLeaderEpoch: 0,
  }),
  // Offsets 21 to 24 are gone.
  batch(25n, [25n, 26n]),
  batch(27n, [29n], { lastOffsetDelta: 2 }),
];

function batch(
  baseOffset: bigint,
  offsets: readonly bigint[],
  fields: { readonly lastOffsetDelta?: number; readonly maxTimestamp?: bigint } = {},
): Buffer {
  return buildRecordBatch(
    offsets.map((offset) => ({
      offset,
      timestamp: offset * 100n,
      key: null,
      value: Buffer.from(`value ${offset}`.padEnd(80, '.')),
    })),
    { baseOffset, partitionLeaderEpoch: 0, ...fields },
  );
}

const recordOffsets = [13, 15, 25, 26, 29];

interface Stored {
  readonly path: DataPath;
  readonly pointers: Pointers;
}

async function store(
  batches: readonly Buffer[],
  pages: DataPathOptions['pages'] = {},
  range = { baseOffset: 10, nextOffset: 30 },
): Promise<Stored> {
  const path = new DataPath({ pages: { ...pages } });
  await path.ready();
  const front = Buffer.alloc(100);
  const content = Buffer.concat([front, ...batches]);
  path.store.objects.set(logFileKey(path.cluster.clusterId, fileId), content);
  const pointers = {
    fileId: [fileId],
    byteStart: Float64Array.of(front.length),
    byteLength: Float64Array.of(content.length - front.length),
    baseOffset: Float64Array.of(range.baseOffset),
    nextOffset: Float64Array.of(range.nextOffset),
  };
  return { path, pointers };
}

async function offsetsFrom({ path, pointers }: Stored, fromOffset: number, toOffset?: number) {
  const query = { pointers, fromOffset, bytesMax: 1 << 20, atLeastOne: true };
  const [list] = await path.readPath.readBatches([toOffset === undefined ? query : { ...query, toOffset }]);
  if (list instanceof Error) throw list;
  const offsets: number[] = [];
  for (const one of recordBatches(Buffer.concat(list!.slices), { partialTail: 'error' })) {
    assert.ok(one.hasValidCrc());
    if (!one.isControl) for (const { offset } of batchRecords(one)) offsets.push(Number(offset));
  }
  return { offsets, nextOffset: list!.nextOffset, batchCount: list!.batchCount };
}

test('batches of a compacted file have the offsets of their headers, from every offset on', async () => {
  for (const pageBytes of [1, 16, 61, 100, 500, 1 << 20]) {
    const stored = await store(storedBatches, { pageBytes });
    for (let from = 10; from < 30; from++) {
      const { offsets, nextOffset } = await offsetsFrom(stored, from);
      // The first batch may begin before the requested offset.
      const expected = recordOffsets.filter((offset) => offset >= from);
      assert.deepEqual(offsets.slice(-expected.length), expected, `${pageBytes} from ${from}`);
      assert.ok(offsets.length - expected.length <= 1);
      assert.equal(nextOffset, 30);
    }
  }
});

test('reading stops before the first batch that begins at the limit', async () => {
  const stored = await store(storedBatches);
  const table: [toOffset: number, batchCount: number][] = [
    [12, 0],
    [13, 1],
    [16, 1],
    [17, 2],
    [25, 3],
    [26, 4],
    [30, 5],
  ];
  for (const [toOffset, batchCount] of table)
    assert.equal((await offsetsFrom(stored, 10, toOffset)).batchCount, batchCount, `to ${toOffset}`);
});

test('a compacted file whose offsets do not fit its range is damaged', async () => {
  const table: [problem: RegExp, stored: Promise<Stored>][] = [
    [/base offset 12, expected 13 or later/, store(storedBatches, {}, { baseOffset: 13, nextOffset: 30 })],
    [/spans 3 offsets from 27/, store(storedBatches, {}, { baseOffset: 10, nextOffset: 29 })],
    [/end at offset 30, expected 31/, store(storedBatches, {}, { baseOffset: 10, nextOffset: 31 })],
    [/base offset 12, expected 16 or later/, store([storedBatches[0]!, ...storedBatches])],
    [/base offset -/, store([Buffer.concat([Buffer.from([0x80]), storedBatches[0]!.subarray(1)])])],
  ];
  for (const [problem, storing] of table) {
    const { path, pointers } = await storing;
    const search = path.readPath.searchBatches(pointers, () => undefined);
    await assert.rejects(search, (error) => error instanceof DamagedRange && problem.test(error.message));
  }
});

test('a search by time passes empty batches and markers', async () => {
  const { path, pointers } = await store(storedBatches);
  const search = async (wanted: FirstRecord | LatestRecord) => {
    await searchRecords(pointers, wanted, {
      readPath: path.readPath,
      inflation: new ClientInflation(),
      connection: path.context({} as never, 1),
      pause: async () => {},
    });
    return wanted.found;
  };
  const table: [timestamp: bigint, offset: number | undefined][] = [
    [0n, 13],
    [1_400n, 15],
    [1_600n, 25],
    [2_600n, 26],
    [2_900n, 29],
    [3_000n, undefined],
  ];
  for (const [timestamp, offset] of table)
    assert.equal((await search(new FirstRecord(timestamp)))?.offset, offset, String(timestamp));
  assert.deepEqual(await search(new LatestRecord()), { offset: 29, timestamp: 2_900n });
});
