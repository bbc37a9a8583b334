import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { KiB, type Random, seededRandom, silentLog, systemClock, systemRandom } from '@weir/core';
import { pause } from '@weir/core/testing';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { contentOf } from '../../testing/segments.ts';
import { createFileBucket } from '../file/bucket-directory.ts';
import { openFileStore } from '../file/file-store.ts';
import { segmentsFolder } from '../file/list-files.ts';
import { scrubLogFile } from '../log-file/scrub-log-file.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { blockBytes } from './frame.ts';
import { SegmentDamaged } from './scan-segment.ts';
import { type FileContent, SegmentLog } from './segment-log.ts';
import { SegmentReader } from './segment-reader.ts';
import { withSegments } from './with-segments.ts';

const home = await mkdtemp(join(tmpdir(), 'weir-segments-'));
after(() => rm(home, { recursive: true, force: true }));

let buckets = 0;
const deps = { clock: systemClock, log: silentLog, segmentBytes: 64 * KiB, freeSegmentsMax: 2 };

async function newBucket(): Promise<string> {
  const path = join(home, String(buckets++));
  await createFileBucket(path);
  return path;
}

async function openLog(path: string): Promise<SegmentLog> {
  const log = await SegmentLog.open(path, deps);
  await log.begin();
  return log;
}

async function storeOver(path: string, segments: SegmentLog | SegmentReader): Promise<ObjectStore> {
  return withSegments(await openFileStore(path, { clock: systemClock, random: systemRandom }), segments);
}

const record = (text: string) => Buffer.from(text);
const keysIn = (log: SegmentLog) => [...log.all()].map(([key]) => key).sort();
const bytesOf = ({ slices }: FileContent) => Buffer.concat(slices);

async function recordsIn(log: SegmentLog): Promise<string[]> {
  const found: string[] = [];
  for await (const { record } of log.records()) found.push(String(record));
  return found;
}

async function segmentPaths(path: string): Promise<string[]> {
  const names = await readdir(join(path, segmentsFolder));
  return names.sort().map((name) => join(path, segmentsFolder, name));
}

for (const role of ['owner', 'reader'] as const)
  objectStoreContract(`file with segments, ${role}`, {
    async open() {
      const path = await newBucket();
      const log = await openLog(path);
      await log.append(record('of another cluster'), [contentOf(99, 10)]);
      log.remove(contentOf(99, 10).key);
      await log.append(record('a deletion'));
      return await storeOver(path, role === 'owner' ? log : new SegmentReader(path));
    },
    manyObjects: 1010,
    hasVersions: true,
  });

test('files of a frame are read like objects, by their owner and by others', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const files = [contentOf(1, 5_000), contentOf(2, 0), contentOf(3, 200_000)];
  await log.append(record('one'), files.slice(0, 2));
  const readers = [await storeOver(path, log), await storeOver(path, new SegmentReader(path))];
  await log.append(record('two'), files.slice(2));
  await readers[0]!.put('other/object', [Buffer.from('x')]);
  for (const store of readers) {
    for (const file of files) {
      const whole = bytesOf(file);
      assert.deepEqual(await store.getRange(file.key, 0, 1_000_000), whole);
      assert.deepEqual(await store.getRange(file.key, 30, 50), whole.subarray(30, 50));
      assert.equal((await store.getRange(file.key, whole.length + 1, whole.length + 9)).length, 0);
      assert.equal((await store.head(file.key))?.bytes, whole.length);
      await scrubLogFile(store, file.key);
      assert.equal(await store.putIfAbsent(file.key, [Buffer.from('taken')]), false);
    }
    const listed: string[] = [];
    for await (const page of store.list('')) listed.push(...page.map(({ key }) => key));
    assert.deepEqual(listed, [...files.map(({ key }) => key), 'other/object'].sort());
    await assert.rejects(async () => store.put(`${segmentsFolder}/x`, [Buffer.from('x')]), StoreError);
  }
  await readers[0]!.delete(files[0]!.key);
  await assert.rejects(readers[0]!.getRange(files[0]!.key, 0, 1), { kind: 'notFound' });
  // A deletion is durable with the next frame.
  await log.append(record('three'));
  const later = await storeOver(path, new SegmentReader(path));
  assert.equal(await later.head(files[0]!.key), undefined);
});

test('a segment is written again when its files are deleted and its records are elsewhere', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  for (let number = 1; number <= 30; number++) {
    const sequence = await log.append(record(`${number}`), [contentOf(number, 20_000)]);
    log.release(sequence);
    if (number > 2) log.remove(contentOf(number - 2, 20_000).key);
  }
  await log.append(record('last'));
  assert.ok((await segmentPaths(path)).length <= 5, String(await segmentPaths(path)));
  await log.close();
  const again = await openLog(path);
  assert.deepEqual(keysIn(again), [contentOf(29, 0).key, contentOf(30, 0).key]);
  for (const number of [29, 30]) await scrubLogFile(await storeOver(path, again), contentOf(number, 0).key);
});

