import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markerBytes, type Pointers } from '@weir/cluster';
import { seededRandom } from '@weir/core';
import { settle } from '@weir/core/testing';
import { batchRecords, readControlRecord, recordBatches } from '@weir/wire';
import { batchOf, DataPath, type DataPathOptions, produced } from '../../testing/data-path.ts';
import { brokerLimits } from '../limits.ts';
import { AnswerHold } from '../requests/answer-hold.ts';
import type { BatchList } from './batch-list.ts';
import { DamagedRange, type DamageKind } from './damaged-range.ts';
import type { ReadQuery } from './query-reader.ts';

const everything = { fromOffset: 0, bytesMax: Number.MAX_SAFE_INTEGER, atLeastOne: true };

async function start(
  options: DataPathOptions,
  partitions = 1,
): Promise<DataPath & { readonly topicId: string }> {
  const path = new DataPath({ flush: { windowMs: 10, compressedBytesMax: 1 << 30 }, ...options });
  const { topicId } = path.cluster.addTopic('t', partitions);
  await path.ready();
  return Object.assign(path, { topicId });
}

/** Writes batches as one file, in the given order. */
async function write(
  path: DataPath,
  topicId: string,
  batches: readonly [partition: number, batch: Buffer][],
) {
  const appended = path.writePath.append(
    batches.map(([partition, batch]) => produced(topicId, partition, batch)),
    { deadlineMs: Number.POSITIVE_INFINITY },
  );
  path.clock.advance(10);
  await appended;
  await settle();
}

async function pointersOf(path: DataPath, topicId: string, partition = 0): Promise<Pointers> {
  const query = { topicId, partition, offset: 0, bytesMax: Number.MAX_SAFE_INTEGER };
  return (await path.cluster.findBatches([query]))[0]!.pointers;
}

async function readOne(path: DataPath, query: ReadQuery): Promise<BatchList> {
  const [result] = await path.readPath.readBatches([query]);
  if (result instanceof Error) throw result;
  return result!;
}

function valuesOf({ slices, bytes }: BatchList): [offset: number, value: string][] {
  const records = Buffer.concat(slices);
  assert.equal(records.length, bytes);
  return [...recordBatches(records, { partialTail: 'error' })].flatMap((batch) => {
    assert.ok(batch.hasValidCrc());
    assert.equal(batch.partitionLeaderEpoch, 0);
    return [...batchRecords(batch)].map(({ offset, value }): [number, string] => [
      Number(offset),
      value!.toString(),
    ]);
  });
}

test('batches are returned with their offsets wherever page boundaries cut them', async () => {
  const random = seededRandom(3);
  for (const pageBytes of [1, 7, 16, 61, 64, 100, 500, 1 << 20]) {
    for (const ownFiles of ['keep', 'copy', 'none'] as const) {
      const path = await start({ pages: { pageBytes, ownFiles, cacheBytesMax: random.below(2) * 5_000 } }, 2);
      const expected: [number, string][] = [];
      for (let file = 0; file < 2; file++) {
        const batches: [number, Buffer][] = [];
        for (let count = 0; count < 4; count++) {
          const values = Array.from({ length: 1 + random.below(3) }, () => 'v'.repeat(random.below(90)));
          for (const value of values) expected.push([expected.length, value]);
          batches.push([0, batchOf(values)], [1, batchOf(['other'])]);
        }
        await write(path, path.topicId, batches);
      }
      const pointers = await pointersOf(path, path.topicId);
      const list = await readOne(path, { pointers, ...everything });
      assert.deepEqual(valuesOf(list), expected, `${pageBytes} ${ownFiles}`);
      assert.equal(list.nextOffset, expected.length);
    }
  }
});

test('reading begins with the batch that contains the offset', async () => {
  const path = await start({ pages: { pageBytes: 64, ownFiles: 'none' } });
  await write(path, path.topicId, [
    [0, batchOf(['a', 'b', 'c'])],
    [0, batchOf(['d', 'e'])],
    [0, batchOf(['f'])],
  ]);
  const pointers = await pointersOf(path, path.topicId);
  assert.equal(pointers.fileId.length, 1, 'one range');
  const firstOffsets: [fromOffset: number, first: number | undefined][] = [
    [0, 0],
    [2, 0],
    [3, 3],
    [4, 3],
    [5, 5],
    [6, undefined],
  ];
  for (const [fromOffset, first] of firstOffsets) {
    const list = await readOne(path, { pointers, ...everything, fromOffset });
    assert.equal(valuesOf(list)[0]?.[0], first, `from ${fromOffset}`);
  }
});

