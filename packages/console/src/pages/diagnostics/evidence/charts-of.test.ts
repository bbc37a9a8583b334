import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartsOf } from './charts-of.ts';

const finding = (kind: string, name: string) => ({
  key: `${kind}:${name}`,
  message: 'mentioned partition 1',
  since: '2026-01-01T00:00:00Z',
});

test('charts are about what was found', () => {
  const titles = (name: string, ...groups: ReturnType<typeof finding>[]) =>
    chartsOf({ name, groups }).map(({ title }) => title);
  assert.deepEqual(titles('consumer_group_stuck', finding('group', 'shop')), [
    'Lag of shop by topic',
    'Records per second of shop',
  ]);
  assert.deepEqual(titles('topics_without_retention', finding('topic', 'orders')), [
    'Records per second into orders',
  ]);
  assert.deepEqual(titles('table_behind', finding('table', 'shop__orders')), [
    'Lag of shop__orders',
    'Records per second into shop__orders',
  ]);
  assert.deepEqual(titles('overloaded_agents', finding('agent', 'a1')), ['Agent CPU']);
  assert.deepEqual(titles('overloaded_agents'), [], 'nothing was found');
  assert.deepEqual(titles('no_superuser', finding('cluster', 'c')), []);
  const many = ['a', 'b', 'c'].map((name) => finding('group', name));
  assert.equal(titles('consumer_group_stuck', ...many).length, 4);
});
