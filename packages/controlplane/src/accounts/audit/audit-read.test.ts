import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlPlaneLimits } from '../../limits.ts';
import { auditReadOf, joinedReads } from './audit-read.ts';

const at = (partition: number, ...offsets: number[]) => offsets.map((offset) => ({ partition, offset }));

test('a read is its first and last offset per partition, and how many records', () => {
  assert.deepEqual(auditReadOf([...at(2, 9, 4), ...at(0, 7)], 40), {
    recordCount: 3,
    scannedCount: 40,
    partitions: [
      { partition: 0, firstOffset: 7, lastOffset: 7 },
      { partition: 2, firstOffset: 4, lastOffset: 9 },
    ],
    otherPartitionCount: 0,
  });
  assert.deepEqual(auditReadOf([], 5), {
    recordCount: 0,
    scannedCount: 5,
    partitions: [],
    otherPartitionCount: 0,
  });
});

test('pages of one search add up', () => {
  const both = joinedReads(auditReadOf(at(0, 5, 6), 2), auditReadOf([...at(0, 1), ...at(3, 8)], 3));
  assert.deepEqual(both, {
    recordCount: 4,
    scannedCount: 5,
    partitions: [
      { partition: 0, firstOffset: 1, lastOffset: 6 },
      { partition: 3, firstOffset: 8, lastOffset: 8 },
    ],
    otherPartitionCount: 0,
  });
});

test('an entry has a bounded number of partitions, and counts the rest', () => {
  const { auditReadPartitionsMax: max } = controlPlaneLimits;
  const wide = auditReadOf(
    Array.from({ length: max + 7 }, (_, partition) => ({ partition, offset: 1 })),
    max + 7,
  );
  assert.deepEqual([wide.partitions.length, wide.otherPartitionCount], [max, 7]);
  const twice = joinedReads(wide, wide);
  assert.deepEqual([twice.partitions.length, twice.otherPartitionCount], [max, 7]);
  assert.equal(twice.recordCount, 2 * (max + 7));
});
