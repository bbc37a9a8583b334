import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, type CallOf, createClient, type ErrorCode, workspaceKeyHeader } from '@weir/api';
import { cookieOf, startTestApi } from '../../../testing/api-server.ts';
import { appGrant, makeAccount, password } from '../../../testing/two-accounts.ts';

async function start(t: TestContext) {
  const api = await startTestApi(t);
  const ours = await makeAccount(api.accounts, 'Ours');
  const clientWith = (headers: Record<string, string>) =>
    createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  const signIn = async (name: string, workspaceId: string, managedGrantName: 'admin' | 'read_only') => {
    const email = await ours.user(name, { workspaceId, managedGrantName });
    const answer = await api.call('sign_in', { body: { email, password } });
    return clientWith({ cookie: cookieOf(answer), origin: api.url });
  };
  return { ...api, ours, clientWith, signIn, admin: await signIn('ada', '*', 'admin') };
}

type Client = ReturnType<typeof createClient>;

async function refused(client: Client, code: ErrorCode, input: CallOf<'create_mcp_configuration'>) {
  await assert.rejects(client.call('create_mcp_configuration', input), (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

interface Written {
  readonly mcpServers: Readonly<
    Record<string, { readonly url: string; readonly headers?: Record<string, string> }>
  >;
}

function written(made: { configurations: { client: string; text: string }[] }): Written {
  return JSON.parse(made.configurations.find(({ client }) => client === 'url')!.text) as Written;
}

test('a configuration has a read-only key per workspace, or one for all', async (t) => {
  const { admin, ours, clientWith, url } = await start(t);
  const workspace_ids = [ours.a.id, ours.b.id];
  const many = await admin.call('create_mcp_configuration', { workspace_ids, key_name: 'assistants' });
  const { weir, 'weir-docs': docs } = written(many).mcpServers;
  assert.equal(weir!.url, `${url}/api/v1/mcp`);
  assert.deepEqual(Object.keys(weir!.headers!), workspace_ids.map(workspaceKeyHeader));
  assert.deepEqual(docs, { type: 'http', url: `${url}/docs/mcp` });
  for (const { name } of many.api_keys) assert.match(name, /^akn_assistants_[0-9a-f]{8}$/);

  const one = await admin.call('create_mcp_configuration', { workspace_ids, form: 'single_key' });
  const { headers } = written(one).mcpServers.weir!;
  assert.deepEqual(Object.keys(headers!), ['service-api-key']);
  assert.match(one.api_keys[0]!.name, /^akn_mcp_\d{8}_\d{6}_[0-9a-f]{8}$/);
  for (const keys of [weir!.headers!, headers!]) {
    const context = await clientWith(keys).call('get_context', {});
    assert.deepEqual(
      context.workspaces.map(({ id, grant }) => [id, grant]),
      workspace_ids.map((id) => [id, 'read_only']),
    );
  }
});

test('keys read records and the audit log only if asked for, and only those of their workspace', async (t) => {
  const { admin, ours, clientWith } = await start(t);
  await admin.call('create_mcp_configuration', { workspace_ids: [ours.b.id] });
  // what is asked for; the grant, whether the log is seen, and the grants of the key
  const cases: [reads: ('records' | 'audit_log')[], string, boolean, string[]][] = [
    [[], 'read_only', false, ['']],
    [['records'], 'read_records', false, ['read_records']],
    [['audit_log'], 'read_only', true, ['read_audit_log']],
    [['records', 'audit_log'], 'read_records', true, ['read_records', 'read_audit_log']],
  ];
  for (const [reads, grant, seesLog, grants] of cases) {
    const made = await admin.call('create_mcp_configuration', { workspace_ids: [ours.a.id], reads });
    const reader = clientWith(written(made).mcpServers.weir!.headers!);
    const { workspaces } = await reader.call('get_context', {});
    assert.deepEqual(
      workspaces.map((one) => [one.id, one.grant, one.may_read_audit_log]),
      [[ours.a.id, grant, seesLog]],
    );
    const { api_keys } = await admin.call('list_api_keys', {});
    const key = api_keys.find(({ id }) => id === made.api_keys[0]!.id)!;
    assert.deepEqual(
      key.access_grants.map((one) => one.managed_grant_name),
      grants,
    );
    const { entries } = await reader.call('search_audit_log', {});
    assert.equal(entries.length > 0, seesLog);
    assert.ok(entries.every(({ workspace_id }) => workspace_id === ours.a.id));
    const inA = reader.call('search_audit_log', { workspace_id: ours.a.id });
    if (seesLog) await inA;
    else
      await assert.rejects(inA, /admin role in this workspace, or an API key with the grant read_audit_log/);
  }
});

test('two configurations in the same second have different keys', async (t) => {
  const { admin, ours } = await start(t);
  const workspace_ids = [ours.a.id];
  const names: string[] = [];
  for (const form of ['single_key', 'single_key', 'per_workspace', 'per_workspace'] as const) {
    const made = await admin.call('create_mcp_configuration', { workspace_ids, form });
    names.push(...made.api_keys.map(({ name }) => name));
  }
  assert.equal(new Set(names).size, 4, names.join());
});

test('rotation deletes the old keys, and nothing else', async (t) => {
  const { admin, ours, clientWith, deps } = await start(t);
  const workspace_ids = [ours.a.id];
  const old = await admin.call('create_mcp_configuration', { workspace_ids });
  deps.clock.advance(2_000);
  const replaces = old.api_keys.map(({ id }) => id);
  const fresh = await admin.call('create_mcp_configuration', { workspace_ids, replaces });
  deps.clock.advance(2_000);
  await clientWith(written(fresh).mcpServers.weir!.headers!).call('get_context', {});
  await assert.rejects(
    clientWith(written(old).mcpServers.weir!.headers!).call('get_context', {}),
    /invalid API key/,
  );
});

test('only administrators of all the workspaces may, and a refusal leaves no key behind', async (t) => {
  const { admin, ours, clientWith, signIn } = await start(t);
  const reader = await signIn('bob', ours.a.id, 'read_only');
  const ofA = await signIn('eve', ours.a.id, 'admin');
  const byKey = clientWith({
    'service-api-key': await ours.key('app', { ...appGrant(ours.a.id), principalKind: 'app_r' }),
  });
  const before = (await admin.call('list_api_keys', {})).api_keys;
  await refused(reader, 'forbidden', { workspace_ids: [ours.a.id] });
  await refused(byKey, 'forbidden', { workspace_ids: [ours.a.id] });
  await refused(ofA, 'not_found', { workspace_ids: [ours.a.id, ours.b.id] });
  await refused(ofA, 'not_found', { workspace_ids: [ours.a.id], replaces: [`aki_${ours.a.id.slice(3)}`] });
  await admin.call('create_mcp_configuration', { workspace_ids: [ours.b.id], key_name: 'taken' });
  await refused(admin, 'duplicate_api_key_name', {
    workspace_ids: [ours.a.id, ours.b.id],
    key_name: 'taken',
  });
  const after = (await admin.call('list_api_keys', {})).api_keys;
  assert.equal(after.length, before.length + 1);
});

test('keys that an application key creates are read-only, audited under its name, and revoked with it', async (t) => {
  const { admin, ours, clientWith, deps } = await start(t);
  const workspace_ids = [ours.a.id];
  const byKey = clientWith({ 'service-api-key': await ours.key('maker', appGrant(ours.a.id)) });
  const configured = await byKey.call('create_mcp_configuration', { workspace_ids });
  const grant = {
    principal_kind: 'app_r',
    resource_kind: '*',
    resource_id: '*',
    workspace_id: ours.a.id,
  } as const;
  const made = await byKey.call('create_api_key', { name: 'reader', access_grants: [grant] });
  // A read-only key creates nothing, and no key is created for another workspace.
  const reader = clientWith(written(configured).mcpServers.weir!.headers!);
  await refused(reader, 'forbidden', { workspace_ids });
  await refused(byKey, 'not_found', { workspace_ids: [ours.b.id] });

  const { api_keys: all } = await admin.call('list_api_keys', {});
  const { id: makerId } = all.find(({ name }) => name === 'akn_maker')!;
  const { entries } = await admin.call('search_audit_log', { actor: makerId });
  assert.deepEqual(
    entries.map(({ operation, result }) => [operation, result]),
    [
      ['create_mcp_configuration', 'not_found'],
      ['create_api_key', 'ok'],
      ['create_mcp_configuration', 'ok'],
    ],
  );
  await admin.call('delete_api_key', { api_key_id: makerId });
  deps.clock.advance(2_000);
  const left = (await admin.call('list_api_keys', {})).api_keys.map(({ id }) => id);
  for (const id of [made.id, ...configured.api_keys.map((key) => key.id)]) assert.ok(!left.includes(id));
  await assert.rejects(reader.call('get_context', {}), /invalid API key/);
});

test('a call with keys of several workspaces creates no key, because it could be bound to none of them', async (t) => {
  const { ours, clientWith } = await start(t);
  const keyOf = async (workspaceId: string) => [
    workspaceKeyHeader(workspaceId),
    await ours.key(`maker_${workspaceId}`, appGrant(workspaceId)),
  ];
  const both = clientWith(Object.fromEntries([await keyOf(ours.a.id), await keyOf(ours.b.id)]));
  await refused(both, 'invalid_request', { workspace_ids: [ours.b.id] });
});
