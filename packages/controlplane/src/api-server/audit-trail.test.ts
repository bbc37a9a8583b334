import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLog } from '@weir/core';
import { cookieOf, startTestApi } from '../../testing/api-server.ts';
import { accountGrant, appGrant, makeAccount, password } from '../../testing/two-accounts.ts';
import { until } from '../../testing/until.ts';
import { refusalIntervalMs } from '../accounts/audit/audit-refusals.ts';

test('calls and refusals are recorded', async (t) => {
  const { accounts, deps, url, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const theirs = await makeAccount(accounts, 'Theirs');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const app = { 'service-api-key': await ours.key('app', appGrant(ours.a.id)) };
  const reads = { 'service-api-key': await ours.key('reads', appGrant(ours.a.id, 'app_r')) };
  const account = { 'service-api-key': await ours.key('account', accountGrant) };
  const [cluster, foreign] = [ours.a.clusterId, theirs.a.clusterId];
  const later = () => deps.clock.advance(1000);

  const signedIn = await call('sign_in', { body: { email, password }, headers: { origin: url } });
  const user = { cookie: cookieOf(signedIn), origin: url };
  later();
  await call('sign_in', { body: { email, password: 'not the right one' } });
  later();
  const rename = { virtual_cluster_id: cluster, new_virtual_cluster_name: 'purchases' };
  await call('rename_virtual_cluster', { headers: app, body: rename });
  later();
  await call('rename_virtual_cluster', { headers: reads, body: rename });
  later();
  await call('rename_virtual_cluster', { headers: app, body: { ...rename, virtual_cluster_id: foreign } });
  later();
  const made = await call('create_workspace', { headers: user, body: { workspace_name: 'Third' } });
  later();
  await call('create_workspace', { headers: account, body: { workspace_name: '' } });
  later();
  await call('create_virtual_cluster', { headers: app, body: { virtual_cluster_name: 'more' } });
  later();
  await call('list_workspaces', { headers: app });
  await call('create_workspace', { body: { workspace_name: 'Nobody' } });

  const found = await call('search_audit_log', { headers: account, body: {} });
  const entries = found.json.entries as Record<string, unknown>[];
  const rows = entries.map((entry) => [entry.operation, entry.actor_kind, entry.actor_name, entry.result]);
  assert.deepEqual(rows.toReversed(), [
    ['sign_in', 'anonymous', null, 'ok'],
    ['sign_in', 'anonymous', null, 'invalid_credentials'],
    ['rename_virtual_cluster', 'api_key', 'akn_app', 'ok'],
    ['rename_virtual_cluster', 'api_key', 'akn_reads', 'forbidden'],
    ['rename_virtual_cluster', 'api_key', 'akn_app', 'not_found'],
    ['create_workspace', 'user', email, 'ok'],
    ['create_workspace', 'api_key', 'akn_account', 'invalid_request'],
    ['create_virtual_cluster', 'api_key', 'akn_app', 'ok'],
  ]);
  const [newest, , workspace, , , renamed] = entries;
  assert.deepEqual(renamed!.targets, [cluster, 'purchases']);
  assert.equal(renamed!.workspace_id, ours.a.id);
  assert.equal(renamed!.remote_address, '127.0.0.1');
  assert.ok((workspace!.targets as string[]).includes(String(made.json.workspace_id)));
  assert.equal(newest!.workspace_id, ours.a.id, 'the workspace that the handler chose');

  const ofWorkspace = await call('search_audit_log', { headers: app, body: {} });
  const seen = (ofWorkspace.json.entries as { workspace_id: string }[]).map((entry) => entry.workspace_id);
  assert.deepEqual(new Set(seen), new Set([ours.a.id]), 'a workspace sees its own');
  assert.deepEqual((await call('search_audit_log', { headers: reads, body: {} })).json.entries, []);
  const { entries: foreignEntries } = await accounts.auditLog.search({ accountId: theirs.accountId });
  assert.deepEqual(foreignEntries, []);
});

test('a call that only validates is not recorded, unless it is forbidden', async (t) => {
  const { accounts, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const app = { 'service-api-key': await ours.key('app', appGrant(ours.a.id)) };
  const reads = { 'service-api-key': await ours.key('reads', appGrant(ours.a.id, 'app_r')) };
  const account = { 'service-api-key': await ours.key('account', accountGrant) };
  const body = {
    virtual_cluster_id: ours.a.clusterId,
    topic_name: 'orders',
    configs: { 'retention.ms': '1' },
  };
  await call('update_topic', { headers: app, body: { ...body, validate_only: true } });
  await call('update_topic', { headers: reads, body: { ...body, validate_only: true } });
  await call('update_topic', { headers: app, body });
  const found = await call('search_audit_log', { headers: account, body: {} });
  const entries = found.json.entries as Record<string, unknown>[];
  assert.deepEqual(entries.map(({ operation, result }) => [operation, result]).toSorted(), [
    ['update_topic', 'forbidden'],
    ['update_topic', 'ok'],
  ]);
});

test('what a call changed is bounded, and counts what is left out', async (t) => {
  const { accounts } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const changes = Array.from({ length: 60 }, (_, index) => ({
    name: `orders/${index}`,
    before: null,
    after: 'x'.repeat(300),
  }));
  await accounts.auditLog.append([
    {
      accountId: ours.accountId,
      actor: { kind: 'user', id: 'ui_1', name: 'ada' },
      remoteAddress: '127.0.0.1',
      userAgent: '',
      operation: 'reset_consumer_group_offsets',
      targets: ['shop'],
      changes,
      result: 'ok',
    },
  ]);
  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId, target: 'shop' });
  const stored = entries[0]!.changes!;
  assert.equal(stored.length, 51);
  assert.equal(stored.at(-1)!.name, 'and 10 more');
  assert.ok(stored.every(({ after }) => after === null || after.length <= 256));
});

