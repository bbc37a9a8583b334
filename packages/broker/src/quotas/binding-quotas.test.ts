import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedEntries, quotaEntityKey } from '@weir/cluster';
import fc from 'fast-check';
import { brokerLimits } from '../limits.ts';
import { QuotaLookup } from './binding-quotas.ts';

/** Most specific first, each with what is shared with alice's client `app`. */
const levels: [user: string | null | undefined, clientId: string | null | undefined, sharedWith: string][] = [
  ['alice', 'app', 'user and client'],
  ['alice', null, 'user and client'],
  ['alice', undefined, 'user'],
  [null, 'app', 'user and client'],
  [null, null, 'user and client'],
  [null, undefined, 'user'],
  [undefined, 'app', 'client'],
  [undefined, null, 'client'],
];

function keyOf([user, clientId]: (typeof levels)[number]): string {
  return quotaEntityKey([
    ...(user === undefined ? [] : [{ type: 'user', name: user }]),
    ...(clientId === undefined ? [] : [{ type: 'client-id', name: clientId }]),
  ]);
}

function setUp() {
  const records = new FollowedEntries();
  const put = (key: string, quotas: object | null) =>
    records.put('clientQuota', key, quotas === null ? null : Buffer.from(JSON.stringify(quotas)));
  return { put, lookup: new QuotaLookup(records.of('clientQuota')) };
}

const client = { user: 'alice', clientId: 'app' };

test('the most specific quota applies, whatever others exist', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(levels.length - 1)), (present) => {
      const { put, lookup } = setUp();
      for (const level of present) put(keyOf(levels[level]!), { producer_byte_rate: level + 1 });
      const expected = present.length === 0 ? undefined : Math.min(...present) + 1;
      assert.equal(lookup.ofClient(client).producer_byte_rate?.perSecond, expected);
    }),
  );
});

test('each quota type is looked up separately', () => {
  const { put, lookup } = setUp();
  put(keyOf(levels[0]!), { producer_byte_rate: 1 });
  put(keyOf(levels[7]!), { producer_byte_rate: 2, consumer_byte_rate: 3 });
  const { producer_byte_rate, consumer_byte_rate, request_percentage } = lookup.ofClient(client);
  assert.deepEqual(
    [producer_byte_rate!.perSecond, consumer_byte_rate!.perSecond, request_percentage],
    [1, 3, undefined],
  );
});

for (const level of levels) {
  test(`a quota of ${keyOf(level)} is shared by ${level[2]}`, () => {
    const { put, lookup } = setUp();
    put(keyOf(level), { producer_byte_rate: 1 });
    const shared = (user: string, clientId: string) =>
      lookup.ofClient({ user, clientId }).producer_byte_rate?.sharedKey;
    const own = shared('alice', 'app');
    assert.ok(own !== undefined);
    assert.equal(shared('alice', 'other') === own, level[2] === 'user', 'with another client of the user');
    assert.equal(shared('bob', 'app') === own, level[2] === 'client', 'with the same client of another user');
  });
}

test('an address has its own quota or the default, and is counted separately', () => {
  const { put, lookup } = setUp();
  put(quotaEntityKey([{ type: 'ip', name: null }]), { connection_creation_rate: 5 });
  put(quotaEntityKey([{ type: 'ip', name: '10.0.0.1' }]), { connection_creation_rate: 7 });
  const found = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map(
    (ip) => lookup.ofAddress(ip).connection_creation_rate!,
  );
  assert.deepEqual(
    found.map(({ perSecond }) => perSecond),
    [7, 5, 5],
  );
  assert.equal(new Set(found.map(({ sharedKey }) => sharedKey)).size, 3);
});

test('changes take effect at once, even for cached clients', () => {
  const { put, lookup } = setUp();
  const key = keyOf(levels[7]!);
  assert.ok(lookup.isEmpty);
  put(key, { producer_byte_rate: 1 });
  for (let index = 0; index <= brokerLimits.rememberedClientIdsMax; index++) {
    assert.equal(lookup.ofClient({ user: 'u', clientId: `c${index}` }).producer_byte_rate!.perSecond, 1);
  }
  put(key, { producer_byte_rate: 2 });
  assert.equal(lookup.ofClient({ user: 'u', clientId: 'c0' }).producer_byte_rate!.perSecond, 2);
  put(key, null);
  assert.equal(lookup.ofClient({ user: 'u', clientId: 'c0' }).producer_byte_rate, undefined);
});
