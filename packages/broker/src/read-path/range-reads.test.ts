import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pointers } from '@weir/cluster';
import { logFileKey } from '@weir/storage';
import { buildRecordBatch } from '@weir/wire';
import fc from 'fast-check';
import { DataPath, type DataPathOptions, TestStore } from '../../testing/data-path.ts';
import { DamagedRange } from './damaged-range.ts';

const pageBytes = 64 * 1024;
const mergedId = (file: number) => `018bcfe56800100${String(file).padStart(2, '0')}123456789abcdef`;
const newId = (file: number) => `018bcfe56800000${String(file).padStart(2, '0')}123456789abcdef`;

/** The ranges that were read. */
class WatchedStore extends TestStore {
  readonly reads: { readonly key: string; readonly start: number; readonly bytes: number }[] = [];

  override async getRange(...call: Parameters<TestStore['getRange']>): Promise<Buffer> {
    const range = await super.getRange(...call);
    this.reads.push({ key: call[0], start: call[1], bytes: range.length });
    return range;
  }
}

interface Stage {
  readonly path: DataPath;
  readonly store: WatchedStore;
  /** By partition. */
  readonly pointers: readonly Pointers[];
}

/** Files with one batch of each partition after the other, each file with the next offset. */
async function stage(
  fileIds: readonly string[],
  {
    partitions = 100,
    batchBytes = 1_000,
    pages = {},
  }: {
    readonly partitions?: number;
    readonly batchBytes?: number;
    readonly pages?: DataPathOptions['pages'];
  } = {},
): Promise<Stage> {
  const store = new WatchedStore();
  const path = new DataPath({ store, pages: { pageBytes, ...pages } });
  await path.ready();
  const batches = fileIds.map((_, file) =>
    buildRecordBatch(
      [{ offset: BigInt(file), timestamp: 1n, key: null, value: Buffer.alloc(batchBytes - 80) }],
      {
        baseOffset: BigInt(file),
        partitionLeaderEpoch: 0,
      },
    ),
  );
  const front = 100;
  for (const [file, fileId] of fileIds.entries()) {
    const content = [Buffer.alloc(front), ...Array.from({ length: partitions }, () => batches[file]!)];
    store.objects.set(logFileKey(path.cluster.clusterId, fileId), Buffer.concat(content));
  }
  const pointers = Array.from({ length: partitions }, (_, partition) => ({
    fileId: [...fileIds],
    byteStart: Float64Array.from(batches, ({ length }) => front + partition * length),
    byteLength: Float64Array.from(batches, ({ length }) => length),
    baseOffset: Float64Array.from(batches, (_, file) => file),
    nextOffset: Float64Array.from(batches, (_, file) => file + 1),
  }));
  return { path, store, pointers };
}

async function read(
  { path, pointers }: Stage,
  partition: number,
  { fromOffset = 0, bytesMax = 1 << 20 } = {},
) {
  const query = { pointers: pointers[partition]!, fromOffset, bytesMax, atLeastOne: true };
  const [list] = await path.readPath.readBatches([query]);
  if (list instanceof Error) throw list;
  return list!;
}

test('a reader of one partition reads no more of merged files than its ranges', async () => {
  const files = [1, 2, 3, 4].map(mergedId);
  const stored = await stage(files);
  const list = await read(stored, 50);
  assert.equal(list.batchCount, 4);
  assert.equal(list.nextOffset, 4);
  const bytes = stored.store.reads.reduce((sum, { bytes }) => sum + bytes, 0);
  assert.equal(bytes, list.bytes);
  assert.equal(stored.store.reads.length, 4);
});

test('a page of which a second part is needed is loaded, and serves all further readers', async () => {
  const stored = await stage([mergedId(1)]);
  await read(stored, 10);
  await read(stored, 11);
  for (let partition = 0; partition < 60; partition++) await read(stored, partition);
  assert.deepEqual(
    stored.store.reads.map(({ bytes }) => bytes),
    [stored.pointers[10]!.byteLength[0], pageBytes],
  );
});

test('fifty readers of one range at a time read it, and its page once', async () => {
  const stored = await stage([mergedId(1)]);
  await Promise.all(Array.from({ length: 50 }, () => read(stored, 10)));
  assert.equal(stored.store.reads.length, 2);
});

test('files that were not merged are read by pages', async () => {
  const stored = await stage([newId(1), newId(2)]);
  await read(stored, 10);
  assert.deepEqual(
    stored.store.reads.map(({ bytes }) => bytes),
    [pageBytes, pageBytes],
  );
});

test('a range of more than half a page, or of more than the reader takes, is read by pages', async () => {
  const large = await stage([mergedId(1)], { partitions: 4, batchBytes: pageBytes / 2 + 100 });
  await read(large, 0);
  assert.equal(large.store.reads[0]!.bytes, pageBytes);
  const small = await stage([mergedId(1)]);
  await read(small, 10, { bytesMax: 100 });
  assert.equal(small.store.reads[0]!.bytes, pageBytes);
});

test('ranges of several files are requested at the same time', async () => {
  const stored = await stage([1, 2, 3, 4, 5, 6].map(mergedId));
  await read(stored, 10);
  assert.equal(stored.store.runningGetsMax, 6);
});

test('a damaged range is read again by its page before it counts as damaged', async () => {
  const stored = await stage([mergedId(1)]);
  const key = logFileKey(stored.path.cluster.clusterId, mergedId(1));
  const good = stored.store.objects.get(key)!;
  const bad = Buffer.from(good);
  bad[stored.pointers[10]!.byteStart[0]! + 500]! ^= 1;
  stored.store.objects.set(key, bad);
  await assert.rejects(read(stored, 10), (error) => error instanceof DamagedRange);
  assert.deepEqual(
    stored.store.reads.map(({ bytes }) => bytes < pageBytes),
    [true, false],
  );
  stored.store.objects.set(key, good);
  assert.equal((await read(stored, 11)).batchCount, 1);
});

test('a search by batches reads a range of a merged file without its pages', async () => {
  const stored = await stage([mergedId(1)]);
  const found = await stored.path.readPath.searchBatches(stored.pointers[10]!, (_, offset) => offset);
  assert.equal(found, 0);
  assert.equal(stored.store.reads[0]!.bytes, stored.pointers[10]!.byteLength[0]);
});

test('readers get the same batches, whatever was read before by ranges or pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 200, max: 40_000 }),
      fc.constantFrom(0, pageBytes, 10 * pageBytes),
      fc.array(
        fc.record({
          partition: fc.nat(9),
          fromOffset: fc.nat(5),
          bytesMax: fc.integer({ min: 1, max: 200_000 }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      async (merged, batchBytes, cacheBytesMax, reads) => {
        const files = merged.map((isMerged, file) => (isMerged ? mergedId(file) : newId(file)));
        const stored = await stage(files, { partitions: 10, batchBytes, pages: { cacheBytesMax } });
        const length = stored.pointers[0]!.byteLength[0]!;
        await Promise.all(
          reads.map(async ({ partition, bytesMax, ...query }) => {
            const fromOffset = Math.min(query.fromOffset, files.length - 1);
            const list = await read(stored, partition, { fromOffset, bytesMax });
            const wanted = Math.min(files.length - fromOffset, Math.max(1, Math.floor(bytesMax / length)));
            assert.equal(list.batchCount, wanted);
            assert.equal(list.nextOffset, fromOffset + wanted);
          }),
        );
      },
    ),
  );
});
