import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, createClient } from '@weir/api';
import { accountsDeps } from '../../../testing/accounts-deps.ts';
import { cookieOf, startTestApi, type TestApiOptions } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { accountGrant, agentGrant, appGrant, makeAccount, password } from '../../../testing/two-accounts.ts';
import { parseBindings } from '../../workload-identity/bindings-file.ts';

/**
 * Single sign-on and federations over HTTP, with the typed client, which validates every answer against the catalogue.
 */

async function start(t: TestContext, options: TestApiOptions = {}) {
  const api = await startTestApi(t, options);
  const ours = await makeAccount(api.accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const client = (headers: Record<string, string>) =>
    createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  const signedIn = await api.call('sign_in', { body: { email, password } });
  const admin = client({ cookie: cookieOf(signedIn), origin: api.url });
  const byKey = async (name: string, grant: Parameters<typeof ours.key>[1]) =>
    client({ 'service-api-key': await ours.key(name, grant!) });
  return { ...api, ours, admin, byKey };
}

test('single sign-on is set up, changed and removed, and its secret is never returned', async (t) => {
  const { admin, ours, url, accounts, byKey } = await start(t);
  const secret = 'secret-of-the-client';
  const input = {
    sso_identifier: 'example',
    issuer_url: 'https://id.example/realm',
    client_id: 'weir',
    client_secret: secret,
    default_role_id: ours.adminRoleId,
  };
  assert.deepEqual(await admin.call('get_sso_configuration', {}), { sso_configuration: null });
  const { sso_connection_id } = await admin.call('create_sso_configuration', input);
  await refused(admin, 'sso_already_configured', 'create_sso_configuration', input);
  const account = await byKey('account', accountGrant);
  const stored = await account.call('get_sso_configuration', {});
  assert.deepEqual(stored.sso_configuration, {
    id: sso_connection_id,
    sso_identifier: 'example',
    issuer_url: 'https://id.example/realm',
    client_id: 'weir',
    default_role_id: ours.adminRoleId,
    enable_sso_role_mapping: false,
    role_claim: 'groups',
    login_url: `${url}/login/sso/example`,
    callback_url: `${url}/login/callback?connection=example`,
  });
  const update = { sso_connection_id, enable_sso_role_mapping: true, role_claim: 'roles' };
  await admin.call('update_sso_configuration', update);
  const changed = (await admin.call('get_sso_configuration', {})).sso_configuration!;
  assert.deepEqual(
    [changed.enable_sso_role_mapping, changed.role_claim, changed.client_id],
    [true, 'roles', 'weir'],
  );
  await refused(admin, 'invalid_request', 'update_sso_configuration', {
    sso_connection_id,
    issuer_url: 'https://evil.example',
  });
  const app = await byKey('app', appGrant(ours.a.id));
  await refused(app, 'forbidden', 'get_sso_configuration', {});
  await admin.call('delete_sso_configuration', { sso_connection_id });
  await refused(admin, 'not_found', 'delete_sso_configuration', { sso_connection_id });
  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId });
  assert.ok(!JSON.stringify(entries).includes(secret));
  assert.ok(
    entries.some(
      ({ operation, targets }) =>
        operation === 'update_sso_configuration' && targets.includes(sso_connection_id),
    ),
  );
});

test('an issuer must have an HTTPS URL without credentials, query or fragment', async (t) => {
  const { admin, ours } = await start(t);
  const urls = [
    'http://id.example',
    'https://u:p@id.example',
    'https://id.example/?x=1',
    'https://id.example/#x',
    'https://',
  ];
  for (const issuer_url of urls) {
    await refused(admin, 'invalid_request', 'create_sso_configuration', {
      sso_identifier: 'example',
      issuer_url,
      client_id: 'weir',
      client_secret: 'x',
      default_role_id: ours.adminRoleId,
    });
    await refused(admin, 'invalid_request', 'create_workload_identity_federation', {
      virtual_cluster_id: ours.a.clusterId,
      name: 'x',
      issuer_url,
      claim_match_rules: [{ claim_path: 'sub', expected_value: 'x' }],
    });
  }
});