test('limits cut between batches, and one batch may exceed the limit if requested', async () => {
  const path = await start({ pages: { pageBytes: 100, ownFiles: 'none' } });
  const batch = batchOf(['x'.repeat(100 - batchOf(['']).length)]);
  assert.equal(batch.length, 100);
  await write(path, path.topicId, [
    [0, batch],
    [0, batch],
    [0, batch],
  ]);
  await write(path, path.topicId, [
    [0, batch],
    [0, batch],
  ]);
  const pointers = await pointersOf(path, path.topicId);
  const table: [bytesMax: number, atLeastOne: boolean, batches: number][] = [
    [0, false, 0],
    [0, true, 1],
    [99, false, 0],
    [99, true, 1],
    [100, false, 1],
    [199, true, 1],
    [200, false, 2],
    [399, false, 3],
    [400, true, 4],
    [10_000, false, 5],
  ];
  for (const [bytesMax, atLeastOne, batches] of table) {
    const list = await readOne(path, { pointers, fromOffset: 0, bytesMax, atLeastOne });
    assert.equal(list.batchCount, batches, `${bytesMax} ${atLeastOne}`);
  }
});

test('answers share the memory of the cached page, which stays unchanged', async () => {
  const path = await start({ pages: { ownFiles: 'none' } });
  await write(path, path.topicId, [
    [0, batchOf(['x'.repeat(5_000)])],
    [0, batchOf(['y'.repeat(5_000)])],
  ]);
  const pointers = await pointersOf(path, path.topicId);
  const [first, second] = [
    await readOne(path, { pointers, ...everything }),
    await readOne(path, {
      pointers: { ...pointers, baseOffset: Float64Array.of(70), nextOffset: Float64Array.of(72) },
      ...everything,
    }),
  ];
  assert.deepEqual([valuesOf(first)[1]![0], valuesOf(second)[1]![0]], [1, 71]);
  assert.equal(first.slices.length, 4, 'a head and the rest for each batch');
  assert.equal(first.slices[1]!.buffer, second.slices[1]!.buffer);
  assert.equal(path.store.gets, 1);
});

test('what is in memory is read without waiting', async () => {
  const path = await start({ pages: { ownFiles: 'none' } }, 2);
  await write(path, path.topicId, [
    [0, batchOf(['a'])],
    [1, batchOf(['b'])],
  ]);
  const queries = [
    { pointers: await pointersOf(path, path.topicId, 0), ...everything },
    { pointers: await pointersOf(path, path.topicId, 1), ...everything },
  ];
  const first = path.readPath.readBatches(queries);
  assert.ok(first instanceof Promise);
  const fromStore = await first;
  const fromMemory = path.readPath.readBatches(queries);
  assert.ok(Array.isArray(fromMemory));
  assert.deepEqual(
    fromMemory.map((list) => valuesOf(list as BatchList)),
    fromStore.map((list) => valuesOf(list as BatchList)),
  );
});

test('partitions of one file cost one read of its page', async () => {
  const path = await start({ pages: { ownFiles: 'none' } }, 20);
  const batches = Array.from({ length: 20 }, (_, partition): [number, Buffer] => [
    partition,
    batchOf([`${partition}`]),
  ]);
  await write(path, path.topicId, batches);
  const queries = await Promise.all(
    batches.map(async ([partition]) => ({
      pointers: await pointersOf(path, path.topicId, partition),
      ...everything,
    })),
  );
  const lists = await path.readPath.readBatches(queries);
  assert.deepEqual(
    lists.map((list) => valuesOf(list as BatchList)),
    batches.map(([partition]) => [[0, `${partition}`]]),
  );
  assert.equal(path.store.gets, 1);
});

test('pages are read in parallel, up to a limit', async () => {
  const path = await start({ pages: { pageBytes: 100, ownFiles: 'none' } });
  await write(path, path.topicId, [[0, batchOf(['x'.repeat(100 * 100)])]]);
  path.store.beforeGet = () => settle();
  const list = await readOne(path, { pointers: await pointersOf(path, path.topicId), ...everything });
  assert.equal(list.batchCount, 1);
  assert.ok(path.store.gets > 100);
  assert.equal(path.store.runningGetsMax, brokerLimits.pageReadsMax);
});

