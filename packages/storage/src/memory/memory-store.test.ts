import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { KiB, seededRandom, systemClock } from '@weir/core';
import { emptyMemoryStore } from '../../testing/memory.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { dropMemoryBucket, type MemoryStoreOptions, openMemoryStore } from './memory-store.ts';

objectStoreContract('memory', { open: async () => emptyMemoryStore(), hasVersions: true });

const root = mkdtempSync(join(tmpdir(), 'weir-spill-'));
after(() => rmSync(root, { recursive: true, force: true }));
let opened = 0;

/** A store with its own folder. */
function spillingStore(memoryBytesMax: number, options: Partial<MemoryStoreOptions> = {}) {
  const name = `spilling-${opened++}`;
  const folder = join(root, name);
  mkdirSync(folder);
  const store = openMemoryStore(name, { clock: systemClock, directory: folder, memoryBytesMax, ...options });
  return { store, folder, drop: () => dropMemoryBucket(name) };
}

// Everything in files, and then some of it.
objectStoreContract('memory, all of it in files', {
  open: async () => spillingStore(0).store,
  hasVersions: true,
});
objectStoreContract('memory, some of it in files', {
  open: async () => spillingStore(4 * KiB).store,
  hasVersions: true,
});

/** How many files this process has open in the folder, including unlinked ones. */
function openFiles(folder: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${folder}/`);
    } catch {
      return false;
    }
  }).length;
}

async function textOf(store: ObjectStore, key: string): Promise<string> {
  return String(await store.getRange(key, 0, 1_000_000));
}

/** A write that fails from some point on, as on a full disk, after a partial write. */
function fullDisk() {
  const disk = { isFull: false };
  const writeAt: MemoryStoreOptions['writeAt'] = async (file, slices, position) => {
    const { writeSync } = await import('node:fs');
    const [first] = slices;
    const part = first!.subarray(0, Math.max(1, first!.length >> 1));
    if (disk.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    return writeSync(file, part, 0, part.length, position);
  };
  return { disk, writeAt };
}

test('objects that do not fit into memory are in unlinked files', async () => {
  const { store, folder, drop } = spillingStore(10);
  await store.put('first', [Buffer.from('0123456789')]);
  if (process.platform === 'linux') assert.equal(openFiles(folder), 0);
  await store.put('second', [Buffer.from('abc'), Buffer.from('def')]);
  assert.deepEqual(readdirSync(folder), []);
  if (process.platform === 'linux') assert.equal(openFiles(folder), 1);
  assert.deepEqual([await textOf(store, 'first'), await textOf(store, 'second')], ['0123456789', 'abcdef']);
  assert.equal(String(await store.getRange('second', 2, 4)), 'cd');
  // Freed memory is used again.
  await store.delete('first');
  await store.put('third', [Buffer.from('in memory')]);
  await store.delete('second');
  if (process.platform === 'linux') await untilSo(() => openFiles(folder) === 0);
  assert.equal(await textOf(store, 'third'), 'in memory');
  drop();
});

async function untilSo(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => systemClock.after(1, resolve));
}

test('a full disk fails the write with a clear error, and loses nothing else', async () => {
  const { disk, writeAt } = fullDisk();
  const { store, folder, drop } = spillingStore(4, { writeAt });
  await store.put('memory', [Buffer.from('1234')]);
  await store.put('file', [Buffer.from('before')]);
  disk.isFull = true;
  const isClear = (error: unknown) =>
    error instanceof StoreError &&
    error.kind === 'full' &&
    error.message ===
      `file: what does not fit into memory goes to ${folder}, and the file system returned ENOSPC; free space or raise the quota`;
  await assert.rejects(store.put('file', [Buffer.from('after')]), isClear);
  await assert.rejects(store.putIfAbsent('new', [Buffer.from('new')]), StoreError);
  assert.equal(await store.head('new'), undefined);
  assert.deepEqual([await textOf(store, 'memory'), await textOf(store, 'file')], ['1234', 'before']);
  disk.isFull = false;
  assert.equal(await store.putIfAbsent('new', [Buffer.from('new')]), true);
  await store.put('file', [Buffer.from('after')]);
  assert.deepEqual([await textOf(store, 'new'), await textOf(store, 'file')], ['new', 'after']);
  drop();
});

test('an unwritable directory is reported, and tried again', async () => {
  const missing = join(root, 'missing');
  const { store, drop } = spillingStore(0, { directory: missing });
  for (let attempt = 0; attempt < 2; attempt++)
    await assert.rejects(
      store.put('key', [Buffer.from('x')]),
      /missing, and the file system returned ENOENT/,
    );
  drop();
});

test('an object that is replaced, deleted or dropped while it is read is read completely', async () => {
  const { store, folder, drop } = spillingStore(64 * KiB);
  const random = seededRandom(7);
  const contentOf = (key: number, version: number) => Buffer.alloc(8 * KiB, `${key}.${version} `);
  const isWhole = (key: number, content: Buffer) => {
    const version = Number(/^\d+\.(\d+) /.exec(String(content.subarray(0, 16)))?.[1]);
    return content.equals(contentOf(key, version));
  };
  const write = async (writer: number) => {
    for (let version = 0; version < 60; version++) {
      const key = random.below(24);
      const content = contentOf(key, 100 * version + writer);
      const way = random.below(4);
      if (way === 0) await store.delete(`k${key}`);
      else if (way === 1) await store.putIfAbsent(`k${key}`, [content]);
      else await store.put(`k${key}`, [content.subarray(0, 5000), content.subarray(5000)]);
    }
  };
  const readSome = async () => {
    for (let count = 0; count < 120; count++) {
      const key = random.below(24);
      const content = await store.getRange(`k${key}`, 0, 1e6).catch(() => undefined);
      if (content !== undefined) assert.ok(isWhole(key, content), `k${key}`);
    }
  };
  await Promise.all([...[0, 1, 2, 3].map(write), ...[0, 1, 2, 3].map(readSome)]);
  drop();
  if (process.platform === 'linux') await untilSo(() => openFiles(folder) === 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('an object can be written while the last one of its file is deleted', async () => {
  const { store, drop } = spillingStore(0);
  // At every step of the write.
  for (let steps = 0; steps < 20; steps++) {
    await store.put('before', [Buffer.from('before')]);
    const written = store.put('after', [Buffer.from(`after ${steps}`)]);
    for (let step = 0; step < steps; step++) await undefined;
    await store.delete('before');
    await written;
    assert.equal(await textOf(store, 'after'), `after ${steps}`);
    await store.delete('after');
  }
  drop();
});

test('the memory of objects is bounded, however many there are', async (t: TestContext) => {
  const { store, drop } = spillingStore(256 * KiB);
  t.after(drop);
  const before = process.memoryUsage().arrayBuffers;
  const content = [Buffer.alloc(64 * KiB, 'x')];
  for (let number = 0; number < 200; number++) await store.put(`k${number}`, content);
  const grownBytes = process.memoryUsage().arrayBuffers - before;
  assert.ok(grownBytes <= 1024 * KiB, `${grownBytes} bytes`);
  assert.equal((await store.getRange('k199', 0, 1e6)).length, 64 * KiB);
});

test('stores with the same name share their objects, until the bucket is dropped', async () => {
  const [one, two, other] = ['shared', 'shared', 'other'].map((name) =>
    openMemoryStore(name, { clock: systemClock }),
  );
  await one!.put('key', [Buffer.from('x')]);
  await one!.close();
  assert.equal((await two!.head('key'))?.bytes, 1);
  assert.equal(await other!.head('key'), undefined);
  dropMemoryBucket('shared');
  assert.equal(await two!.head('key'), undefined);
});
