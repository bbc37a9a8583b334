import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom, systemClock, systemRandom } from '@weir/core';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { createFileBucket } from './bucket-directory.ts';
import { fileStoreError } from './file-errors.ts';
import { leftoverAgeMs, openFileStore } from './file-store.ts';
import { temporaryFolder } from './list-files.ts';

const home = await mkdtemp(join(tmpdir(), 'weir-file-store-'));
after(() => rm(home, { recursive: true, force: true }));

let directories = 0;
const newDirectory = () => join(home, String(directories++));
const deps = { clock: systemClock, random: systemRandom };

async function openNew(directory: string, more: Partial<typeof deps> = {}): Promise<ObjectStore> {
  await createFileBucket(directory);
  return await openFileStore(directory, { ...deps, ...more });
}

// Every object is synced, which is slow, so the second page has few.
objectStoreContract('file', {
  open: () => openNew(newDirectory()),
  openMissing: () => openFileStore(newDirectory(), deps),
  manyObjects: 1010,
  hasVersions: true,
});

test('the key is the path', async () => {
  const directory = newDirectory();
  const store = await openNew(directory);
  await store.put('service/vci_1/ab/file', [Buffer.from('content')]);
  assert.equal(await readFile(join(directory, 'service/vci_1/ab/file'), 'utf8'), 'content');
});

test('failed or rejected writes leave nothing behind', async () => {
  const directory = newDirectory();
  const store = await openNew(directory);
  await store.put('taken', [Buffer.from('x')]);
  await store.putIfAbsent('taken', [Buffer.from('y')]);
  await assert.rejects(store.put(`long/${'x'.repeat(300)}`, [Buffer.from('y')]), { kind: 'invalid' });
  await assert.rejects(store.put('taken/below', [Buffer.from('y')]), { kind: 'invalid' });
  assert.deepEqual(await readdir(join(directory, temporaryFolder)), []);
});

test('a key that is the folder of others is rejected', async () => {
  const store = await openNew(newDirectory());
  await store.put('folder/object', [Buffer.from('x')]);
  await assert.rejects(store.put('folder', [Buffer.from('y')]), { kind: 'invalid' });
  await assert.rejects(store.putIfAbsent('folder', [Buffer.from('y')]), { kind: 'invalid' });
  assert.equal(await store.head('folder'), undefined);
  await assert.rejects(store.getRange('folder', 0, 1), { kind: 'notFound' });
  await store.delete('folder');
  assert.equal((await store.head('folder/object'))?.bytes, 1);
});

test('temporary files are not objects', async () => {
  const store = await openNew(newDirectory());
  await assert.rejects(async () => store.put(`${temporaryFolder}/x`, [Buffer.from('y')]), StoreError);
  for await (const page of store.list('')) assert.deepEqual(page, []);
});

test('opening a store removes old temporary files, and no recent ones that may be in use', async () => {
  const directory = newDirectory();
  const temporary = join(directory, temporaryFolder);
  await mkdir(temporary, { recursive: true });
  for (const name of ['old', 'young']) await writeFile(join(temporary, name), 'half a file');
  const oldSeconds = (systemClock.nowMs() - leftoverAgeMs) / 1000 - 60;
  await utimes(join(temporary, 'old'), oldSeconds, oldSeconds);
  await openFileStore(directory, deps);
  assert.deepEqual(await readdir(temporary), ['young']);
});

test('a listing removes old temporary files too, at most once an hour', async () => {
  const directory = newDirectory();
  let elapsedMs = 0;
  const clock = { ...systemClock, monotonicMs: () => elapsedMs };
  const store = await openNew(directory, { clock });
  const old = join(directory, temporaryFolder, 'old');
  const leave = async () => {
    await writeFile(old, 'half a file');
    const oldSeconds = (systemClock.nowMs() - leftoverAgeMs) / 1000 - 60;
    await utimes(old, oldSeconds, oldSeconds);
  };
  const namesAfterListing = async () => {
    for await (const page of store.list('')) assert.deepEqual(page, []);
    return await readdir(join(directory, temporaryFolder));
  };
  await leave();
  assert.deepEqual(await namesAfterListing(), ['old']);
  elapsedMs = leftoverAgeMs;
  assert.deepEqual(await namesAfterListing(), []);
  await leave();
  assert.deepEqual(await namesAfterListing(), ['old']);
});

test('a directory that was removed externally is created again', async () => {
  const directory = newDirectory();
  const store = await openNew(directory);
  await store.put('a/b/one', [Buffer.from('1')]);
  await rm(join(directory, 'a'), { recursive: true });
  await store.put('a/b/two', [Buffer.from('2')]);
  assert.equal((await store.head('a/b/two'))?.bytes, 1);
  await rm(join(directory, 'a'), { recursive: true });
  await store.put('a/b/three', [Buffer.from('3')], { isNewKey: true });
  assert.equal((await store.head('a/b/three'))?.bytes, 1);
});