test('the pages of many files are read in parallel', async () => {
  const path = await start({ pages: { pageBytes: 1_000, ownFiles: 'none' } });
  for (let file = 0; file < 20; file++) await write(path, path.topicId, [[0, batchOf([`${file}`])]]);
  path.store.beforeGet = () => settle();
  const list = await readOne(path, { pointers: await pointersOf(path, path.topicId), ...everything });
  assert.deepEqual(
    valuesOf(list).map(([, value]) => value),
    Array.from({ length: 20 }, (_, file) => `${file}`),
  );
  assert.equal(path.store.gets, 20);
  assert.ok(path.store.runningGetsMax > 5, `${path.store.runningGetsMax} at a time`);
});

test('the byte limit of a read also limits readahead', async () => {
  const path = await start({ pages: { pageBytes: 1_000, ownFiles: 'none', readahead: false } });
  for (let file = 0; file < 20; file++) await write(path, path.topicId, [[0, batchOf(['x'.repeat(400)])]]);
  const pointers = await pointersOf(path, path.topicId);
  const list = await readOne(path, { pointers, fromOffset: 0, bytesMax: 1_000, atLeastOne: true });
  assert.equal(list.batchCount, 2);
  assert.equal(path.store.gets, 3);
});

test('readahead loads the next pages for a reader of one partition, if enabled', async () => {
  for (const [readahead, partitions, expectedGets] of [
    [true, 1, 3],
    [true, 2, 2],
    [false, 1, 1],
  ] as const) {
    const path = await start({ pages: { pageBytes: 1_000, ownFiles: 'none', readahead } }, 2);
    const batch = batchOf(['x'.repeat(400)]);
    await write(
      path,
      path.topicId,
      Array.from({ length: 40 }, (_, count): [number, Buffer] => [count < 20 ? 0 : 1, batch]),
    );
    const queries = await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => ({
        pointers: await pointersOf(path, path.topicId, partition),
        fromOffset: 0,
        bytesMax: 500,
        atLeastOne: true,
      })),
    );
    const lists = await path.readPath.readBatches(queries);
    assert.ok(lists.every((list) => !(list instanceof Error) && list.batchCount === 1));
    await settle();
    assert.equal(path.store.gets, expectedGets, `${readahead} ${partitions}`);
  }
});

test('a file that cannot be read fails the reader that reaches it, and no earlier one', async () => {
  const path = await start({ pages: { pageBytes: 1_000, ownFiles: 'none' } });
  for (let file = 0; file < 6; file++) await write(path, path.topicId, [[0, batchOf(['x'.repeat(400)])]]);
  const pointers = await pointersOf(path, path.topicId);
  path.store.objects.delete([...path.store.objects.keys()].find((key) => key.endsWith(pointers.fileId[2]!))!);
  for (let time = 0; time < 2; time++) {
    assert.equal((await readOne(path, { pointers, ...everything })).batchCount, 2);
    const missing = { pointers: rowsFrom(pointers, 2), ...everything, fromOffset: 2 };
    await assert.rejects(readOne(path, missing), DamagedRange);
    const rest = await readOne(path, { pointers: rowsFrom(pointers, 3), ...everything, fromOffset: 3 });
    assert.equal(rest.batchCount, 3);
  }
});

function rowsFrom(pointers: Pointers, row: number): Pointers {
  return {
    ...pointers,
    fileId: pointers.fileId.slice(row),
    byteStart: pointers.byteStart.slice(row),
    byteLength: pointers.byteLength.slice(row),
    baseOffset: pointers.baseOffset.slice(row),
    nextOffset: pointers.nextOffset.slice(row),
  };
}

test('a file that this agent wrote needs no read', async () => {
  for (const ownFiles of ['keep', 'copy'] as const) {
    const path = await start({ pages: { ownFiles } });
    await write(path, path.topicId, [[0, batchOf(['a'])]]);
    const list = await readOne(path, { pointers: await pointersOf(path, path.topicId), ...everything });
    assert.deepEqual(valuesOf(list), [[0, 'a']]);
    assert.equal(path.store.gets, 0, ownFiles);
  }
});

