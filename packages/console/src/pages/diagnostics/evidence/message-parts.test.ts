import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageParts, objectOf, objectsOf } from './message-parts.ts';

const shop = { kind: 'group', name: 'shop' };
const orders = { kind: 'topic', name: 'orders' };
const eu = { kind: 'topic', name: 'orders-eu' };

test('names in a message become objects', () => {
  assert.deepEqual(
    messageParts('Group shop reads orders partition 1, orders-eu partition 0.', [shop, orders, eu]),
    ['Group ', shop, ' reads ', orders, ' partition 1, ', eu, ' partition 0.'],
  );
  assert.deepEqual(messageParts('shop', [shop]), [shop]);
  assert.deepEqual(messageParts('Look at orders.', [orders]), ['Look at ', orders, '.']);
});

test('a name inside another is not meant', () => {
  for (const message of ['bookshop waits', 'shop-2 waits', 'my.shop waits', 'shop.eu waits', ''])
    assert.deepEqual(messageParts(message, [shop]), message === '' ? [] : [message]);
  assert.deepEqual(messageParts('any', [{ kind: 'group', name: '' }]), ['any']);
});

test('what a finding is about, and what else it names', () => {
  assert.deepEqual(objectOf({ key: 'group:a:b\nc' }), { kind: 'group', name: 'a:b\nc' });
  assert.deepEqual(objectOf({ key: 'token:API key of agent-1' }), { kind: 'agent', name: 'agent-1' });
  assert.equal(objectOf({ key: `topic:${'a'.repeat(200)}…0123456789abcdef` }), undefined);
  assert.equal(objectOf({ key: 'cluster' }), undefined);
  const message =
    'Group shop stands still in 2 of 3 partitions (orders partitions 1, 0): orders partition 1 at 5.';
  assert.deepEqual(objectsOf({ key: 'group:shop', message }), [shop, orders]);
});
