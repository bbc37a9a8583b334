import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchOf, DataPath } from '@weir/broker/testing';
import { markerBytes } from '@weir/cluster';
import { fileIdLevel, fileIdTimeMs, type Random, seededRandom } from '@weir/core';
import { buildLogFile, logFileKey, newFileId, ObjectNotFound, readLogFile, StoreError } from '@weir/storage';
import { recordBatches } from '@weir/wire';
import fc from 'fast-check';
import { type PointerRow, pointersOf } from '../../testing/pointer-rows.ts';
import { type MergeLimits, type MergeResult, type MergeRun, mergeFiles } from './merge-files.ts';

interface Place {
  readonly topicId: string;
  readonly partition: number;
  readonly rows: PointerRow[];
}

const never = new AbortController().signal;

function topicIdOf(number: number): string {
  return Buffer.alloc(16, number).toString('base64url');
}

/** Logs over a bucket, with the pointers that a leader would have. */
class Logs {
  readonly path = new DataPath({ pages: { pageBytes: 512, cacheBytesMax: 0, ownFiles: 'none' } });
  readonly places: Place[] = [];
  readonly #random: Random;
  #nowMs = 1_700_000_000_000;

  static async open(seed: number, topicCount: number, partitionCount: number): Promise<Logs> {
    const logs = new Logs(seededRandom(seed), topicCount, partitionCount);
    await logs.path.ready();
    return logs;
  }

  private constructor(random: Random, topicCount: number, partitionCount: number) {
    this.#random = random;
    for (let topic = topicCount; topic > 0; topic--)
      for (let partition = 0; partition < partitionCount; partition++)
        this.places.push({ topicId: topicIdOf(topic), partition, rows: [] });
  }

  get clusterId(): string {
    return this.path.cluster.clusterId;
  }

  /** Writes a file as an agent does: some batches of some partitions, and ends of transactions after it. */
  write(batchesPerPartition: number, recordBytesMax = 60): void {
    const random = this.#random;
    const fileId = newFileId(this.#nowMs++, random);
    const written = this.places.flatMap((place) =>
      Array.from({ length: random.below(batchesPerPartition + 1) }, () => ({
        place,
        bytes: this.#batch(recordBytesMax),
      })),
    );
    const batches = written.map(({ place: { topicId, partition }, bytes }) => ({
      topicId,
      partition,
      bytes,
    }));
    const { slices, placed } = buildLogFile({ clusterId: this.clusterId, fileId, batches });
    this.path.store.objects.set(logFileKey(this.clusterId, fileId), Buffer.concat(slices));
    for (const place of this.places) {
      const own = written.flatMap((one, index) => (one.place === place ? [index] : []));
      // Sometimes a pointer per batch, and sometimes one for all.
      const pointers = random.below(2) === 0 ? own.map((index) => [index]) : own.length === 0 ? [] : [own];
      for (const indexes of pointers) {
        const baseOffset = place.rows.at(-1)?.nextOffset ?? 0;
        const recordCount = indexes.reduce((sum, index) => sum + written[index]!.bytes.readInt32BE(57), 0);
        place.rows.push({
          fileId,
          byteStart: placed.byteStart[indexes[0]!]!,
          byteLength: indexes.reduce((sum, index) => sum + written[index]!.bytes.length, 0),
          baseOffset,
          nextOffset: baseOffset + recordCount,
        });
      }
      if (random.below(4) === 0) this.#end(place);
    }
  }

  #batch(recordBytesMax: number): Buffer {
    const random = this.#random;
    const values = Array.from({ length: 1 + random.below(4) }, () =>
      'v'.repeat(random.below(recordBytesMax)),
    );
    return batchOf(values, { maxTimestamp: BigInt(random.below(1_000_000)) });
  }

  #end({ rows }: Place): void {
    const baseOffset = rows.at(-1)?.nextOffset ?? 0;
    const marker = { isCommit: this.#random.below(2) === 0, producerId: this.#random.below(5) };
    rows.push({
      fileId: '',
      byteStart: 0,
      byteLength: markerBytes,
      baseOffset,
      nextOffset: baseOffset + 1,
      marker,
    });
  }

