import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QuotaKey } from '@weir/core';
import { entityText, keysOf, parseQuota, quotaChanges, quotaProblem, quotaText } from './quota-text.ts';

const values: [key: QuotaKey, typed: string, value: number | undefined, text: string | undefined][] = [
  ['producer_byte_rate', '10 MiB/s', 10_485_760, '10 MiB/s'],
  ['producer_byte_rate', '10485760', 10_485_760, '10 MiB/s'],
  ['consumer_byte_rate', '1.5 kB', 1500, '1500 B/s'],
  ['producer_byte_rate', 'fast', undefined, undefined],
  ['producer_byte_rate', '0', undefined, undefined],
  ['producer_byte_rate', '-1', undefined, undefined],
  ['producer_byte_rate', 'unlimited', undefined, undefined],
  ['request_percentage', '12.5 %', 12.5, '12.5 %'],
  ['controller_mutation_rate', '2.5', 2.5, '2.5/s'],
  ['connection_creation_rate', '5/s', 5, '5/s'],
  ['connection_creation_rate', '2.5', undefined, undefined],
];

for (const [key, typed, value, text] of values) {
  test(`${key} of ${typed} is ${value}`, () => {
    assert.equal(parseQuota(key, typed), value);
    if (value !== undefined) assert.equal(quotaText(key, value), text);
    assert.equal(quotaProblem(key, typed) === undefined, value !== undefined);
    if (text !== undefined) assert.equal(parseQuota(key, text), value, 'what is shown can be typed');
  });
}

test('whose quotas they are, in words', () => {
  const user = (name: string | null) => ({ type: 'user', name }) as const;
  const client = (name: string | null) => ({ type: 'client-id', name }) as const;
  assert.equal(entityText([user('shop')]), 'user shop');
  assert.equal(entityText([user(null)]), 'every other user');
  assert.equal(entityText([user('shop'), client(null)]), 'user shop with every other client id');
  assert.equal(entityText([{ type: 'ip', name: '10.0.0.1' }]), 'IP address 10.0.0.1');
  assert.deepEqual(keysOf('ip'), ['connection_creation_rate']);
  assert.equal(keysOf('user').length, 4);
});

test('only what differs is changed, and what is gone is removed', () => {
  const before = { producer_byte_rate: 1, consumer_byte_rate: 2 };
  const after = { producer_byte_rate: 1, request_percentage: 3 };
  assert.deepEqual(quotaChanges(before, after), { consumer_byte_rate: null, request_percentage: 3 });
  assert.deepEqual(quotaChanges(after, after), {});
});
