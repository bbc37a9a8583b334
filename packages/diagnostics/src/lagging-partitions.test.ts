import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laggingPartitions } from './lagging-partitions.ts';

const waiting = (topic: string, partition: number, lag: number) => {
  return { topic, partition, committedOffset: 10, endOffset: 10 + lag };
};

test('partitions with unread records are grouped by topic, most unread first', () => {
  assert.equal(laggingPartitions([]), '');
  assert.equal(
    laggingPartitions([waiting('a', 0, 1), waiting('b', 1, 7), waiting('a', 2, 3), waiting('c', 0, 0)]),
    'b partition 1, a partitions 2, 0',
  );
});

test('long lists end with the number of omitted entries', () => {
  const partitions = Array.from({ length: 7 }, (_, partition) => waiting('a', partition, 1));
  assert.equal(laggingPartitions(partitions), 'a partitions 0, 1, 2, 3, 4 and 2 more');
  const topics = ['a', 'b', 'c', 'd', 'e'].map((topic, index) => waiting(topic, 0, 9 - index));
  assert.equal(laggingPartitions(topics), 'a partition 0, b partition 0, c partition 0 and 2 more topics');
});
