import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTopicPartitions } from './topic-partitions.ts';

test('topics are listed with or without their partitions', () => {
  const cases: readonly [text: string, topics: readonly [string, readonly number[] | 'all'][]][] = [
    ['orders', [['orders', 'all']]],
    ['orders:0', [['orders', [0]]]],
    ['orders:0,2,1', [['orders', [0, 2, 1]]]],
    [
      'orders:0,1, payments',
      [
        ['orders', [0, 1]],
        ['payments', 'all'],
      ],
    ],
    [
      'orders,payments:3',
      [
        ['orders', 'all'],
        ['payments', [3]],
      ],
    ],
    // A number behind a list of partitions is one of them; with its own colon it is a topic.
    ['orders:0,7', [['orders', [0, 7]]]],
    [
      'orders:0,7:*',
      [
        ['orders', [0]],
        ['7', 'all'],
      ],
    ],
    [
      'orders,7',
      [
        ['orders', 'all'],
        ['7', 'all'],
      ],
    ],
  ];
  for (const [text, topics] of cases)
    assert.deepEqual(readTopicPartitions(text), { value: new Map(topics) }, text);
});

test('what names no topic or no partition is rejected', () => {
  const wrong = ['', 'a,', 'a:', 'a:x', 'a:-1', 'a:0:1', 'a b', 'a:0,', 'a:99999999999', 'a:4294967296'];
  for (const text of wrong) assert.ok('problem' in readTopicPartitions(text), text);
  assert.deepEqual(readTopicPartitions('a,b,a:1'), { problem: 'topic a is listed twice' });
  assert.deepEqual(readTopicPartitions('a:1,1'), { problem: 'a partition of topic a is listed twice' });
});
