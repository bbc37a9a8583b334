import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { AgentKeyRefused } from '@weir/rpc';
import {
  callApi,
  connectAgent,
  freshClusterId,
  freshKey,
  startProcess,
} from '../../testing/running-process.ts';
import { until } from '../../testing/until.ts';
import { routeNames, routePath } from '../http/route-table.ts';

const person = {
  account_name: 'Example',
  email: 'ada@example.com',
  name: 'Ada',
  password: 'correct horse battery',
};

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-control-plane-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Signs the first user up by the printed link, as its page does. */
async function signUp(url: string, setupUrl: string | undefined): Promise<string> {
  const token = new URL(setupUrl!).hash.slice(1);
  const { status, cookie } = await callApi(url, 'setup', { token, ...person });
  assert.equal(status, 200);
  return cookie!;
}

async function isRefused(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error) => error instanceof AgentKeyRefused,
  );
}

test('a new installation begins with a cluster, a key for its agents, and a link for its first user', async (t) => {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const process = await startProcess(t, { firstCluster: () => first });
  const { url } = process;
  assert.equal(process.ownClusterId, first.id);
  assert.equal(process.hasFirstCluster, true);

  const page = await fetch(process.setupUrl!);
  // The console, if it is built here, or how to build it.
  assert.match(await page.text(), /<title>(?:Set Weir up|Weir)<\/title>/);
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
  const agent = connectAgent(t, url, first.id, first.agentKey);
  assert.deepEqual(await agent.listAgents(), []);

  const cookie = await signUp(url, process.setupUrl);
  const { body } = await callApi(url, 'list_virtual_clusters', {}, { cookie });
  const [cluster] = body.virtual_clusters;
  assert.equal(cluster?.id, first.id);
  assert.equal(cluster?.name, 'vcn_default');
  assert.deepEqual(
    cluster?.agent_keys?.map(({ name }) => name),
    ['akn_default_agents'],
  );
  const roles = await callApi(url, 'list_user_roles', {}, { cookie });
  const readOnly = roles.body.user_roles.find(({ name }) => name === 'Read-only')!.id;
  const invited = await callApi(
    url,
    'users/create_invitations',
    { invitations: [{ email: 'bob@example.com', user_role_id: readOnly }] },
    { cookie },
  );
  const link = new URL(invited.body.invitations[0]!.invitation_url);
  assert.match(await (await fetch(link)).text(), /<title>(?:Join Weir|Weir)<\/title>/);
  const joined = await callApi(url, 'users/accept_invitation', {
    token: link.hash.slice(1),
    name: 'Bob',
    password: 'another horse battery',
  });
  assert.equal(joined.body.user.email, 'bob@example.com');
  const again = await callApi(url, 'setup', { token: new URL(process.setupUrl!).hash.slice(1), ...person });
  assert.equal(again.body.error, 'already_set_up');
});

test('a new cluster is served at once, by its own key alone, until it is deleted', async (t) => {
  const { url, setupUrl, ownClusterId } = await startProcess(t);
  const cookie = await signUp(url, setupUrl);
  const made = await callApi(url, 'create_virtual_cluster', { virtual_cluster_name: 'orders' }, { cookie });
  const { virtual_cluster_id: clusterId, virtual_cluster_name } = made.body;
  const agentKey = made.body.agent_key!.key!;

  const topic = { virtual_cluster_id: clusterId, topic_name: 'orders', partition_count: 3, configs: {} };
  assert.equal((await callApi(url, 'create_topic', topic, { cookie })).status, 200);
  const agent = connectAgent(t, url, clusterId, agentKey);
  const [described] = await new Promise<readonly { name: string }[]>((resolve) => {
    agent.follow({ onSnapshot: ({ topics }) => resolve(topics), onChanges: () => {} });
  });
  assert.equal(described?.name, 'orders');
  assert.ok(
    await isRefused(connectAgent(t, url, ownClusterId!, agentKey).listAgents()),
    'the key admits to no other cluster',
  );

  const gone = await callApi(
    url,
    'delete_virtual_cluster',
    { virtual_cluster_id: clusterId, virtual_cluster_name },
    { cookie },
  );
  assert.equal(gone.status, 200);
  await until(() => isRefused(connectAgent(t, url, clusterId, agentKey).listAgents()));
  assert.equal(
    (await callApi(url, 'list_topics', { virtual_cluster_id: clusterId }, { cookie })).status,
    404,
  );

  await callApi(url, 'restore_virtual_cluster', { virtual_cluster_id: clusterId }, { cookie });
  const { body } = await callApi(url, 'list_topics', { virtual_cluster_id: clusterId }, { cookie });
  assert.deepEqual(
    body.topics.map(({ name }) => name),
    ['orders'],
    'the restored cluster has its topics',
  );
});

