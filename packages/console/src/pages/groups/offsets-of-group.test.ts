import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offsetsOfGroup } from './offsets-of-group.ts';

const partition = (number: number, committed_offset: number | null) => ({
  partition: number,
  member_id: null,
  start_offset: 0,
  end_offset: 9,
  committed_offset,
  committed_at: null,
  lag: 0,
});

test('the offsets that an undo commits again', () => {
  const group = {
    topics: [
      { name: 'orders', total_lag: 0, partitions: [partition(0, 7), partition(1, null), partition(2, 0)] },
      { name: 'users', total_lag: 0, partitions: [partition(0, 3)] },
      { name: 'new', total_lag: 0, partitions: [partition(0, null)] },
    ],
  };
  const orders = [
    { topic: 'orders', partition: 0, offset: 7 },
    { topic: 'orders', partition: 2, offset: 0 },
  ];
  assert.deepEqual(offsetsOfGroup(group, 'orders'), orders);
  assert.deepEqual(offsetsOfGroup(group), [...orders, { topic: 'users', partition: 0, offset: 3 }]);
  assert.equal(offsetsOfGroup(group, 'new'), undefined, 'none');
  const many = Array.from({ length: 10_001 }, (_, number) => partition(number, 1));
  assert.equal(offsetsOfGroup({ topics: [{ name: 'a', total_lag: 0, partitions: many }] }), undefined);
});