/** Appends frames until the log has prepared a segment, and returns its path. */
async function preparedSegment(path: string, log: SegmentLog): Promise<string> {
  const sizes = async () => {
    const paths = await segmentPaths(path);
    return await Promise.all(paths.map(async (segment) => ({ segment, bytes: (await stat(segment)).size })));
  };
  await log.append(record('more than half of a segment'), [contentOf(500, 40_000)]);
  for (;;) {
    const found = (await sizes()).find(({ bytes }) => bytes === deps.segmentBytes);
    if (found !== undefined) return found.segment;
    await pause();
  }
}

test('a segment is prepared before it is needed, and then does not grow', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const prepared = await preparedSegment(path, log);
  assert.deepEqual(await readFile(prepared), Buffer.alloc(deps.segmentBytes));
  const file = contentOf(501, 40_000);
  await log.append(record('in the next one'), [file]);
  assert.equal(log.find(file.key)!.path, prepared);
  assert.equal((await stat(prepared)).size, deps.segmentBytes);
  // As after a crash.
  const again = await SegmentLog.open(path, deps);
  assert.deepEqual(await recordsIn(again), ['more than half of a segment', 'in the next one']);
  for (const key of keysIn(again)) await scrubLogFile(await storeOver(path, again), key);
});

test('a log that is closed leaves no segment half prepared, and one that died leaves one to write', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  await log.append(record('more than half of a segment'), [contentOf(500, 40_000)]);
  await log.close();
  for (const segment of await segmentPaths(path)) assert.notEqual((await readFile(segment)).length, 0);
  const left = [0, 5].map((blocks) => ({
    name: `0000009${blocks}.seg`,
    content: Buffer.alloc(blocks * blockBytes),
  }));
  for (const { name, content } of left) await writeFile(join(path, segmentsFolder, name), content);
  const again = await openLog(path);
  const files = [contentOf(501, 40_000), contentOf(502, 40_000)];
  for (const file of files) await again.append(record('x'), [file]);
  assert.deepEqual(
    files.map(({ key }) => basename(again.find(key)!.path)),
    ['00000095.seg', '00000090.seg'],
  );
});

test('a frame that is written in parts is one frame', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const files = [contentOf(1, 3_000_001), contentOf(2, 70), contentOf(3, 2_500_003)];
  await log.append(record('large'), files);
  await log.append(record('small'), [contentOf(4, 10)]);
  const again = await SegmentLog.open(path, deps);
  assert.deepEqual(await recordsIn(again), ['large', 'small']);
  const store = await storeOver(path, again);
  for (const file of files) assert.deepEqual(await store.getRange(file.key, 0, 10_000_000), bytesOf(file));
});

test('a read whose segment is written again meanwhile finds nothing', async () => {
  const path = await newBucket();
  const log = await SegmentLog.open(path, { ...deps, freeSegmentsMax: 9 });
  await log.begin();
  const [first, second] = [contentOf(1, 60_000), contentOf(2, 60_000)];
  await log.append(record('1'), [first]);
  log.release(await log.append(record('2'), [second]));
  const location = log.find(first.key)!;
  assert.deepEqual(await log.read(location, 0, 100_000), bytesOf(first));
  log.remove(first.key);
  // Segments that were prepared or are free may be written before.
  const paths: string[] = [];
  for (let number = 3; number <= 9 && !paths.includes(location.path); number++) {
    await log.append(record('x'), [contentOf(number, 60_000)]);
    paths.push(log.find(contentOf(number, 0).key)!.path);
  }
  assert.ok(paths.includes(location.path), String(paths));
  assert.ok((await log.read(location, 0, 100_000)) === undefined);
});

test('a log keeps its id when nothing in it is needed', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const { id } = log;
  // Each process dies before it appends anything.
  for (let start = 1; start <= 3; start++) {
    const again = await SegmentLog.open(path, { ...deps, sparseBytesMax: 0 });
    assert.equal(again.id, id, `start ${start}`);
    again.release(again.lastSequence);
    await again.tidy(await storeOver(path, again));
    await again.begin();
  }
});

test('records that are not released keep their segment', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const texts = Array.from({ length: 20 }, (_, number) => `record ${number}`);
  for (const text of texts) await log.append(record(text.padEnd(9_000)));
  const again = await SegmentLog.open(path, deps);
  assert.deepEqual(
    (await recordsIn(again)).map((text) => text.trim()),
    texts,
  );
});