test('invalid ranges are errors of their own query only', async () => {
  const path = await start({ pages: { ownFiles: 'none' } });
  await write(path, path.topicId, [
    [0, batchOf(['a'])],
    [0, batchOf(['b'])],
  ]);
  const good = await pointersOf(path, path.topicId);
  const bytes = good.byteLength[0]!;
  const bad: Record<string, [pointers: Pointers, readable: number, kind: DamageKind, message: RegExp]> = {
    shifted: [
      { ...good, byteStart: Float64Array.of(good.byteStart[0]! + 1) },
      0,
      'corrupt',
      /no record batch|CRC|inside/,
    ],
    short: [{ ...good, byteLength: Float64Array.of(bytes - 1) }, 1, 'corrupt', /ends inside a batch|exceeds/],
    'with one batch missing': [
      { ...good, nextOffset: Float64Array.of(3) },
      0,
      'corrupt',
      /end at offset 2, expected 3/,
    ],
    'beyond the file': [
      { ...good, byteLength: Float64Array.of(bytes + 10_000), nextOffset: Float64Array.of(9) },
      2,
      'corrupt',
      /no record batch/,
    ],
    'of no file': [{ ...good, fileId: ['0'.repeat(32)] }, 0, 'missing', /object not found/],
  };
  for (const [name, [pointers, readable, kind, message]] of Object.entries(bad)) {
    const all = { pointers, ...everything };
    const [first, rest, whole] = await path.readPath.readBatches([
      all,
      { ...all, fromOffset: readable },
      { pointers: good, ...everything },
    ]);
    if (readable > 0)
      assert.deepEqual(
        valuesOf(first as BatchList),
        [[0, 'a'] as const, [1, 'b'] as const].slice(0, readable),
      );
    assert.ok(rest instanceof DamagedRange, name);
    assert.equal(rest.damage.kind, kind, name);
    assert.match(rest.message, message, name);
    assert.deepEqual(valuesOf(whole as BatchList), [
      [0, 'a'],
      [1, 'b'],
    ]);
  }
});

test('transaction markers are built in place, and pages are read around them', async () => {
  const path = await start({ pages: { pageBytes: 40, ownFiles: 'none' } });
  await write(path, path.topicId, [[0, batchOf(['a', 'b'])]]);
  await write(path, path.topicId, [[0, batchOf(['c'])]]);
  const stored = await pointersOf(path, path.topicId);
  const pointers: Pointers = {
    fileId: [stored.fileId[0]!, '', stored.fileId[1]!, ''],
    byteStart: Float64Array.of(stored.byteStart[0]!, 0, stored.byteStart[1]!, 0),
    byteLength: Float64Array.of(stored.byteLength[0]!, markerBytes, stored.byteLength[1]!, markerBytes),
    baseOffset: Float64Array.of(0, 2, 3, 4),
    nextOffset: Float64Array.of(2, 3, 4, 5),
    markers: {
      row: Uint32Array.of(1, 3),
      isCommit: Uint8Array.of(1, 0),
      producerId: Float64Array.of(4_000_000_000, 7),
      producerEpoch: Int16Array.of(3, 32_767),
      timestampMs: Float64Array.of(1_700_000_000_000, 5),
    },
  };
  const batchesOf = (list: BatchList) =>
    [...recordBatches(Buffer.concat(list.slices), { partialTail: 'error' })].map((batch) => {
      assert.ok(batch.hasValidCrc());
      if (!batch.isControl) return `records at ${batch.baseOffset}`;
      assert.ok(batch.isTransactional);
      assert.deepEqual([batch.bytes.length, batch.baseSequence], [markerBytes, -1]);
      const control = readControlRecord(batch);
      assert.ok(control.kind === 'endTransaction' && control.coordinatorEpoch === 0);
      const { producerId, producerEpoch, maxTimestamp, baseOffset } = batch;
      return `${control.result} at ${baseOffset} of ${producerId}/${producerEpoch} ms ${maxTimestamp}`;
    });
  const all = [
    'records at 0',
    'commit at 2 of 4000000000/3 ms 1700000000000',
    'records at 3',
    'abort at 4 of 7/32767 ms 5',
  ];
  const read = async (query: Partial<ReadQuery>) =>
    batchesOf(await readOne(path, { pointers, ...everything, ...query }));
  assert.deepEqual(await read({}), all);
  for (const [fromOffset, toOffset, from, to] of [
    [1, 5, 0, 4],
    [2, 5, 1, 4],
    [3, 4, 2, 3],
    [4, 5, 3, 4],
    [0, 2, 0, 1],
    [0, 3, 0, 2],
    [5, 5, 4, 4],
  ] as const) {
    assert.deepEqual(
      await read({ fromOffset, toOffset }),
      all.slice(from, to),
      `${fromOffset} to ${toOffset}`,
    );
  }
  assert.deepEqual(await read({ fromOffset: 2, bytesMax: markerBytes }), all.slice(1, 2));
  assert.deepEqual(await read({ fromOffset: 2, bytesMax: 1 }), all.slice(1, 2), 'one batch of any size');
});

