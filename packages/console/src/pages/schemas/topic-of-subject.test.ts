import assert from 'node:assert/strict';
import { test } from 'node:test';
import { subjectsOfRecords, topicOfSubject } from './topic-of-subject.ts';

test('subjects name topics by their ends', () => {
  for (const [subject, topic] of [
    ['orders-value', 'orders'],
    ['orders-key', 'orders'],
    [':.eu:orders-value', 'orders'],
    ['com.shop.Order', undefined],
    ['-value', undefined],
  ] as const)
    assert.equal(topicOfSubject(subject), topic);
});

test('subjects of single records of a topic', () => {
  const subjects = ['orders-key', 'orders-value', 'orders-shop.Order', 'orders-eu-value', 'ordersX-a'];
  assert.deepEqual(
    subjectsOfRecords(
      'orders',
      subjects.map((subject) => ({ subject })),
    ),
    [{ subject: 'orders-shop.Order' }],
  );
});