test('a revoked key is refused, and the key of the first start does not return with the next', async (t) => {
  const databaseUrl = join(folder(t), 'weir.db');
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const before = await startProcess(t, { databaseUrl, firstCluster: () => first });
  const agent = connectAgent(t, before.url, first.id, first.agentKey);
  await agent.listAgents();
  const cookie = await signUp(before.url, before.setupUrl);
  const { body } = await callApi(before.url, 'list_api_keys', {}, { cookie });
  const key = body.api_keys.find(({ name }) => name === 'akn_default_agents');
  await callApi(before.url, 'delete_api_key', { api_key_id: key!.id }, { cookie });
  await until(() => isRefused(connectAgent(t, before.url, first.id, first.agentKey).listAgents()));
  await before.stop();

  const after = await startProcess(t, { databaseUrl, firstCluster: () => first });
  assert.equal(after.setupUrl, undefined, 'it is set up');
  assert.equal(after.hasFirstCluster, false);
  assert.ok(await isRefused(connectAgent(t, after.url, first.id, first.agentKey).listAgents()));
  const session = await callApi(after.url, 'get_session', {}, { cookie });
  assert.equal(session.body.user.email, person.email, 'the session is still valid');
});

test('a key of the settings is valid as long as the settings have it', async (t) => {
  const databaseUrl = join(folder(t), 'weir.db');
  const clusterId = freshClusterId();
  const agentKey = freshKey();
  const before = await startProcess(t, { databaseUrl, clusterId, agentKey });
  await connectAgent(t, before.url, clusterId, agentKey).listAgents();
  await before.stop();
  const after = await startProcess(t, { databaseUrl, clusterId, agentKey: freshKey() });
  assert.ok(await isRefused(connectAgent(t, after.url, clusterId, agentKey).listAgents()));
});

test('two processes share a database: each forwards calls to the other, and takes over from it', async (t) => {
  const databaseUrl = join(folder(t), 'weir.db');
  const one = await startProcess(t, { databaseUrl });
  const cookie = await signUp(one.url, one.setupUrl);
  const clusterId = one.ownClusterId!;
  await one.whenLeader();
  const two = await startProcess(t, { databaseUrl });
  const topicNames = async (url: string) => {
    const { status, body } = await callApi(url, 'list_topics', { virtual_cluster_id: clusterId }, { cookie });
    return status === 200 ? body.topics.map(({ name }) => name) : [];
  };
  const topic = { virtual_cluster_id: clusterId, topic_name: 'orders', partition_count: 1, configs: {} };
  assert.equal((await callApi(two.url, 'create_topic', topic, { cookie })).status, 200);
  assert.deepEqual(await topicNames(one.url), ['orders']);
  const groups = await callApi(
    two.url,
    'list_consumer_groups',
    { virtual_cluster_id: clusterId },
    { cookie },
  );
  assert.equal(groups.status, 200);
  const late = await callApi(two.url, 'create_virtual_cluster', { virtual_cluster_name: 'late' }, { cookie });
  const inLate = { virtual_cluster_id: late.body.virtual_cluster_id };
  assert.equal((await callApi(one.url, 'list_topics', inLate, { cookie })).status, 200);

  await one.stop();
  await until(async () => (await topicNames(two.url)).includes('orders'));
});

test('a reader of the output of a single-user process is its user', async (t) => {
  const applicationKey = freshKey();
  const clusterId = freshClusterId();
  for (const isQuick of [false, true]) {
    const databaseUrl = `memory://${randomUUID()}`;
    const oneUser = { applicationKey, accountKey: freshKey() };
    const { url, signInUrl, setupUrl } = await startProcess(t, { databaseUrl, clusterId, oneUser, isQuick });
    assert.equal(setupUrl, undefined);
    const answer = await fetch(signInUrl!, { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('location'), '/');
    const cookie = answer.headers.get('set-cookie')!.split(';', 1)[0]!;
    const context = await callApi(url, 'get_context', {}, { cookie });
    assert.equal(context.body.is_account_admin, true);
    const byKey = await callApi(url, 'get_context', {}, { key: applicationKey });
    assert.deepEqual(
      byKey.body.workspaces.flatMap(({ virtual_clusters }) => virtual_clusters.map(({ id }) => id)),
      [clusterId],
    );
    // A key of the account creates keys, and so does a session from any program that sends its origin.
    const access_grants = [{ principal_kind: 'app', resource_kind: '*', resource_id: '*' }];
    const makeKey = (name: string, headers: Record<string, string>) =>
      fetch(`${url}/api/v1/create_api_key`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name, access_grants }),
      });
    assert.equal((await makeKey('one', { 'service-api-key': oneUser.accountKey })).status, 200);
    assert.equal((await makeKey('two', { cookie, origin: url })).status, 200);
    const refused = await makeKey('three', { cookie });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /A session works with the header Origin: http:/);
    const page = await fetch(`${url}/sign-in`);
    assert.match(page.headers.get('content-type')!, /^text\/html/);
    assert.match(await page.text(), /<title>.*Weir<\/title>/);
    assert.equal((await fetch(`${signInUrl}x`, { redirect: 'manual' })).status, 401);
    // The console, or the reference of the API if it is not built.
    const home = await fetch(`${url}/`, { redirect: 'manual' });
    assert.ok(home.status === 200 || home.headers.get('location') === '/api/v1/docs');
  }
});