test('files of segments that are mostly unneeded become ordinary objects', async (t) => {
  const path = await newBucket();
  const log = await SegmentLog.open(path, { ...deps, sparseBytesMax: 0 });
  await log.begin();
  t.after(() => log.close());
  const store = await storeOver(path, log);
  const count = 12;
  for (let number = 1; number <= count; number++)
    log.release(await log.append(record('x'), [contentOf(number, 20_000)]));
  for (let number = 1; number <= count; number++) if (number % 4 !== 0) log.remove(contentOf(number, 0).key);
  await log.tidy(store);
  const { length } = keysIn(log);
  assert.ok(length <= 1, `${length} files are left`);
  for (const number of [4, 8, 12]) await scrubLogFile(store, contentOf(number, 0).key);
  // Without the log they are there too.
  const plain = await openFileStore(path, { clock: systemClock, random: systemRandom });
  await scrubLogFile(plain, contentOf(4, 0).key);
});

/** The last segment of a log with three frames, and where the last one begins. */
async function threeFrames(path: string): Promise<{ segment: string; whole: Buffer; lastAt: number }> {
  const log = await openLog(path);
  for (const number of [1, 2]) await log.append(record(`record ${number}`), [contentOf(number, 3_000)]);
  const [segment] = await segmentPaths(path);
  const lastAt = (await readFile(segment!)).length;
  await log.append(record('record 3'), [contentOf(3, 6_000), contentOf(4, 2_000)]);
  return { segment: segment!, whole: await readFile(segment!), lastAt };
}

test('a frame that is torn anywhere is dropped, and those before it stay', async () => {
  const path = await newBucket();
  const { segment, whole, lastAt } = await threeFrames(path);
  const end = lastAt + contentEnd(whole.subarray(lastAt));
  const cuts = new Set<number>();
  for (let at = lastAt; at < Math.min(lastAt + 300, end); at++) cuts.add(at);
  for (let at = lastAt; at < end; at += 512) cuts.add(at);
  for (const at of [end - 2, end - 1]) cuts.add(at);
  for (const cut of cuts) {
    for (const rest of ['nothing', 'zeros', 'old bytes'] as const) {
      await writeFile(segment, whole.subarray(0, cut));
      if (rest === 'zeros') await truncate(segment, whole.length);
      if (rest === 'old bytes')
        await writeFile(segment, Buffer.alloc(whole.length - cut, 0x5a), { flag: 'a' });
      const log = await openLog(path);
      assert.deepEqual(await recordsIn(log), ['record 1', 'record 2'], `cut at ${cut}, ${rest}`);
      assert.deepEqual(keysIn(log), [contentOf(1, 0).key, contentOf(2, 0).key]);
      await log.append(record('after'), [contentOf(5, 100)]);
      const again = await SegmentLog.open(path, deps);
      assert.deepEqual(await recordsIn(again), ['record 1', 'record 2', 'after'], `cut at ${cut}, ${rest}`);
      for (const other of await segmentPaths(path)) if (other !== segment) await rm(other);
    }
  }
  await writeFile(segment, whole.subarray(0, end));
  assert.deepEqual(await recordsIn(await SegmentLog.open(path, deps)), ['record 1', 'record 2', 'record 3']);
});

/** The bytes of a frame without its padding, whose content ends with the magic of a log file. */
function contentEnd(frame: Buffer): number {
  let end = frame.length;
  while (frame[end - 1] === 0) end--;
  return end;
}

test('what is damaged before the last frame is refused in one line', async () => {
  const path = await newBucket();
  const { segment, whole } = await threeFrames(path);
  const places = {
    'header of the segment': 20,
    'first frame': blockBytes + 10,
    'table of the next one': 2 * blockBytes + 70,
  };
  for (const [place, at] of Object.entries(places)) {
    const damaged = Buffer.from(whole);
    damaged[at]! ^= 0x55;
    await writeFile(segment, damaged);
    await assert.rejects(SegmentLog.open(path, deps), (error: Error) => {
      assert.ok(error instanceof SegmentDamaged, place);
      assert.match(error.message, /\.seg: .* damaged.*; restore a backup$/);
      return true;
    });
  }
  await writeFile(segment, whole);
  const log = await openLog(path);
  await log.append(record('in the next segment'));
  await log.close();
  // The last frame of a segment that is not the last one.
  const { lastAt } = { lastAt: whole.length };
  await truncate(segment, lastAt - 2 * blockBytes);
  await assert.rejects(SegmentLog.open(path, deps), SegmentDamaged);
});

