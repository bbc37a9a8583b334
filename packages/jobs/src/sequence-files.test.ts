import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { newFileId } from '@weir/storage';
import fc from 'fast-check';
import { SequenceFiles, SequenceFilesInBucket } from './sequence-files.ts';

const sequenceId = '0f23456789abc';

/** Lists of buckets; a number is how long a file came after the one before it, and in which buckets it lies. */
const anyFiles = fc.array(
  fc.record({ afterMs: fc.oneof(fc.nat(2), fc.nat(2 ** 40)), bucket: fc.nat(255), copies: fc.nat(6) }),
  { maxLength: 200 },
);

test('files of several buckets are found in the order of their ids, each once', () => {
  fc.assert(
    fc.property(anyFiles, (wanted) => {
      const random = seededRandom(1);
      let nowMs = 1_700_000_000_000;
      const lists = Array.from({ length: 3 }, () => [] as { fileId: string; bytes: number }[]);
      const expected: { fileId: string; bytes: number; bucket: number }[] = [];
      for (const { afterMs, bucket, copies } of wanted) {
        nowMs += afterMs;
        const fileId = newFileId(nowMs, random, bucket, { sequence: sequenceId });
        // One of three buckets, and perhaps those behind it.
        const first = copies % 3;
        const last = copies < 3 ? first : 2;
        for (let at = first; at <= last; at++) lists[at]!.push({ fileId, bytes: 100 + at });
        expected.push({ fileId, bytes: 100 + first, bucket: first });
      }
      const files = new SequenceFiles(sequenceId, lists.map(bucketOf));
      assert.deepEqual([...files], expected);
      assert.equal(files.count, expected.length);
    }),
  );
});

test('more files than there was room for at first', () => {
  const random = seededRandom(1);
  const listed = Array.from({ length: 5_000 }, (_, n) => ({
    fileId: newFileId(1_700_000_000_000 + n, random, 0, { sequence: sequenceId }),
    bytes: n,
  }));
  const files = new SequenceFiles(sequenceId, [bucketOf(listed)]);
  assert.deepEqual(
    [...files],
    listed.map((file) => ({ ...file, bucket: 0 })),
  );
});

test('a list in another order is refused, as files would be committed in that order', () => {
  const random = seededRandom(1);
  const ids = [1, 2].map((n) => newFileId(n, random, 0, { sequence: sequenceId }));
  const files = new SequenceFilesInBucket();
  files.add(ids[1]!, 1);
  assert.throws(() => files.add(ids[0]!, 1), /behind a later one/);
  files.add(ids[1]!, 1);
  assert.equal(files.count, 1);
});

function bucketOf(
  listed: readonly { readonly fileId: string; readonly bytes: number }[],
): SequenceFilesInBucket {
  const files = new SequenceFilesInBucket();
  for (const { fileId, bytes } of listed) files.add(fileId, bytes);
  return files;
}
