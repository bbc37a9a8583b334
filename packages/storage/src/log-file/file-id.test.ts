import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileIdBucket, fileIdLevel, fileIdSequence, fileIdTimeMs, seededRandom } from '@weir/core';
import fc from 'fast-check';
import { bucketOfKey, compactedFileId, isFileId, logFileKey, newFileId, sequencePlace } from './file-id.ts';

test('ids increase, whatever the clock does and whichever bucket they are for', () => {
  const steps = fc.tuple(fc.integer({ min: -5, max: 5 }), fc.constantFrom(0, 0, 1, 2, 255));
  fc.assert(
    fc.property(fc.array(steps), fc.integer(), fc.boolean(), (taken, seed, usesRanges) => {
      const random = seededRandom(seed);
      let nowMs = 1_700_000_000_000;
      const ids = taken.map(([step, bucket]) => {
        nowMs += step;
        const id = newFileId(nowMs, random, bucket, { usesRanges });
        assert.deepEqual([fileIdBucket(id), fileIdLevel(id)], [bucket, 0]);
        return id;
      });
      assert.ok(ids.every(isFileId));
      assert.deepEqual(ids, [...ids].sort());
      assert.equal(new Set(ids).size, ids.length);
    }),
  );
});

test('a millisecond has 65,536 ids of level 0, and then ids of the next one are used', () => {
  const random = seededRandom(1);
  let last = '';
  for (let i = 0; i < 2 ** 16 + 2; i++) {
    const id = newFileId(1000, random);
    assert.ok(id > last);
    assert.equal(fileIdLevel(id), 0);
    last = id;
  }
  assert.equal(fileIdTimeMs(last), 1001);
});

for (const usesRanges of [false, true]) {
  test(`agents that start in the same millisecond have different ids, ${usesRanges ? 'in ranges' : 'drawn'}`, () => {
    const ids = Array.from({ length: 1000 }, (_, seed) =>
      newFileId(1_700_000_000_000, seededRandom(seed), 0, { usesRanges }),
    );
    assert.equal(new Set(ids).size, 1000);
  });
}

test('ids of a range share their random digits and spread keys evenly, and a range has an end', () => {
  const random = seededRandom(1);
  const ids = Array.from({ length: 2 ** 16 + 1 }, (_, n) =>
    newFileId(1_700_000_000_000 + n, random, 0, { usesRanges: true }),
  );
  const ranges = ids.map((id) => id.slice(17, -4));
  assert.equal(new Set(ranges.slice(0, -1)).size, 1);
  assert.notEqual(ranges.at(-1), ranges[0]);
  const folders = Map.groupBy(ids.slice(0, -1), (id) => id.slice(-2));
  assert.deepEqual(new Set([...folders.values()].map(({ length }) => length)), new Set([256]));
  assert.equal(folders.size, 256);
});

test('files of a sequence lie in one folder, in order, whichever bucket they are for', () => {
  const random = seededRandom(1);
  const first = newFileId(1_700_000_000_000, random);
  const sequence = fileIdSequence(first);
  // The clock goes back by an hour after the sequence was begun.
  const ids = [0, 0, 3, 0].map((bucket, n) =>
    newFileId(1_700_000_000_000 - 3_600_000 + n, random, bucket, { sequence }),
  );
  assert.deepEqual(
    ids.map(fileIdSequence),
    ids.map(() => sequence),
  );
  assert.deepEqual(ids.map(fileIdBucket), [0, 0, 3, 0]);
  assert.deepEqual(ids, [...ids].sort());
  const { prefix, startAfter } = sequencePlace('vci_c', sequence, fileIdTimeMs(first));
  const keys = ids.map((id) => logFileKey('vci_c', id));
  assert.ok(
    keys.every((key) => key.startsWith(prefix) && key > startAfter),
    keys.join(),
  );
  assert.throws(() => newFileId(1, random, 0, { sequence: 'f00' }), RangeError);
});

test('an id contains its time', () => {
  const id = newFileId(1_700_000_000_123.9, seededRandom(1));
  assert.equal(fileIdTimeMs(id), 1_700_000_000_123);
  for (const time of [-1, 2 ** 48, Number.NaN])
    assert.throws(() => newFileId(time, seededRandom(1)), RangeError);
});

test('an id of a compacted file contains its level and the time of its newest input', () => {
  const random = seededRandom(1);
  for (const level of [1, 2, 7]) {
    const ids = [0, 1, 65_535].map((count) => compactedFileId(level, 1_700_000_000_123, count, random));
    assert.ok(ids.every(isFileId));
    assert.deepEqual(ids, [...ids].sort());
    assert.deepEqual(ids.map(fileIdLevel), [level, level, level]);
    assert.deepEqual(new Set(ids.map(fileIdTimeMs)), new Set([1_700_000_000_123]));
  }
  for (const level of [0, 8, 1.5]) assert.throws(() => compactedFileId(level, 1, 0, random), RangeError);
  assert.throws(() => compactedFileId(1, 2 ** 48, 0, random), RangeError);
  assert.throws(() => compactedFileId(1, 1, 2 ** 16, random), RangeError);
});

test('an id names a bucket other than the first, at every level', () => {
  const random = seededRandom(1);
  for (const bucket of [0, 1, 200, 255]) {
    for (const level of [1, 7]) {
      const id = compactedFileId(level, 1_700_000_000_123, 65_535, random, bucket);
      assert.ok(isFileId(id));
      assert.deepEqual(
        [fileIdBucket(id), fileIdLevel(id), fileIdTimeMs(id)],
        [bucket, level, 1_700_000_000_123],
      );
      assert.equal(bucketOfKey(logFileKey('c', id)), bucket);
      assert.equal(bucketOfKey(logFileKey('clone', `${id}@c`)), bucket);
    }
  }
  for (const bucket of [-1, 256, 1.5])
    assert.throws(() => newFileId(1, random, bucket), /not the number of a bucket/);
  // What earlier releases wrote lies in the first bucket.
  assert.equal(fileIdBucket('018bcfe5680001ffff123456789abcde'), 0);
  for (const key of ['service/c/bucket-id', 'service/c/metadata/fences/00000001', 'x'])
    assert.equal(bucketOfKey(key), 0);
});

test('keys spread the files of one moment', () => {
  assert.equal(
    logFileKey('vci_1', '018bcfe56800000010123456789abcde'),
    'service/vci_1/de/018bcfe56800000010123456789abcde',
  );
  const random = seededRandom(1);
  const spread = new Set(
    Array.from({ length: 5000 }, () => logFileKey('c', newFileId(1, random)).split('/')[2]),
  );
  assert.equal(spread.size, 256);
});

test('a file of another cluster lies below the prefix of that one', () => {
  assert.equal(
    logFileKey('vci_clone', '018bcfe56800000010123456789abcde@vci_source'),
    'service/vci_source/de/018bcfe56800000010123456789abcde',
  );
});

test('invalid ids are rejected in keys', () => {
  for (const clusterId of ['', '..', 'a/b', 'a b']) {
    assert.throws(() => logFileKey(clusterId, '018bcfe56800000010123456789abcde'), /cluster id/);
  }
  for (const fileId of ['', 'x', '../../etc', '018BCFE56800000010123456789ABCDE', `${'0'.repeat(32)}@../c`]) {
    assert.throws(() => logFileKey('c', fileId), /file id/);
  }
});