  /** Merges some rows of each partition, and replaces them as the leader would. */
  async merge(
    level: number,
    rowsOf: (place: Place) => readonly [from: number, to: number],
    limits: Partial<MergeLimits> = {},
  ): Promise<MergeResult> {
    const runs = this.places.flatMap((place): MergeRun[] => {
      const rows = place.rows.slice(...rowsOf(place));
      return rows.length === 0 ? [] : [{ ...place, pointers: pointersOf(rows) }];
    });
    const { store } = this.path;
    const plan = { clusterId: this.clusterId, level, runs };
    const result = await mergeFiles(plan, { store, random: this.#random, signal: never, limits });
    for (const { topicId, partition, baseOffset, nextOffset, pointers } of result.ranges) {
      const { rows } = this.places.find(
        (place) => place.topicId === topicId && place.partition === partition,
      )!;
      const first = rows.findIndex((row) => row.baseOffset === baseOffset);
      const after = rows.findIndex((row) => row.nextOffset === nextOffset) + 1;
      assert.ok(first >= 0 && after > first);
      assert.deepEqual(
        [pointers[0]!.baseOffset, ...pointers.map((pointer) => pointer.nextOffset)],
        [...pointers.map((pointer) => pointer.baseOffset), nextOffset],
        'pointers cover the range without a gap',
      );
      rows.splice(first, after - first, ...pointers);
    }
    return result;
  }

  async #read({ rows }: Place, fromOffset: number, bytesMax = Number.MAX_SAFE_INTEGER): Promise<string> {
    const query = { pointers: pointersOf(rows), fromOffset, bytesMax, atLeastOne: true };
    const [list] = await this.path.readPath.readBatches([query]);
    if (list instanceof Error) throw list;
    return Buffer.concat(list!.slices).toString('hex');
  }

  /** What clients get of each partition, from every offset on. */
  async readAll(): Promise<string[]> {
    const results: string[] = [];
    for (const place of this.places) {
      const end = place.rows.at(-1)?.nextOffset ?? 0;
      for (let offset = 0; offset < end; offset++) {
        results.push(await this.#read(place, offset));
        results.push(await this.#read(place, offset, 200));
      }
    }
    return results;
  }

  key(fileId: string): string {
    return logFileKey(this.clusterId, fileId);
  }
}

const all = ({ rows }: Place) => [0, rows.length] as const;

test('every offset reads the same before and after merges, across levels, whatever the limits', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(200, 1_500, 1 << 20),
      fc.constantFrom(1, 150, 600, 1 << 20),
      fc.constantFrom(1, 2_000, 1 << 20),
      async (seed, fileCount, fileBytesMax, pointerBytesMax, readBytesMax) => {
        const random = seededRandom(seed);
        const logs = await Logs.open(seed, 1 + random.below(2), 1 + random.below(3));
        const limits = { fileBytesMax, pointerBytesMax, readBytesMax };
        for (let file = 0; file < fileCount; file++) logs.write(3);
        const before = await logs.readAll();
        const cuts = new Map(logs.places.map((place) => [place, random.below(place.rows.length + 1)]));

        // Some rows become files of level 1, all of them then files of level 2.
        const first = await logs.merge(1, (place) => [0, cuts.get(place)!], limits);
        assert.deepEqual(await logs.readAll(), before, 'level 1');
        const second = await logs.merge(2, all, limits);
        assert.deepEqual(await logs.readAll(), before, 'level 2');

        for (const [level, result] of [
          [1, first],
          [2, second],
        ] as const) {
          assert.deepEqual(result.refused, []);
          for (const { fileId, fileBytes } of result.files) {
            assert.equal(fileIdLevel(fileId), level);
            const file = await readLogFile(logs.path.store, logs.key(fileId));
            assert.equal(file.fileBytes, fileBytes);
            const content = logs.path.store.objects.get(logs.key(fileId))!;
            for (const { byteStart, byteLength, baseOffset, nextOffset } of file.sections) {
              const stored = content.subarray(byteStart, byteStart + byteLength);
              const batches = [...recordBatches(stored, { partialTail: 'error' })];
              assert.equal(Number(batches[0]!.baseOffset), baseOffset);
              assert.equal(Number(batches.at(-1)!.nextOffset), nextOffset);
            }
          }
          for (const { pointers } of result.ranges)
            for (const { fileId, byteStart, byteLength, maxTimestampMs } of pointers) {
              const content = logs.path.store.objects.get(logs.key(fileId))!;
              const stored = content.subarray(byteStart, byteStart + byteLength);
              const batches = [...recordBatches(stored, { partialTail: 'error' })];
              assert.ok(batches.length === 1 || byteLength <= pointerBytesMax);
              const times = batches.map(({ isControl, maxTimestamp }) =>
                isControl ? -1 : Number(maxTimestamp),
              );
              assert.equal(maxTimestampMs, Math.max(...times));
            }
        }
        // Nothing refers to other files any more.
        const last = new Set(second.files.map(({ fileId }) => fileId));
        for (const { rows } of logs.places) assert.ok(rows.every(({ fileId }) => last.has(fileId)));
      },
    ),
    { numRuns: 15 },
  );
});

