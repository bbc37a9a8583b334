import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieOf, fakeHandlers, startTestApi } from '../../testing/api-server.ts';
import { agentGrant, appGrant, makeAccount, password } from '../../testing/two-accounts.ts';
import { until } from '../../testing/until.ts';
import type { GrantName } from '../accounts/access/grants.ts';
import { auditReadOf } from '../accounts/audit/audit-read.ts';
import { refusalIntervalMs } from '../accounts/audit/audit-refusals.ts';
import type { SomeHandlers } from '../operations/handler.ts';

const credential = { kafka_user_name: 'ccun_reader', kafka_password: 'secret' };

test('records are read by who has the right, and by a Kafka credential otherwise', async (t) => {
  const { accounts, url, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const signedIn = async (name: string, ...grants: [workspaceId: string, grant: GrantName][]) => {
    const email = await ours.user(
      name,
      ...grants.map(([workspaceId, managedGrantName]) => ({ workspaceId, managedGrantName })),
    );
    return { cookie: cookieOf(await call('sign_in', { body: { email, password } })), origin: url };
  };
  const keyed = async (name: string, ...grants: Parameters<typeof ours.key>[1][]) => ({
    'service-api-key': await ours.key(name, ...grants),
  });
  const { a, b } = ours;
  // biome-ignore format: a table
  const cases: [who: string, headers: Record<string, string>, without: number, withCredential: number][] = [
    ['an administrator',                await signedIn('admin', ['*', 'admin']),           200, 200],
    ['an administrator of a',           await signedIn('admin_a', [a.id, 'admin']),        200, 200],
    ['a records reader',                await signedIn('records', ['*', 'read_records']),  200, 200],
    ['a records reader of a',           await signedIn('records_a', [a.id, 'read_records']), 200, 200],
    ['a records reader of b, who reads a', await signedIn('records_b', [b.id, 'read_records'], [a.id, 'read_only']), 403, 200],
    ['a member',                        await signedIn('reader', ['*', 'read_only']),      403, 200],
    ['a member of b',                   await signedIn('reader_b', [b.id, 'read_records']), 404, 404],
    ['an application key',              await keyed('app', appGrant(a.id)),                200, 200],
    ['a read-only key',                 await keyed('app_r', appGrant(a.id, 'app_r')),     403, 200],
    ['a read-only key for records',     await keyed('app_d', { ...appGrant(a.id, 'app_r'), managedGrantName: 'read_records' }), 200, 200],
    ['an agent key',                    await keyed('agent', agentGrant(a)),               403, 200],
    ['no key',                          {},                                                401, 401],
  ];
  for (const [who, headers, without, withCredential] of cases) {
    const body = { virtual_cluster_id: a.clusterId, topic_name: 'orders' };
    const plain = await call('read_records', { headers, body });
    assert.equal(plain.status, without, `${who}: ${plain.text}`);
    if (without === 403) assert.match(plain.text, /read_records or admin .* or a Kafka credential/, who);
    const logged = await call('read_records', { headers, body: { ...body, ...credential } });
    assert.equal(logged.status, withCredential, `${who} with a credential: ${logged.text}`);
  }
});

test('a read is audited with its caller, topic, partitions, offsets and count; pages within a minute are one entry', async (t) => {
  let offset = 100;
  const fake = fakeHandlers();
  const read_records: NonNullable<SomeHandlers['read_records']> = (input, context) => {
    offset -= 10;
    context.read(auditReadOf([{ partition: 2, offset }], 7));
    return fake.read_records!(input, context);
  };
  const { accounts, deps, call } = await startTestApi(t, { handlers: { ...fake, read_records } });
  const ours = await makeAccount(accounts, 'Ours');
  const records = { ...appGrant(ours.a.id, 'app_r'), managedGrantName: 'read_records' as const };
  const headers = { 'service-api-key': await ours.key('assistant', records) };
  const denied = { 'service-api-key': await ours.key('metrics', appGrant(ours.a.id, 'app_r')) };
  const body = { virtual_cluster_id: ours.a.clusterId, topic_name: 'orders' };
  for (let page = 0; page < 3; page++) await call('read_records', { headers, body });
  await call('read_records', { headers: denied, body });
  deps.clock.advance(refusalIntervalMs);
  const search = () => accounts.auditLog.search({ accountId: ours.accountId, operation: 'read_records' });
  await until(async () => (await search()).entries.some(({ count }) => count === 3));
  const { entries } = await search();
  const byName = Map.groupBy(entries, ({ actor }) => actor.name);
  const [read, ...more] = byName.get('akn_assistant')!;
  assert.deepEqual(more, []);
  assert.deepEqual(read!.targets, [ours.a.clusterId, 'orders']);
  assert.deepEqual(read!.read, {
    recordCount: 3,
    scannedCount: 21,
    partitions: [{ partition: 2, firstOffset: 70, lastOffset: 90 }],
    otherPartitionCount: 0,
  });
  assert.deepEqual(
    byName.get('akn_metrics')!.map(({ result, read: nothing }) => [result, nothing]),
    [['forbidden', undefined]],
  );
});