test('nothing is read beyond the last wanted offset', async () => {
  const path = await start({ pages: { ownFiles: 'none' } });
  await write(path, path.topicId, [
    [0, batchOf(['a'])],
    [0, batchOf(['b'])],
  ]);
  await write(path, path.topicId, [[0, batchOf(['c'])]]);
  const pointers = await pointersOf(path, path.topicId);
  const list = await readOne(path, { pointers, ...everything, toOffset: 1 });
  assert.deepEqual(valuesOf(list), [[0, 'a']]);
  assert.deepEqual(valuesOf(await readOne(path, { pointers, ...everything, toOffset: 2 })), [
    [0, 'a'],
    [1, 'b'],
  ]);
  assert.equal(path.store.gets, 1);
});

test('answers are intact until they are released, whatever is evicted meanwhile, and all memory comes back', async () => {
  const pages = { ownFiles: 'keep', pageBytes: 1 << 16, cacheBytesMax: 1 << 18 } as const;
  const path = await start({ pages }, 4);
  const random = seededRandom(7);
  const { topicId, pool } = path;
  for (let file = 0; file < 8; file++) {
    const batches = Array.from({ length: 40 }, (_, index): [number, Buffer] => {
      const value = `${file}/${index} `.repeat(1 + random.below(3000));
      return [index % 4, batchOf([value])];
    });
    await write(path, topicId, batches);
  }
  const pointers = await Promise.all([0, 1, 2, 3].map((partition) => pointersOf(path, topicId, partition)));
  async function answer() {
    const hold = new AnswerHold();
    const queries = pointers.map((pointers) => ({
      pointers,
      fromOffset: random.below(80),
      bytesMax: random.below(1 << 19),
      atLeastOne: true,
    }));
    const lists = (await path.readPath.readBatches(queries, hold)) as BatchList[];
    return { hold, lists, expected: lists.map(valuesOf) };
  }
  const waiting: Awaited<ReturnType<typeof answer>>[] = [];
  for (let round = 0; round < 30; round++) {
    waiting.push(...(await Promise.all([answer(), answer(), answer()])));
    while (waiting.length > 6) {
      const { hold, lists, expected } = waiting.splice(random.below(waiting.length), 1)[0]!;
      assert.deepEqual(lists.map(valuesOf), expected);
      hold.release();
    }
    await path.readPath.searchBatches(pointers[round % 4]!, (cursor) => {
      assert.ok(cursor.hasValidCrc());
      return undefined;
    });
  }
  for (const { hold } of waiting) hold.release();
  // Pages of other memory take the place of those in the cache.
  path.readPath.adopt({ fileId: 'x', slices: [Buffer.alloc(pages.cacheBytesMax)] });
  assert.ok(pool.bytes > 0);
  assert.equal(pool.freeBytes, pool.bytes);
});

test('what was found, or is read without a hold, may be used for ever', async () => {
  const path = await start({ pages: { ownFiles: 'none', cacheBytesMax: 1 << 20 } });
  for (let file = 0; file < 4; file++) {
    await write(path, path.topicId, [[0, batchOf([`${file}`.repeat(900_000)])]]);
  }
  const pointers = await pointersOf(path, path.topicId);
  const found = await path.readPath.searchBatches(pointers, (cursor) => cursor.batch());
  const list = await readOne(path, { pointers, ...everything });
  const { fileId, byteStart, byteLength } = pointers;
  const last = fileId.length - 1;
  const views = path.readPath.inMemory(fileId[last]!, byteStart[last]!, byteStart[last]! + byteLength[last]!);
  const before = Buffer.concat(views!);
  for (let round = 0; round < 10; round++) {
    const hold = new AnswerHold();
    await path.readPath.readBatches([{ pointers, ...everything }], hold);
    hold.release();
  }
  assert.ok(found?.hasValidCrc());
  assert.equal(valuesOf(list).length, 4);
  assert.ok(Buffer.concat(views!).equals(before));
});