test('a compacted file has the time of its newest input, and outputs are in order', async () => {
  const logs = await Logs.open(1, 2, 2);
  for (let file = 0; file < 6; file++) logs.write(3);
  const newest = Math.max(
    ...logs.places.flatMap(({ rows }) =>
      rows.map(({ fileId }) => (fileId === '' ? 0 : fileIdTimeMs(fileId))),
    ),
  );
  const { files } = await logs.merge(1, all, { fileBytesMax: 700 });
  assert.ok(files.length > 2);
  const ids = files.map(({ fileId }) => fileId);
  assert.deepEqual(ids, [...ids].sort());
  assert.deepEqual(new Set(ids.map(fileIdTimeMs)), new Set([newest]));
});

test('each byte is read once, by few requests, and memory is bounded', async () => {
  const logs = await Logs.open(2, 4, 8);
  for (let file = 0; file < 32; file++) logs.write(3, 2_000);
  const inputs = [...logs.path.store.objects.values()];
  const inputBytes = inputs.reduce((sum, { length }) => sum + length, 0);
  const getsBefore = logs.path.store.gets;
  const readBytesMax = inputBytes / 2;
  const { requestCount, inputBytesHeldMax, bytesRead } = await logs.merge(1, all, { readBytesMax });
  assert.equal(logs.path.store.gets - getsBefore, requestCount);
  assert.ok(bytesRead <= inputBytes, `${bytesRead} of ${inputBytes}`);
  assert.ok(requestCount <= 2 * inputs.length, `${requestCount} requests for ${inputs.length} files`);
  assert.ok(inputBytesHeldMax <= inputBytes, String(inputBytesHeldMax));
});

test('input whose order is not that of the output is read range by range', async () => {
  const logs = await Logs.open(3, 2, 3);
  for (let file = 0; file < 3; file++) logs.write(3);
  // The first topic exchanges its pointers with the last.
  const [one, other] = [logs.places[0]!, logs.places.at(-1)!];
  const rows = one.rows.splice(0);
  one.rows.push(...other.rows.splice(0));
  other.rows.push(...rows);
  const before = await logs.readAll();
  await logs.merge(1, all);
  assert.deepEqual(await logs.readAll(), before);
});

const damages: Record<string, (content: Buffer, row: PointerRow) => Buffer | undefined> = {
  missing: () => undefined,
  short: (content, { byteStart, byteLength }) => content.subarray(0, byteStart + byteLength - 1),
  corrupt: (content, { byteStart, byteLength }) => {
    const changed = Buffer.from(content);
    changed[byteStart + byteLength - 1]! ^= 1;
    return changed;
  },
};