test('endless refusals do not fill the log', async (t) => {
  const { accounts, deps, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const reads = { 'service-api-key': await ours.key('reads', appGrant(ours.a.id, 'app_r')) };
  const account = { 'service-api-key': await ours.key('account', accountGrant) };
  const search = async () =>
    (await call('search_audit_log', { headers: account, body: {} })).json.entries as Record<
      string,
      unknown
    >[];
  const body = { virtual_cluster_id: ours.a.clusterId, new_virtual_cluster_name: 'mine' };
  for (let n = 0; n < 50; n++) await call('rename_virtual_cluster', { headers: reads, body });
  assert.deepEqual(
    (await search()).map(({ operation, result, count }) => [operation, result, count]),
    [['rename_virtual_cluster', 'forbidden', 1]],
    'the first is recorded at once',
  );
  deps.clock.advance(refusalIntervalMs);
  await until(async () => (await search())[0]?.count === 50);
  assert.equal((await search()).length, 1);
});

test('a secret is only in its own answer', async (t) => {
  const lines: string[] = [];
  const log = jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(line) });
  const { accounts, deps, url, metrics, call } = await startTestApi(t, { log });
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const planted = (n: number) => `planted secret number ${n}`;
  const signIn = { body: { email, password }, headers: { origin: url } };
  const cookie = cookieOf(await call('sign_in', signIn));
  const headers = { cookie, origin: url };
  const virtual_cluster_id = ours.a.clusterId;

  const tries: [name: string, body: Record<string, unknown>][] = [
    ['sign_in', { email, password: planted(1) }],
    ['sign_in', { email: 'nobody@example.com', password: planted(2) }],
    ['setup', { token: planted(3), account_name: 'Some', email, name: 'Ada', password: planted(4) }],
    ['users/accept_invitation', { token: planted(5), name: 'Ada', password: planted(6) }],
    ['change_password', { current_password: planted(7), new_password: planted(8) }],
    ['change_password', { current_password: planted(9), new_password: 'short' }],
    [
      'create_virtual_cluster_credentials',
      {
        virtual_cluster_id,
        credentials_name: 'app',
        is_cluster_superuser: false,
        imported_password: planted(10),
      },
    ],
    ['change_password', { password: planted(11) }],
    ['sign_in', { email, password: { [planted(12)]: planted(12) } }],
  ];
  for (const [name, body] of tries) {
    await call(name, { headers, body });
    // The next refusal is a separate entry.
    deps.clock.advance(refusalIntervalMs);
  }
  const { json } = await call('create_workspace', { headers, body: { workspace_name: 'Third' } });
  const { key } = json.application_key as { key: string };
  assert.match(key, /^aks_/);
  const invited = await call('users/create_invitations', {
    headers,
    body: { invitations: [{ email: 'grace@example.com', user_role_id: ours.adminRoleId }] },
  });
  const [invitation] = invited.json.invitations as { invitation_url: string }[];
  const [, token] = invitation!.invitation_url.split('/join#');
  await call('get_context', { headers: { 'service-api-key': `aks_${planted(13)}` } });

  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId, limit: 1000 });
  assert.ok(entries.length >= tries.length);
  const written = JSON.stringify(entries) + lines.join('\n') + metrics.render();
  assert.doesNotMatch(written, /planted/);
  for (const secret of [key, token!, password, cookie.split('=')[1]!])
    assert.ok(!written.includes(secret), 'a secret was recorded');
});
