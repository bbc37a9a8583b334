import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';

const user = (name: string | null) => ({ type: 'user', name }) as const;
const clientId = (name: string | null) => ({ type: 'client-id', name }) as const;
const ip = (name: string | null) => ({ type: 'ip', name }) as const;

test('quotas are set, changed, listed and removed, and the audit log has what changed', async (t) => {
  const testApi = await openTestClusterApi(t);
  const shop = [user('shop')];
  await testApi.call('update_client_quotas', {
    entity: shop,
    quotas: { producer_byte_rate: 1000, request_percentage: 12.5 },
  });
  await testApi.call('update_client_quotas', {
    entity: shop,
    quotas: { producer_byte_rate: 2000, request_percentage: null, consumer_byte_rate: null },
  });
  await testApi.call('update_client_quotas', {
    entity: shop,
    quotas: { consumer_byte_rate: 9 },
    validate_only: true,
  });
  await testApi.call('update_client_quotas', {
    entity: [ip(null)],
    quotas: { connection_creation_rate: 5 },
  });
  assert.deepEqual((await testApi.call('list_client_quotas', {})).client_quotas, [
    { entity: [ip(null)], quotas: { connection_creation_rate: 5 } },
    { entity: shop, quotas: { producer_byte_rate: 2000 } },
  ]);
  await testApi.call('delete_client_quotas', { entity: shop });
  assert.equal((await testApi.call('list_client_quotas', {})).client_quotas.length, 1);
  assert.deepEqual(testApi.changes, [
    { name: 'producer_byte_rate of user shop', before: null, after: '1000' },
    { name: 'request_percentage of user shop', before: null, after: '12.5' },
    { name: 'producer_byte_rate of user shop', before: '1000', after: '2000' },
    { name: 'request_percentage of user shop', before: '12.5', after: null },
    { name: 'connection_creation_rate of ip (default)', before: null, after: '5' },
    { name: 'producer_byte_rate of user shop', before: '2000', after: null },
  ]);
});

type Part = ReturnType<typeof user | typeof clientId | typeof ip>;

const refusals: [entity: Part[], quotas: Record<string, number>, message: RegExp][] = [
  [[user('shop')], { connection_creation_rate: 5 }, /not a quota of this entity/],
  [[ip('shop')], { connection_creation_rate: 5 }, /"shop" is not an IP address/],
  [[user('a'), user('b')], { producer_byte_rate: 5 }, /two parts of type user/],
  [[user('a'), ip('10.0.0.1')], { producer_byte_rate: 5 }, /by itself/],
  [[user('a')], { producer_byte_rate: 1.5 }, /whole number/],
  [[user('a')], { producer_byte_rate: 0 }, /must be above 0/],
  [[user('a')], {}, /names no quota/],
  [[], { producer_byte_rate: 5 }, /entity/],
];

for (const [entity, quotas, message] of refusals) {
  test(`a quota that is refused: ${JSON.stringify(entity)} ${JSON.stringify(quotas)}`, async (t) => {
    const testApi = await openTestClusterApi(t);
    const [code, text] = await testApi.refusal('update_client_quotas', { entity, quotas });
    assert.equal(code, 'invalid_request');
    assert.match(text, message);
  });
}

test('removing quotas that there are none of is an error', async (t) => {
  const testApi = await openTestClusterApi(t);
  const entity = [user('shop'), clientId(null)];
  assert.deepEqual(await testApi.refusal('delete_client_quotas', { entity }), [
    'not_found',
    'There are no quotas of user shop, client-id (default).',
  ]);
});

test('the most specific quota applies to a client', async (t) => {
  const testApi = await openTestClusterApi(t);
  const rows = [
    [[user('shop'), clientId('billing')], { producer_byte_rate: 1 }],
    [[user('shop')], { producer_byte_rate: 2, consumer_byte_rate: 2 }],
    [[user(null)], { producer_byte_rate: 3, request_percentage: 3 }],
    [[clientId('billing')], { request_percentage: 4, controller_mutation_rate: 4 }],
    [[ip(null)], { connection_creation_rate: 5 }],
  ] as const;
  for (const [entity, quotas] of rows)
    await testApi.call('update_client_quotas', { entity: [...entity], quotas });
  const effective = async (client: { user?: string; client_id?: string; ip?: string }) => {
    const { quotas } = await testApi.call('describe_effective_client_quotas', client);
    return Object.fromEntries(quotas.map(({ quota, value }) => [quota, value]));
  };
  const { producer_byte_rate: produce, ...others } = await effective({ user: 'shop', client_id: 'billing' });
  assert.deepEqual(
    [produce, others],
    [1, { consumer_byte_rate: 2, request_percentage: 3, controller_mutation_rate: 4 }],
  );
  assert.deepEqual(await effective({ user: 'shop', client_id: 'x' }), {
    producer_byte_rate: 2,
    consumer_byte_rate: 2,
    request_percentage: 3,
  });
  assert.deepEqual(await effective({ user: 'ada', ip: '10.0.0.1' }), {
    producer_byte_rate: 3,
    request_percentage: 3,
    connection_creation_rate: 5,
  });
});