test('content cannot pass for a frame', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  const inner = await newBucket();
  const other = await openLog(inner);
  await other.append(record('forged'), [contentOf(66, 100)]);
  const [foreign] = await segmentPaths(inner);
  const forged = (await readFile(foreign!)).subarray(blockBytes);
  const file = contentOf(1, 0);
  const padding = Buffer.alloc(blockBytes - 64);
  for (let number = 0; number < 8; number++)
    log.release(
      await log.append(record('real'), [{ key: `${file.key}${number}`, slices: [padding, forged, forged] }]),
    );
  for (let number = 0; number < 8; number++) log.remove(`${file.key}${number}`);
  await log.append(record('real'), [contentOf(2, 40_000)]);
  await log.append(record('real'), [contentOf(3, 40_000)]);
  await log.append(record('real'), [contentOf(4, 10)]);
  const again = await SegmentLog.open(path, deps);
  assert.equal((await recordsIn(again)).includes('forged'), false);
  assert.equal(keysIn(again).includes(contentOf(66, 0).key), false);
});

test('a bucket that was removed takes no frames', async () => {
  const path = await newBucket();
  const log = await openLog(path);
  await log.append(record('one'));
  await rm(path, { recursive: true });
  await assert.rejects(log.append(record('two')), { kind: 'bucketMissing' });
});

/** What was acknowledged, and so what a log must still have after a crash. */
interface Model {
  readonly files: Map<string, FileContent>;
  /** By sequence number. */
  readonly records: Map<number, string>;
  released: number;
}

async function step(log: SegmentLog, model: Model, random: Random, number: number): Promise<void> {
  const keys = [...model.files.keys()];
  const choice = random.below(10);
  if (choice < 6) {
    const files = Array.from({ length: random.below(3) }, (_, at) =>
      contentOf(number * 4 + at, random.below(20_000)),
    );
    const text = `record ${number}`;
    model.records.set(await log.append(record(text), files), text);
    for (const file of files) model.files.set(file.key, file);
  } else if (choice < 9 && keys.length > 0) {
    for (const key of keys.slice(0, 1 + random.below(keys.length))) {
      log.remove(key);
      model.files.delete(key);
    }
  } else {
    model.released = log.lastSequence;
    log.release(model.released);
  }
}

async function check(path: string, model: Model, context: string): Promise<SegmentLog> {
  const log = await openLog(path);
  const store = await storeOver(path, log);
  const found = new Map<number, string>();
  for await (const { sequence, record } of log.records()) found.set(sequence, String(record));
  for (const [sequence, text] of model.records) {
    if (sequence > model.released) assert.equal(found.get(sequence), text, context);
  }
  for (const [key, file] of model.files)
    assert.deepEqual(await store.getRange(key, 0, 1_000_000), bytesOf(file), `${context}: ${key}`);
  return log;
}

/** Copies the bucket as a crash would leave it, perhaps with a part of the frame that was being written. */
async function crashed(path: string, log: SegmentLog, random: Random): Promise<string> {
  const copy = join(home, String(buckets++));
  await log.append(record(''));
  await cp(path, copy, { recursive: true });
  if (random.below(2) === 0) return copy;
  const before = new Map<string, Buffer>();
  for (const segment of await segmentPaths(copy)) before.set(segment, await readFile(segment));
  // The frame that is torn is written to the original, and then partly to the copy.
  await log.append(record('torn'), [contentOf(1_000_000 + random.below(1_000_000), random.below(30_000))]);
  for (const segment of await segmentPaths(path)) {
    const target = segment.replace(path, copy);
    const old = before.get(target) ?? Buffer.alloc(0);
    const now = await readFile(segment);
    if (now.equals(old)) continue;
    const torn = Buffer.alloc(random.below(2) === 0 ? now.length : old.length);
    old.copy(torn);
    for (let at = 0; at < torn.length; at += 512)
      if (random.below(4) > 0) now.copy(torn, at, at, Math.min(at + 512, torn.length));
    await writeFile(target, torn);
  }
  return copy;
}

test('a crash at any point loses nothing that was acknowledged', async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const random = seededRandom(seed);
    let path = await newBucket();
    let log = await openLog(path);
    const model: Model = { files: new Map(), records: new Map(), released: 0 };
    for (let number = 1; number <= 60; number++) {
      await step(log, model, random, number);
      if (random.below(12) > 0) continue;
      if (random.below(3) === 0) await log.close();
      else path = await crashed(path, log, random);
      log = await check(path, model, `seed ${seed}, step ${number}`);
      // As the scan for dead files would: deletions that no frame carried, and what was never acknowledged.
      for (const key of keysIn(log)) if (!model.files.has(key)) log.remove(key);
      model.records.clear();
      model.released = log.lastSequence;
      log.release(model.released);
    }
    await log.close();
    await check(path, model, `seed ${seed}, end`);
  }
});
