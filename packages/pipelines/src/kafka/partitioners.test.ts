import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fnv1a,
  fnv1aPartitioner,
  leastBackupPartitioner,
  murmur2Partitioner,
  type Partitioner,
  roundRobinPartitioner,
  uniformBytesPartitioner,
} from './partitioners.ts';

/** Returns given numbers in turn. */
function randomOf(...numbers: readonly number[]) {
  let at = 0;
  return { next: () => numbers[at++ % numbers.length]! } as unknown as Parameters<
    typeof murmur2Partitioner
  >[0];
}

const place = (partitioner: Partitioner, key: string | null, backlogs = [0, 0, 0, 0], byteCount = 10) =>
  partitioner.partitionOf(
    { topic: 't', key: key === null ? null : Buffer.from(key), byteCount },
    { partitionCount: backlogs.length, backlog: (partition) => backlogs[partition]! },
  );

test('FNV-1a has the values of its reference', () => {
  for (const [text, hash] of [
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ] as const)
    assert.equal(fnv1a(Buffer.from(text)), hash, text);
});

test('a negative hash is the partition of its amount', () => {
  // The hash of "a" as a signed number is -468965076.
  assert.equal(place(fnv1aPartitioner(randomOf(0)), 'a', [0, 0, 0, 0, 0, 0, 0]), 468965076 % 7);
});

test('records without a key stay together for a batch', () => {
  const partitioner = murmur2Partitioner(randomOf(0.1, 0.6));
  partitioner.begin?.();
  assert.deepEqual([place(partitioner, null), place(partitioner, null)], [0, 0]);
  partitioner.begin?.();
  assert.equal(place(partitioner, null), 2);
  assert.equal(place(partitioner, 'key'), place(murmur2Partitioner(randomOf(0)), 'key'));
});

test('records are dealt in turn', () => {
  const partitioner = roundRobinPartitioner();
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => place(partitioner, 'k')),
    [0, 1, 2, 3, 0],
  );
});

test('a batch goes where the fewest records wait', () => {
  const partitioner = leastBackupPartitioner(randomOf(0));
  partitioner.begin?.();
  assert.deepEqual([place(partitioner, 'k', [3, 2, 1, 2]), place(partitioner, 'k', [0, 2, 1, 2])], [2, 2]);
});

test('a partition is kept for so many bytes', () => {
  const options = { bytesMax: 25, isAdaptive: false, hasKeys: true };
  const partitioner = uniformBytesPartitioner(randomOf(0, 0.3, 0.8), options);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => place(partitioner, null)),
    [0, 0, 1, 1, 3],
  );
});
