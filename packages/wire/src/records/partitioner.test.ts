import assert from 'node:assert/strict';
import { test } from 'node:test';
import { murmur2, partitionOfKey } from './partitioner.ts';

test('keys hash as in the Java client', () => {
  // From the tests of org.apache.kafka.common.utils.Utils.
  const cases: readonly [key: string, hash: number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [key, hash] of cases) assert.equal(murmur2(Buffer.from(key)), hash, key);
});

test('a partition is never negative', () => {
  assert.equal(partitionOfKey(Buffer.from('21'), 1), 0);
  assert.equal(partitionOfKey(Buffer.from('21'), 1000), (-973932308 & 0x7fffffff) % 1000);
});
