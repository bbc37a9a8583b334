import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MiB, nextTurn, systemClock } from '@weir/core';
import type { ObjectStore, ObjectUpload } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { copySnapshot } from './copy-snapshot.ts';

const key = 'service/vci_test/metadata/00000000/snapshots/0000000000000001';
const sliceBytes = MiB / 2;

/** A snapshot of slices with their number in every byte, which counts how many were asked for. */
function snapshotOf(sliceCount: number) {
  const asked = { count: 0 };
  async function* made() {
    for (let index = 0; index < sliceCount; index++) {
      asked.count++;
      yield Buffer.alloc(sliceBytes, index);
    }
  }
  return { byteCount: sliceCount * sliceBytes, asked, slices: made() };
}

/** Around the uploads of a store. */
function withUploads(store: ObjectStore, around: (upload: ObjectUpload) => ObjectUpload): ObjectStore {
  return { ...store, beginUpload: async (name, options) => around(await store.beginUpload(name, options)) };
}

const goOn = () => Promise.resolve(true);

test('a snapshot of any size is copied with memory for two parts', async () => {
  const plain = emptyMemoryStore();
  const snapshot = snapshotOf(101);
  let storedBytes = 0;
  let aheadMax = 0;
  const store = withUploads(plain, (upload) => ({
    ...upload,
    putPart: async (index, content, options) => {
      await nextTurn(systemClock);
      await upload.putPart(index, content, options);
      aheadMax = Math.max(aheadMax, snapshot.asked.count * sliceBytes - storedBytes);
      storedBytes += content.reduce((sum, { length }) => sum + length, 0);
    },
    finish: (count, options) => upload.finish(count, options),
    abort: (options) => upload.abort(options),
  }));
  let parts = 0;
  const onPart = async () => ++parts > 0;
  assert.equal(await copySnapshot(store, key, snapshot, onPart), true);
  assert.equal(parts, 6);
  assert.ok(aheadMax <= 17 * MiB, `${aheadMax / MiB} MiB were read ahead`);
  const copy = await plain.getRange(key, 0, 1e9);
  assert.equal(copy.length, snapshot.byteCount);
  for (let index = 0; index < 101; index++)
    assert.equal(copy[index * sliceBytes + 7], index, `slice ${index}`);
});

test('a small snapshot is one request, and one that fails or is given up leaves nothing behind', async () => {
  const store = emptyMemoryStore();
  const refusing = withUploads(store, () => assert.fail('an upload in parts'));
  assert.equal(await copySnapshot(refusing, key, snapshotOf(3), goOn), true);
  assert.equal((await store.head(key))?.bytes, 3 * sliceBytes);

  let aborted = 0;
  const counting = withUploads(store, (upload) => ({
    putPart: (index, content, options) => upload.putPart(index, content, options),
    finish: () => assert.fail('finished'),
    abort: async (options) => {
      aborted++;
      await upload.abort(options);
    },
  }));
  const other = `${key}1`;
  assert.equal(await copySnapshot(counting, other, snapshotOf(40), () => Promise.resolve(false)), false);
  const { byteCount, slices } = snapshotOf(40);
  const pruned = async function* () {
    for await (const slice of slices) yield slice;
    throw new Error('snapshot 7 has 0 bytes, not 8');
  };
  await assert.rejects(copySnapshot(counting, other, { byteCount, slices: pruned() }, goOn), /snapshot 7/);
  assert.deepEqual([aborted, await store.head(other)], [2, undefined]);
});