test('a bucket that disappears is missing, is not created again, and is used again when it is back', async () => {
  const directory = newDirectory();
  const store = await openNew(directory);
  await store.put('a/one', [Buffer.from('1')], { isNewKey: true });
  const away = newDirectory();
  const missing = { kind: 'bucketMissing' };
  /** What the place of the bucket looks like without it. */
  for (const leave of [async () => {}, () => mkdir(directory)]) {
    await rename(directory, away);
    await leave();
    await assert.rejects(store.getRange('a/one', 0, 1), missing);
    await assert.rejects(store.head('a/one'), missing);
    // In a directory that is known, in one that is not, and by way of a temporary file.
    await assert.rejects(store.put('a/two', [Buffer.from('2')], { isNewKey: true }), missing);
    await assert.rejects(store.put('b/two', [Buffer.from('2')], { isNewKey: true }), missing);
    await assert.rejects(store.put('a/two', [Buffer.from('2')]), missing);
    await assert.rejects(store.deleteMany(['a/one']), missing);
    await assert.rejects(store.list('')[Symbol.asyncIterator]().next(), missing);
    assert.deepEqual(await readdir(directory).catch(() => []), []);
    await rm(directory, { recursive: true, force: true });
    await rename(away, directory);
    assert.equal(String(await store.getRange('a/one', 0, 1)), '1');
    await store.put('b/three', [Buffer.from('3')], { isNewKey: true });
    await store.delete('b/three');
  }
});

test('a bucket that goes away during a listing is missing, and not shorter', async () => {
  const directory = newDirectory();
  const store = await openNew(directory);
  for (let i = 0; i < 1001; i++) await writeFile(join(directory, `key${i}`), '');
  const pages = store.list('')[Symbol.asyncIterator]();
  assert.equal((await pages.next()).value?.length, 1000);
  await rm(directory, { recursive: true });
  await assert.rejects(pages.next(), { kind: 'bucketMissing' });
});

test('a copy of a bucket without its folder of temporary files is a bucket', async () => {
  const directory = newDirectory();
  await mkdir(directory);
  await writeFile(join(directory, 'object'), 'x');
  const store = await openFileStore(directory, deps);
  await store.put('another', [Buffer.from('y')]);
  assert.equal(await store.head('missing'), undefined);
});

test('errors of disks are named', () => {
  const cases: readonly [code: string, kind: string, problem: string][] = [
    ['ENOSPC', 'full', 'the disk is full (ENOSPC)'],
    ['EDQUOT', 'full', 'the disk quota is used up (EDQUOT)'],
    ['EROFS', 'denied', 'the file system is read-only (EROFS)'],
    ['EACCES', 'denied', 'permission denied (EACCES)'],
    ['EBUSY', 'unavailable', 'the file system returned EBUSY'],
  ];
  for (const [code, kind, problem] of cases) {
    const error = fileStoreError('key', Object.assign(new Error(code), { code }));
    assert.ok(error instanceof StoreError);
    assert.deepEqual([error.kind, error.problem], [kind, problem]);
  }
});

test('of several processes only one claims an absent key', async () => {
  const directory = newDirectory();
  await openNew(directory);
  const program = `
    import { systemClock, systemRandom } from '@weir/core';
    import { openFileStore } from ${JSON.stringify(join(import.meta.dirname, 'file-store.ts'))};
    const store = await openFileStore(${JSON.stringify(directory)}, { clock: systemClock, random: systemRandom });
    let won = 0;
    for (let i = 0; i < 40; i++) if (await store.putIfAbsent('race/' + i, [Buffer.from('x')])) won++;
    process.stdout.write(String(won));
  `;
  const won = await Promise.all([0, 1, 2].map(() => outputOf(program)));
  assert.equal(
    won.reduce((sum, text) => sum + Number(text), 0),
    40,
  );
});

test('a path where no directory can be created is rejected, without endless retries', async () => {
  await writeFile(join(home, 'file'), '');
  for (const path of [
    '/proc/none/bucket',
    '/proc/self/none',
    join(home, 'file'),
    join(home, 'file', 'below'),
  ]) {
    await assert.rejects(
      openNew(path),
      (error: unknown) => {
        assert.ok(error instanceof StoreError, String(error));
        assert.ok(['invalid', 'denied'].includes(error.kind), error.message);
        assert.ok(error.message.startsWith(`${path}: `) && !error.message.includes('\n'), error.message);
        return true;
      },
      path,
    );
  }
});

test('two stores with the same seed use different temporary files', async () => {
  const directory = newDirectory();
  const stores = await Promise.all([1, 1].map((seed) => openNew(directory, { random: seededRandom(seed) })));
  await Promise.all(stores.map((store, i) => store.put(`key${i}`, [Buffer.alloc(100_000, i)])));
  for (const [i, store] of stores.entries()) assert.equal((await store.head(`key${i}`))?.bytes, 100_000);
});

function outputOf(program: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`ended with ${code}`))));
  });
}
