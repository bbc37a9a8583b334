import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CallOf, createClient, type ErrorCode } from '@weir/api';
import { cookieOf, startTestApi, type TestApiOptions } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { accountGrant, appGrant, makeAccount, password } from '../../../testing/two-accounts.ts';

/** Over HTTP with the typed client, which validates every answer against the catalogue. */

async function start(t: TestContext, options: TestApiOptions = {}) {
  const api = await startTestApi(t, options);
  const ours = await makeAccount(api.accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const clientWith = (headers: Record<string, string>) =>
    createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  const signIn = async (as: string) => {
    const answer = await api.call('sign_in', { body: { email: as, password } });
    return clientWith({ cookie: cookieOf(answer), origin: api.url });
  };
  const byKey = async (name: string, ...grants: Parameters<typeof ours.key>[1][]) =>
    clientWith({ 'service-api-key': await ours.key(name, ...grants) });
  const later = () => api.deps.clock.advance(1000);
  return { ...api, ours, email, admin: await signIn(email), clientWith, signIn, byKey, later };
}

type Client = ReturnType<typeof createClient>;

test('workspaces', async (t) => {
  const { admin, ours, clientWith, byKey, later } = await start(t);
  later();
  const made = await admin.call('create_workspace', { workspace_name: 'My analytics' });
  assert.match(made.application_key!.name, /^akn_My_analytics_[0-9a-f]{8}$/);
  const app = clientWith({ 'service-api-key': made.application_key!.key });
  const context = await app.call('get_context', {});
  assert.deepEqual(context.workspaces, [
    {
      id: made.workspace_id,
      name: 'My analytics',
      grant: 'admin',
      may_read_audit_log: true,
      virtual_clusters: [],
    },
  ]);
  const without = { workspace_name: 'Quiet', skip_application_key_creation: true };
  assert.deepEqual(Object.keys(await admin.call('create_workspace', without)), ['workspace_id']);
  await refused(admin, 'duplicate_name', 'create_workspace', without);
  const renaming = { workspace_id: made.workspace_id, new_workspace_name: 'Reports' };
  await admin.call('rename_workspace', renaming);
  const names = async (client: Client) =>
    (await client.call('list_workspaces', {})).workspaces.map(({ name }) => name);
  assert.deepEqual(await names(admin), ['Default', 'Second', 'Reports', 'Quiet']);
  assert.deepEqual(await names(app), ['Reports']);
  assert.deepEqual(await names(await byKey('account', accountGrant)), [
    'Default',
    'Second',
    'Reports',
    'Quiet',
  ]);
  await refused(admin, 'workspace_not_empty', 'delete_workspace', { workspace_id: ours.a.id });
  await admin.call('delete_workspace', { workspace_id: made.workspace_id });
  await refused(admin, 'not_found', 'rename_workspace', renaming);
});

test('roles, users and invitations', async (t) => {
  const { admin, ours, url, clientWith, call, signIn } = await start(t);
  const { user_role_id } = await admin.call('create_user_role', {
    user_role_name: 'Shop',
    access_grants: [{ workspace_id: ours.a.id, managed_grant_name: 'read_only', resource_id: '*' }],
  });
  const invitations = [{ email: 'Grace@example.com', user_role_id }];
  await refused(admin, 'invalid_request', 'users/create_invitations', {
    invitations: [...invitations, { email: 'grace@EXAMPLE.com', user_role_id }],
  });
  const { invitations: made } = await admin.call('users/create_invitations', { invitations });
  const [link, token] = made[0]!.invitation_url.split('#');
  assert.equal(link, `${url}/join`);
  assert.equal((await admin.call('users/list_invitations', {})).invitations.length, 1);

  const body = { token, name: 'Grace', password };
  const joined = await call('users/accept_invitation', { body });
  assert.equal(joined.status, 200, joined.text);
  const again = await call('users/accept_invitation', { body });
  assert.deepEqual([again.status, again.json.error], [401, 'invalid_token']);
  const grace = clientWith({ cookie: cookieOf(joined), origin: url });
  const context = await grace.call('get_context', {});
  assert.deepEqual(
    context.workspaces.map(({ name, grant }) => [name, grant]),
    [['Default', 'read_only']],
  );
  assert.equal(context.is_account_admin, false);
  await refused(grace, 'forbidden', 'users/list', {});
  await refused(grace, 'forbidden', 'rename_virtual_cluster', {
    virtual_cluster_id: ours.a.clusterId,
    new_virtual_cluster_name: 'mine',
  });

  await refused(admin, 'role_in_use', 'delete_user_role', { user_role_id });
  const { users } = await admin.call('users/list', {});
  const user = users.find(({ email }) => email === 'Grace@example.com')!;
  assert.deepEqual(user.user_role_ids, [user_role_id]);
  const ada = users.find(({ name }) => name === 'ada')!;
  await refused(admin, 'last_admin', 'users/delete', { user_id: ada.id });
  await admin.call('users/update_roles', { user_id: user.id, assigned_role_ids: [ours.adminRoleId] });
  assert.equal((await grace.call('get_context', {})).is_account_admin, true, 'at once');
  await admin.call('users/delete', { user_id: user.id });
  await refused(grace, 'invalid_api_key', 'get_context', {});
  await admin.call('update_user_role', {
    user_role_id,
    new_user_role_name: 'Everything',
    access_grants: [{ workspace_id: '*', managed_grant_name: 'admin' }],
  });
  const { user_roles } = await admin.call('list_user_roles', {});
  const role = user_roles.find(({ id }) => id === user_role_id)!;
  assert.deepEqual([role.name, role.access_grants[0]!.workspace_id], ['Everything', '*']);
  await admin.call('delete_user_role', { user_role_id });
  await refused(await signIn(ada.email), 'not_found', 'delete_user_role', { user_role_id });
});

test('keys: no caller creates a key with more permissions than its own', async (t) => {
  const { admin, ours, byKey, signIn, clientWith } = await start(t);
  const adminOfA = await signIn(
    await ours.user('of_a', { workspaceId: ours.a.id, managedGrantName: 'admin' }),
  );
  const readerOfA = await signIn(
    await ours.user('reads_a', { workspaceId: ours.a.id, managedGrantName: 'read_only' }),
  );
  const app = await byKey('app', appGrant(ours.a.id));
  const account = await byKey('account', accountGrant);
  const application = (workspace_id?: string) =>
    ({ principal_kind: 'app', resource_kind: '*', resource_id: '*', workspace_id }) as const;
  const agents = (resource_id: string) =>
    ({ principal_kind: 'agent', resource_kind: 'virtual_cluster', resource_id }) as const;
  const everything = {
    principal_kind: '*',
    resource_kind: '*',
    resource_id: '*',
    workspace_id: '*',
  } as const;
  const recordsKey = (workspace_id: string) =>
    ({ ...application(workspace_id), principal_kind: 'app_r', managed_grant_name: 'read_records' }) as const;
  const { a, b } = ours;

  // biome-ignore format: a table
  const cases: [who: string, client: Client, grant: CallOf<'create_api_key'>['access_grants'][number], result: 'ok' | ErrorCode][] = [
    ['admin',         admin,     application(b.id),    'ok'],
    ['admin',         admin,     agents(b.clusterId),  'ok'],
    ['admin',         admin,     everything,           'ok'],
    ['admin of a',    adminOfA,  application(),        'ok'],
    ['admin of a',    adminOfA,  application(a.id),    'ok'],
    ['admin of a',    adminOfA,  application(b.id),    'not_found'],
    ['admin of a',    adminOfA,  agents(a.clusterId),  'ok'],
    ['admin of a',    adminOfA,  agents(b.clusterId),  'not_found'],
    ['admin of a',    adminOfA,  everything,           'forbidden'],
    ['reader of a',   readerOfA, application(a.id),    'forbidden'],
    ['reader of a',   readerOfA, application(),        'forbidden'],
    ['reader of a',   readerOfA, agents(a.clusterId),  'forbidden'],
    ['app key',       app,       agents(a.clusterId),  'ok'],
    ['app key',       app,       application(a.id),    'forbidden'],
    ['account key',   account,   application(b.id),    'ok'],
    ['account key',   account,   application(),        'ok'],
    ['account key',   account,   everything,           'forbidden'],
    ['admin',         admin,     { ...application(a.id), managed_grant_name: 'read_only' }, 'invalid_request'],
    ['admin',         admin,     { ...agents(a.clusterId), resource_kind: '*' },            'invalid_request'],
    ['admin',         admin,     { ...application(a.id), managed_grant_name: 'read_records' }, 'invalid_request'],
    ['admin',         admin,     { ...agents(a.clusterId), managed_grant_name: 'read_records' }, 'invalid_request'],
    ['reader of a',   readerOfA, recordsKey(a.id),     'forbidden'],
    ['admin of a',    adminOfA,  recordsKey(b.id),     'not_found'],
    ['admin',         admin,     recordsKey(b.id),     'ok'],
  ];
  let count = 0;
  for (const [who, client, grant, result] of cases) {
    const name = `key_${count++}`;
    const call = { name, access_grants: [grant] };
    if (result === 'ok') {
      const made = await client.call('create_api_key_v2', call);
      assert.equal(made.name, `akn_${name}`, `${who}, ${name}`);
    } else await refused(client, result, 'create_api_key_v2', call);
  }
  await refused(admin, 'duplicate_api_key_name', 'create_api_key', {
    name: 'key_0',
    access_grants: [application(a.id)],
  });
  const wrongType = {
    name: 'typed',
    access_grants: [agents(a.clusterId)],
    virtual_cluster_type: 'byoc_data_lake' as const,
  };
  await refused(admin, 'invalid_request', 'create_api_key', wrongType);

  const namesFor = async (client: Client, workspace_id?: string) =>
    (await client.call('list_api_keys', { workspace_id })).api_keys.map(({ name }) => name);
  assert.deepEqual(await namesFor(adminOfA), [
    'akn_app',
    'akn_key_12',
    'akn_key_15',
    'akn_key_3',
    'akn_key_4',
    'akn_key_6',
  ]);
  assert.deepEqual(await namesFor(app), ['akn_key_12', 'akn_key_6']);
  assert.deepEqual(await namesFor(account, b.id), ['akn_key_0', 'akn_key_14', 'akn_key_23']);
  assert.deepEqual(await namesFor(readerOfA), []);
  const { api_keys } = await admin.call('list_api_keys', {});
  const idOf = (name: string) => api_keys.find((key) => key.name === name)!.id;
  await refused(adminOfA, 'not_found', 'delete_api_key', { api_key_id: idOf('akn_key_0') });
  await refused(readerOfA, 'not_found', 'delete_api_key', { api_key_id: idOf('akn_key_4') });
  await adminOfA.call('delete_api_key', { api_key_id: idOf('akn_key_4') });
  const { key } = await admin.call('create_api_key', { name: 'last', access_grants: [application(a.id)] });
  assert.equal((await clientWith({ 'service-api-key': key }).call('get_context', {})).actor.name, 'akn_last');
});

test('virtual clusters', async (t) => {
  const { admin, ours, byKey, clientWith, later, accounts } = await start(t);
  const app = await byKey('app', appGrant(ours.b.id));
  const made = await app.call('create_virtual_cluster', {
    virtual_cluster_name: 'shop',
    virtual_cluster_tags: { team: 'shop' },
  });
  const id = made.virtual_cluster_id;
  assert.deepEqual(
    [made.virtual_cluster_name, made.agent_pool_name, made.workspace_id],
    ['vcn_shop', 'apn_shop', ours.b.id],
  );
  const agents = clientWith({ 'service-api-key': made.agent_key!.key });
  const { virtual_cluster } = await agents.call('describe_virtual_cluster', { virtual_cluster_id: id });
  assert.equal(virtual_cluster.agent_keys, undefined, 'an agent key does not show keys');
  assert.deepEqual(virtual_cluster.cluster_region.region, { name: 'us-east-1', cloud_provider: 'aws' });
  const described = await app.call('describe_virtual_cluster', { virtual_cluster_id: id });
  assert.deepEqual(
    described.virtual_cluster.agent_keys?.map(({ name }) => name),
    [made.agent_key!.name],
  );
  await refused(app, 'not_found', 'create_virtual_cluster', {
    virtual_cluster_name: 'elsewhere',
    workspace_id: ours.a.id,
  });
  await refused(app, 'duplicate_name', 'create_virtual_cluster', { virtual_cluster_name: 'vcn_shop' });
  const lake = await admin.call('create_virtual_cluster_v2', {
    virtual_cluster_name: 'lake',
    virtual_cluster_type: 'byoc_data_lake',
    virtual_cluster_region: 'us-central1',
    virtual_cluster_cloud_provider: 'gcp',
    skip_agent_key_creation: true,
  });
  assert.match(lake.virtual_cluster_id, /^vci_dl_/);
  assert.deepEqual(
    [lake.virtual_cluster_name, lake.agent_key, lake.workspace_id],
    ['vcn_dl_lake', undefined, ours.a.id],
  );
  const lakeCluster = await admin.call('describe_virtual_cluster', {
    virtual_cluster_id: lake.virtual_cluster_id,
  });
  assert.deepEqual(lakeCluster.virtual_cluster.cluster_region, {
    is_multi_region: false,
    region: { name: 'us-central1', cloud_provider: 'gcp' },
    region_group: null,
  });
  await refused(app, 'not_found', 'create_virtual_cluster', {
    virtual_cluster_name: 'everywhere',
    virtual_cluster_region_group: 'us',
  });

  await app.call('rename_virtual_cluster', { virtual_cluster_id: id, new_virtual_cluster_name: 'store' });
  await app.call('update_virtual_cluster_tier', { virtual_cluster_id: id, tier: 'enterprise' });
  await app.call('update_virtual_cluster_tags', { virtual_cluster_id: id, tags: { team: 'store', a: '' } });
  assert.deepEqual(await app.call('describe_virtual_cluster_tags', { virtual_cluster_id: id }), {
    tags: { a: '', team: 'store' },
  });
  const list = async (client: Client) =>
    (await client.call('list_virtual_clusters', {})).virtual_clusters.map(({ name, tier }) => [name, tier]);
  assert.deepEqual(await list(app), [
    ['vcn_payments', 'pro'],
    ['vcn_store', 'enterprise'],
  ]);

  const deletion = { virtual_cluster_id: id, virtual_cluster_name: 'store' };
  await refused(app, 'name_mismatch', 'delete_virtual_cluster', {
    ...deletion,
    virtual_cluster_name: 'payments',
  });
  await accounts.virtualClusters.change(ours.accountId, id, { isDeletionProtected: true });
  await refused(app, 'deletion_protected', 'delete_virtual_cluster', deletion);
  await accounts.virtualClusters.change(ours.accountId, id, { isDeletionProtected: false });
  await refused(app, 'not_restorable', 'restore_virtual_cluster', { virtual_cluster_id: id });
  await app.call('delete_virtual_cluster', deletion);
  later();
  await refused(app, 'not_found', 'describe_virtual_cluster', { virtual_cluster_id: id });
  await refused(agents, 'not_found', 'describe_virtual_cluster', { virtual_cluster_id: id });
  const deleted = await app.call('list_recently_deleted_virtual_clusters', {});
  assert.deepEqual(
    deleted.virtual_clusters.map(({ name }) => name),
    ['vcn_store'],
  );
  const other = await byKey('other', appGrant(ours.a.id));
  assert.deepEqual((await other.call('list_recently_deleted_virtual_clusters', {})).virtual_clusters, []);
  await refused(other, 'not_found', 'restore_virtual_cluster', { virtual_cluster_id: id });
  await app.call('create_virtual_cluster', { virtual_cluster_name: 'store' });
  await refused(app, 'duplicate_name', 'restore_virtual_cluster', { virtual_cluster_id: id });
  await app.call('restore_virtual_cluster', { virtual_cluster_id: id, new_virtual_cluster_name: 'old' });
  assert.equal((await list(app)).length, 3);
});

test('sessions and passwords', async (t) => {
  const { admin, email, signIn, byKey, ours, call } = await start(t);
  const elsewhere = await signIn(email);
  const { sessions } = await admin.call('list_sessions', {});
  assert.deepEqual(sessions.map(({ is_current }) => is_current).toSorted(), [false, true]);
  const newPassword = 'another horse, another battery';
  await refused(admin, 'invalid_credentials', 'change_password', {
    current_password: 'not the right one',
    new_password: newPassword,
  });
  await admin.call('change_password', { current_password: password, new_password: newPassword });
  await refused(elsewhere, 'invalid_api_key', 'get_session', {});
  await admin.call('get_session', {});
  assert.equal((await call('sign_in', { body: { email, password } })).status, 401);
  assert.equal((await call('sign_in', { body: { email, password: newPassword } })).status, 200);

  const { sessions: now } = await admin.call('list_sessions', {});
  const other = now.find(({ is_current }) => !is_current)!;
  await admin.call('revoke_session', { session_id: other.id });
  await refused(admin, 'not_found', 'revoke_session', { session_id: other.id });
  const app = await byKey('app', appGrant(ours.a.id));
  await refused(app, 'forbidden', 'get_session', {});
  await refused(app, 'forbidden', 'sign_out', {});
});

test('the audit log has pages and filters', async (t) => {
  const { admin, ours, later } = await start(t);
  for (let n = 0; n < 5; n++) {
    later();
    const tags = { n: String(n) };
    await admin.call('update_virtual_cluster_tags', { virtual_cluster_id: ours.a.clusterId, tags });
  }
  const search = { operation: 'update_virtual_cluster_tags', limit: 2 };
  const pages = [await admin.call('search_audit_log', search)];
  while (pages.at(-1)!.next_cursor !== null)
    pages.push(await admin.call('search_audit_log', { ...search, cursor: pages.at(-1)!.next_cursor! }));
  assert.deepEqual(
    pages.map(({ entries }) => entries.length),
    [2, 2, 1],
  );
  const [newest] = pages[0]!.entries;
  const counted = async (input: CallOf<'search_audit_log'>) =>
    (await admin.call('search_audit_log', input)).entries.length;
  assert.equal(await counted({ target: ours.a.clusterId, workspace_id: ours.a.id }), 5);
  assert.equal(await counted({ target: ours.a.clusterId, workspace_id: ours.b.id }), 0);
  assert.equal(await counted({ ...search, start: newest!.time, limit: 100 }), 1);
  assert.equal(await counted({ ...search, end: newest!.time, limit: 100 }), 4);
  assert.equal(await counted({ result: 'forbidden' }), 0);
  assert.equal(await counted({ ...search, relative: '1d', limit: 100 }), 5);
  for (const given of [{ relative: 'soon' }, { relative: '0' }, { relative: '1h', end: newest!.time }])
    await refused(admin, 'invalid_request', 'search_audit_log', given);
});

test('the cluster is notified of revoked agent keys only, so that it replaces the shared secret of agents', async (t) => {
  const revoked: string[] = [];
  const { admin, ours } = await start(t, { onAgentsRevoked: (clusterId) => void revoked.push(clusterId) });
  const { id: workspace_id, clusterId } = ours.a;
  const agents = {
    principal_kind: 'agent',
    resource_kind: 'virtual_cluster',
    resource_id: clusterId,
  } as const;
  const application = { principal_kind: 'app', resource_kind: '*', resource_id: '*', workspace_id } as const;
  for (const grant of [application, agents]) {
    const name = `of_${grant.principal_kind}`;
    await admin.call('create_api_key', { name, access_grants: [grant] });
    const { api_keys } = await admin.call('list_api_keys', {});
    assert.deepEqual(revoked, []);
    await admin.call('delete_api_key', {
      api_key_id: api_keys.find((key) => key.name === `akn_${name}`)!.id,
    });
  }
  assert.deepEqual(revoked, [clusterId]);
});
