import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denialsIn } from './denials.ts';

test('each denial is listed once, with the denials that were left out of the events', () => {
  const denial = (time: string, resource_name: string, suppressed?: number) => ({
    time,
    data: { principal: 'User:bob', operation: 'READ', resource_type: 'TOPIC', resource_name, suppressed },
  });
  const listed = denialsIn([denial('4', 'a', 11), denial('3', 'b'), { time: '2' }, denial('1', 'a', 12)]);
  assert.deepEqual(
    listed.map(({ time, times, question }) => [time, times, question.resource_name]),
    [
      ['4', 25, 'a'],
      ['3', 1, 'b'],
    ],
  );
});