test('an unusable file of the operator is named, and nothing is left running', async (t) => {
  const path = join(folder(t), 'missing.json');
  await assert.rejects(startProcess(t, { credentialsFile: path }), {
    name: 'SettingsFileProblem',
    message: new RegExp(`^-saslCredentialsFile ${path}: `),
  });
  await assert.rejects(startProcess(t, { bindingsFile: path }), {
    name: 'SettingsFileProblem',
    message: new RegExp(`^-workloadIdentityBindingsFile ${path}: `),
  });
});

test('a process that stops while accounts are loading ends cleanly', async (t) => {
  for (const pauseMs of [0, 1, 20, 60, 120]) {
    const oneUser = { applicationKey: freshKey(), accountKey: freshKey() };
    const started = await startProcess(t, { clusterId: freshClusterId(), oneUser, isQuick: true });
    const calls = Array.from({ length: 4 }, () =>
      fetch(`${started.url}/api/v1/get_sign_in_methods`).catch(() => undefined),
    );
    await new Promise<void>((resolve) => systemClock.after(pauseMs, resolve));
    await started.stop();
    for (const answer of await Promise.all(calls))
      assert.ok(answer === undefined || [200, 503].includes(answer.status), String(answer?.status));
  }
});

test('a stolen agent key cannot create a superuser or move a bucket', async (t) => {
  const first = { id: freshClusterId(), agentKey: freshKey() };
  const { url, setupUrl } = await startProcess(t, { firstCluster: () => first });
  const thief = connectAgent(t, url, first.id, first.agentKey);
  const eve = { username: 'eve', id: 'cci_1', name: 'ccn_eve', isFromFile: false, password: null };
  const attacks = {
    'make a superuser': () => thief.putCredentials([{ ...eve, isSuperuser: true }]),
    'remove a user': () => thief.deleteCredentials(['root']),
    'end a password': () => thief.endOldPassword('root'),
    'remove a topic for good': () => thief.removeTopics([{ name: 'orders' }]),
    'configure as an owner': () => thief.alterOwnerConfigs([], { validateOnly: false }),
  };
  for (const [what, attack] of Object.entries(attacks)) {
    for (let times = 0; times < 3; times++)
      await assert.rejects(attack(), /: not allowed with an agent key; use the API$/, what);
  }
  const cookie = await signUp(url, setupUrl);
  const audited = async () => {
    const { body } = await callApi(url, 'search_audit_log', { target: first.id }, { cookie });
    return body.entries
      .filter(({ result }) => result === 'forbidden')
      .map(({ operation, actor_kind, actor_name }) => [operation, actor_kind, actor_name])
      .sort();
  };
  const tried = [
    'alterOwnerConfigs',
    'deleteCredentials',
    'endOldPassword',
    'putCredentials',
    'removeTopics',
  ];
  await until(async () => (await audited()).length >= tried.length);
  assert.deepEqual(
    await audited(),
    tried.map((method) => [`agent_rpc/${method}`, 'api_key', 'akn_default_agents']),
    'the audit log has one entry per kind of attempt',
  );
  const value = 's3://logs?endpoint=http://evil.example';
  const changes = [{ name: 'service.bucket.url', operation: 'set', value }] as const;
  const [moved] = await thief.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  assert.equal(moved!.error, 'INVALID_CONFIG');
});

test('every route of the table is answered, with security headers', async (t) => {
  const { url } = await startProcess(t);
  for (const path of [...routeNames.map(routePath), '/icons/topic.svg']) {
    const answer = await fetch(url + path, { redirect: 'manual' });
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path);
    // The link needs a single-user process, and no icon has an empty name.
    const isFound = path !== '/sign-in/' && path !== '/icons/';
    assert.equal((await answer.text()) !== `${path}: not found`, isFound, path);
  }
});
