import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError, type CallOf, createClient, type ErrorCode, type OperationName } from '@weir/api';
import { coreLimits } from '@weir/core';
import { fakeHandlers, startTestApi } from '../../../testing/api-server.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { linkingPipelines } from '../../pipelines/linking-pipelines.ts';
import { secretHandlers } from './secrets.ts';

type Client = ReturnType<typeof createClient>;

const value = 'correct-horse-battery';

async function start(t: TestContext) {
  const api = await startTestApi(t);
  const ours = await makeAccount(api.accounts, 'Ours');
  const theirs = await makeAccount(api.accounts, 'Theirs');
  const clientOf = async (account: typeof ours, ...grants: Parameters<typeof ours.key>[1][]) => {
    const headers = { 'service-api-key': await account.key(`key${keyCount++}`, ...grants) };
    return createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  };
  return { ...api, ours, theirs, clientOf, app: await clientOf(ours, appGrant(ours.a.id)) };
}

let keyCount = 0;

async function outcome<Name extends OperationName>(
  client: Client,
  name: Name,
  input: CallOf<Name>,
): Promise<ErrorCode | 'ok'> {
  try {
    await client.call(name, input);
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.ok(!error.message.includes(value) && !error.message.includes('\n'), error.message);
    return error.code;
  }
}

test('a secret from creation to deletion, and its value is nowhere', async (t) => {
  const { app, ours, deps, accounts } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const target = { ...on, secret_name: 'registry-password' };
  const { secret_id } = await app.call('create_secret', { ...target, secret: value });
  deps.clock.advance(1000);
  assert.deepEqual(await app.call('update_secret', { ...target, secret: `${value}2` }), { version: 2 });
  assert.deepEqual(await app.call('update_secret', { ...target, allows_exporters: true }), { version: 2 });
  const [listed] = (await app.call('list_secrets', on)).secrets;
  const { created_at, updated_at, ...rest } = listed!;
  assert.deepEqual(rest, {
    id: secret_id,
    name: 'registry-password',
    version: 2,
    allows_exporters: true,
    created_by: 'akn_key0',
    updated_by: 'akn_key0',
    used_by: [],
  });
  assert.equal(Date.parse(updated_at) - Date.parse(created_at), 1000);
  await app.call('delete_secret', target);
  assert.equal(await outcome(app, 'delete_secret', target), 'not_found');
  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId });
  const audited = entries.map(({ operation, result }) => `${operation} ${result}`).sort();
  assert.deepEqual(audited, [
    'create_secret ok',
    'delete_secret not_found',
    'delete_secret ok',
    'update_secret ok',
    'update_secret ok',
  ]);
  assert.ok(!JSON.stringify(entries).includes(value));
  assert.ok(JSON.stringify(entries).includes('registry-password'));
});

test('names and values have bounds', async (t) => {
  const { app, ours } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  // name, value, outcome
  const rows: readonly (readonly [string, string, ErrorCode | 'ok'])[] = [
    ['a', 'x', 'ok'],
    ['a', 'x', 'duplicate_name'],
    ['pem', `-----BEGIN KEY-----\n${value}\r\n\t`, 'ok'],
    ['most', 'ä'.repeat(coreLimits.secretBytesMax / 2), 'ok'],
    ['larger', 'ä'.repeat(coreLimits.secretBytesMax / 2 + 1), 'invalid_request'],
    ['empty', '', 'invalid_request'],
    ['zero', 'a\0', 'invalid_request'],
    ['half', '\ud800', 'invalid_request'],
    ['', 'x', 'invalid_request'],
    ['9', 'x', 'invalid_request'],
    ['a b', 'x', 'invalid_request'],
    ['a}', 'x', 'invalid_request'],
    ['a'.repeat(64), 'x', 'ok'],
    ['a'.repeat(65), 'x', 'invalid_request'],
  ];
  for (const [secret_name, secret, expected] of rows)
    assert.equal(await outcome(app, 'create_secret', { ...on, secret_name, secret }), expected, secret_name);
  const target = { ...on, secret_name: 'a' };
  assert.equal(await outcome(app, 'update_secret', target), 'invalid_request', 'there is nothing to change');
  assert.equal(await outcome(app, 'update_secret', { ...target, secret: '' }), 'invalid_request');
});

test('readers see names, and others see nothing', async (t) => {
  const { app, ours, theirs, clientOf } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const target = { ...on, secret_name: 'one' };
  await app.call('create_secret', { ...target, secret: value });
  const reader = await clientOf(ours, appGrant(ours.a.id, 'app_r'));
  const beside = await clientOf(ours, appGrant(ours.b.id));
  const stranger = await clientOf(theirs, appGrant(theirs.a.id));
  const calls = (client: Client) =>
    Promise.all([
      outcome(client, 'list_secrets', on),
      outcome(client, 'create_secret', { ...on, secret_name: 'two', secret: 'x' }),
      outcome(client, 'update_secret', { ...target, secret: 'x' }),
      outcome(client, 'delete_secret', target),
    ]);
  assert.deepEqual(await calls(reader), ['ok', 'forbidden', 'forbidden', 'forbidden']);
  for (const client of [beside, stranger]) assert.deepEqual(await calls(client), Array(4).fill('not_found'));
  assert.equal((await app.call('list_secrets', on)).secrets[0]!.version, 1);
});