test('a damaged range stays where it is, and all others move', async () => {
  for (const [kind, damage] of Object.entries(damages)) {
    const logs = await Logs.open(4, 1, 1);
    for (let file = 0; file < 12; file++) logs.write(2);
    const place = logs.places[0]!;
    const files = [...new Set(place.rows.map(({ fileId }) => fileId))].filter((fileId) => fileId !== '');
    const row = place.rows.filter(({ fileId }) => fileId === files[4]).at(-1)!;
    const before = await logs.readAll();
    const key = logs.key(row.fileId);
    const content = logs.path.store.objects.get(key)!;
    const changed = damage(content, row);
    if (changed === undefined) logs.path.store.objects.delete(key);
    else logs.path.store.objects.set(key, changed);

    const { refused, ranges } = await logs.merge(1, all);
    assert.ok(refused.length > 0);
    assert.ok(
      refused.every((one) => one.damage.kind === kind && one.damage.fileId === row.fileId),
      kind,
    );
    assert.equal(ranges.length, 2, 'before and after the damage');
    assert.deepEqual(
      new Set(place.rows.filter(({ fileId }) => fileIdLevel(fileId) === 0).map(({ fileId }) => fileId)),
      new Set([row.fileId]),
    );
    // With the file restored, everything reads as before.
    logs.path.store.objects.set(key, content);
    assert.deepEqual(await logs.readAll(), before);
  }
});

test('a merge that fails or is aborted leaves nothing behind', async () => {
  for (const how of ['read', 'part', 'finish', 'abort'] as const) {
    const logs = await Logs.open(5, 2, 2);
    for (let file = 0; file < 8; file++) logs.write(3);
    const { store } = logs.path;
    const before = new Map(store.objects);
    const stop = new AbortController();
    const getsAtStart = store.gets;
    store.beforeGet = (get) => {
      if (get - getsAtStart < 5) return;
      if (how === 'read') throw new StoreError('unavailable', 'key', 'test');
      if (how === 'abort') stop.abort(new Error('agent is shutting down'));
    };
    let puts = 0;
    store.beforePut = () => {
      if (how === 'part' && ++puts === 3) throw new StoreError('unavailable', 'key', 'test');
    };
    const beginUpload = store.beginUpload.bind(store);
    let uploads = 0;
    store.beginUpload = async (key) => {
      const upload = await beginUpload(key);
      if (how !== 'finish' || ++uploads < 3) return upload;
      return { ...upload, finish: () => Promise.reject(new StoreError('unavailable', key, 'test')) };
    };
    const runs = logs.places.map((place) => ({ ...place, pointers: pointersOf(place.rows) }));
    const merging = mergeFiles(
      { clusterId: logs.clusterId, level: 1, runs },
      { store, random: seededRandom(1), signal: stop.signal, limits: { fileBytesMax: 500, readBytesMax: 1 } },
    );
    await assert.rejects(merging, how === 'abort' ? /agent is shutting down/ : /test/);
    assert.deepEqual(new Map(store.objects), before, how);
  }
});

test('nothing to merge is no file', async () => {
  const logs = await Logs.open(6, 1, 2);
  const result = await logs.merge(1, all);
  assert.deepEqual([result.files, result.ranges, result.refused], [[], [], []]);
  await assert.rejects(readLogFile(logs.path.store, 'none'), ObjectNotFound);
});

test('progress reaches all bytes', async () => {
  const logs = await Logs.open(7, 1, 2);
  for (let file = 0; file < 4; file++) logs.write(3);
  const seen: [number, number][] = [];
  const runs = logs.places.map((place) => ({ ...place, pointers: pointersOf(place.rows) }));
  await mergeFiles(
    { clusterId: logs.clusterId, level: 1, runs },
    {
      store: logs.path.store,
      random: seededRandom(1),
      signal: never,
      progress: (copied, total) => void seen.push([copied, total]),
    },
  );
  const [copied, total] = seen.at(-1)!;
  assert.equal(copied, total);
});
