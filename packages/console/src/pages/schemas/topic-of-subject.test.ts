import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicOfSubject } from './topic-of-subject.ts';

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