test('a configuration refers to secrets of its own cluster, and they reach jobs alone', async (t) => {
  const { app, ours, theirs, accounts, clientOf } = await start(t);
  const registryOf = async (account: typeof ours) =>
    await accounts.virtualClusters.create(account.accountId, account.a.id, {
      name: 'registry',
      type: 'byoc_schema_registry',
      tier: 'pro',
      cloudProvider: 'aws',
      place: { region: 'us-east-1' },
    });
  const cluster = await registryOf(ours);
  const foreign = await registryOf(theirs);
  const on = { virtual_cluster_id: cluster.id };
  const stranger = await clientOf(theirs, appGrant(theirs.a.id));
  await stranger.call('create_secret', {
    virtual_cluster_id: foreign.id,
    secret_name: 'pw',
    secret: 'foreign value',
  });
  const pipeline_type = 'schema_linking';
  const { pipeline_id } = await app.call('create_pipeline', {
    ...on,
    pipeline_name: 'mirror',
    pipeline_type,
  });
  const target = { ...on, pipeline_id };
  const configuration_yaml = [
    'source_schema_registry:',
    '  hostname: other.example.com',
    '  port: 8081',
    '  basic_auth_username: me',
    `  basic_auth_password: \${secret:pw}`,
    '',
  ].join('\n');
  const configure = () => app.call('create_pipeline_configuration', { ...target, configuration_yaml });
  await assert.rejects(configure(), {
    code: 'invalid_pipeline_configuration',
    message:
      'line 5, column 24: source_schema_registry.basic_auth_password: refers to the secret pw, which does not exist in the cluster; create it with create_secret',
  });
  const check = await app.call('check_pipeline_configuration', { ...on, pipeline_type, configuration_yaml });
  assert.equal(check.problem_count, 1);
  await app.call('create_secret', { ...on, secret_name: 'pw', secret: value });
  const { configuration_id } = await configure();
  await app.call('change_pipeline_state', {
    ...target,
    desired_state: 'running',
    deployed_configuration_id: configuration_id,
  });

  const described = await app.call('describe_pipeline', { ...target, include_summary: true });
  assert.equal(described.pipeline_configurations[0]!.configuration_yaml, configuration_yaml);
  assert.ok(!JSON.stringify(described).includes(value));
  assert.deepEqual((await app.call('list_secrets', on)).secrets[0]!.used_by, ['mirror']);
  const gone = { ...on, secret_name: 'pw' };
  await assert.rejects(app.call('delete_secret', gone), {
    code: 'secret_in_use',
    message: 'The secret "pw" is used by the pipeline "mirror" (version 1); change them first.',
  });

  const [planned] = await linkingPipelines(accounts, cluster);
  assert.ok(!JSON.stringify(planned).includes(value), 'a plan has no value');
  assert.deepEqual(await planned!.openSecrets!(), { pw: value });
  await app.call('update_secret', { ...gone, secret: 'another' });
  const [rotated] = await linkingPipelines(accounts, cluster);
  assert.notEqual(rotated!.task.secretsDigest, planned!.task.secretsDigest);
  assert.deepEqual(await rotated!.openSecrets!(), { pw: 'another' });
  assert.equal(
    (await linkingPipelines(accounts, cluster))[0]!.task.secretsDigest,
    rotated!.task.secretsDigest,
  );
  await app.call('delete_pipeline', target);
  await app.call('delete_secret', gone);
});

test('a secret that an exporter names stays', async (t) => {
  const { accounts } = await start(t);
  const own = await makeAccount(accounts, 'Exporting');
  const asked: string[] = [];
  const handlers = {
    ...fakeHandlers(),
    ...secretHandlers(accounts, {
      exportersUsing: async (_, name) => {
        asked.push(name);
        return ['e'];
      },
    }),
  };
  const { url } = await startTestApi(t, { accounts, handlers });
  const headers = { 'service-api-key': await own.key('k', appGrant(own.a.id)) };
  const client = createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: own.a.clusterId };
  await client.call('create_secret', { ...on, secret_name: 'for-all', secret: 'x', allows_exporters: true });
  await client.call('create_secret', { ...on, secret_name: 'for-pipelines', secret: 'x' });
  await assert.rejects(client.call('delete_secret', { ...on, secret_name: 'for-all' }), {
    code: 'secret_in_use',
    message: /the exporter "e"/,
  });
  await client.call('delete_secret', { ...on, secret_name: 'for-pipelines' });
  assert.deepEqual(asked, ['for-all']);
});