test('federations of a cluster', async (t) => {
  const { admin, ours, byKey, deps } = await start(t);
  const virtual_cluster_id = ours.a.clusterId;
  const rules = [{ claim_path: '"kubernetes.io".namespace', expected_value: 'weir-*' }];
  const input = {
    virtual_cluster_id,
    name: 'production',
    issuer_url: 'https://oidc.example/cluster',
    claim_match_rules: rules,
  };
  const app = await byKey('app', appGrant(ours.a.id));
  const made = await app.call('create_workload_identity_federation', input);
  assert.deepEqual(made, {
    ...input,
    id: made.id,
    source: 'api',
    audience: `weir://${virtual_cluster_id}`,
    read_only: false,
    max_credential_ttl_seconds: 3600,
    created_at: new Date(deps.clock.nowMs()).toISOString(),
  });
  await refused(app, 'duplicate_name', 'create_workload_identity_federation', input);
  const wrong: [rule: { claim_path: string; expected_value: string }][] = [
    [{ claim_path: 'sub', expected_value: '*' }],
    [{ claim_path: 'sub', expected_value: 'a*b' }],
    [{ claim_path: 'a..b', expected_value: 'x' }],
  ];
  for (const [rule] of wrong)
    await refused(app, 'invalid_request', 'create_workload_identity_federation', {
      ...input,
      name: 'wrong',
      claim_match_rules: [...rules, rule],
    });
  const { id } = await admin.call('create_workload_identity_federation', {
    ...input,
    name: 'a',
    read_only: true,
    max_credential_ttl_seconds: 60,
  });
  const agent = await byKey('agent', agentGrant(ours.a));
  const listed = await agent.call('list_workload_identity_federations', { virtual_cluster_id });
  assert.deepEqual(
    listed.workload_identity_federations.map(({ name, read_only }) => [name, read_only]),
    [
      ['a', true],
      ['production', false],
    ],
  );
  await refused(agent, 'forbidden', 'delete_workload_identity_federation', { virtual_cluster_id, id });
  const elsewhere = await byKey('elsewhere', appGrant(ours.b.id));
  await refused(elsewhere, 'not_found', 'list_workload_identity_federations', { virtual_cluster_id });
  await refused(elsewhere, 'not_found', 'delete_workload_identity_federation', {
    virtual_cluster_id: ours.b.clusterId,
    id,
  });
  await app.call('delete_workload_identity_federation', { virtual_cluster_id, id });
  await refused(app, 'not_found', 'delete_workload_identity_federation', { virtual_cluster_id, id });
});

test('bindings of the operator file are listed with the others, and only the file changes them', async (t) => {
  let text = '[]';
  const { admin, ours, byKey } = await start(t, { fileBindings: () => parseBindings(text) });
  const { clusterId: virtual_cluster_id } = ours.a;
  const issuer = 'https://oidc.example/cluster';
  const claims = [
    { path: 'sub', value: 'system:serviceaccount:weir:*' },
    { path: '"kubernetes.io".namespace', value: 'weir' },
  ];
  const made = await admin.call('create_workload_identity_federation', {
    virtual_cluster_id,
    name: 'made',
    issuer_url: issuer,
    claim_match_rules: [{ claim_path: 'sub', expected_value: 'x' }],
  });
  const list = async () => {
    const agent = await byKey(`agent_${listCount++}`, agentGrant(ours.a));
    const listed = await agent.call('list_workload_identity_federations', { virtual_cluster_id });
    return listed.workload_identity_federations;
  };
  let listCount = 0;
  assert.deepEqual(await list(), [made]);
  text = JSON.stringify([
    { name: 'written', issuer, clusterId: virtual_cluster_id, claims, lifetimeSeconds: 60 },
    { name: 'elsewhere', issuer, clusterId: ours.b.clusterId, claims },
  ]);
  assert.deepEqual(await list(), [
    made,
    {
      id: 'wif_written',
      source: 'file',
      virtual_cluster_id,
      name: 'written',
      issuer_url: issuer,
      audience: `weir://${virtual_cluster_id}`,
      claim_match_rules: claims.map(({ path, value }) => ({ claim_path: path, expected_value: value })),
      read_only: false,
      max_credential_ttl_seconds: 60,
      created_at: null,
    },
  ]);
  const remove = (id: string) => [{ virtual_cluster_id, id }] as const;
  await refused(admin, 'conflict', 'delete_workload_identity_federation', ...remove('wif_written'));
  await refused(admin, 'not_found', 'delete_workload_identity_federation', ...remove('wif_elsewhere'));
  text = '[]';
  await refused(admin, 'not_found', 'delete_workload_identity_federation', ...remove('wif_written'));
  assert.deepEqual(await list(), [made]);
});

test('without sealing keys single sign-on reports what is missing and what to do', async (t) => {
  const { secretBox: _, ...deps } = accountsDeps();
  const { admin, ours } = await start(t, { deps });
  const input = {
    sso_identifier: 'example',
    issuer_url: 'https://id.example/realm',
    client_id: 'weir',
    client_secret: 'secret-of-the-client',
    default_role_id: ours.adminRoleId,
  };
  await assert.rejects(admin.call('create_sso_configuration', input), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.status, error.isRetriable], ['no_sealing_keys', 409, false]);
    assert.match(error.message, /PostgreSQL.*openssl rand -hex 32.*-sealingKeysFile/);
    return true;
  });
  assert.deepEqual(await admin.call('get_sso_configuration', {}), { sso_configuration: null });
});
