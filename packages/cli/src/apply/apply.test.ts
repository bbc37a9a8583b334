import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ApiError, catalogue } from '@weir/api';
import { oneBatchFile } from '@weir/controlplane/testing';
import { systemClock } from '@weir/core';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

/** An API, a folder for files, and the command. */
async function open(t: TestContext) {
  const api = await startTestApi(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-apply-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const environment: Record<string, string> = { SERVICE_API_URL: api.url, SERVICE_API_KEY: api.key };
  return {
    api,
    environment,
    path: (name: string) => join(folder, name),
    write(text: string, name = 'weir.yaml') {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    /** Runs the command with this text on standard input. */
    async apply(text: string, ...flags: readonly string[]) {
      const found = await runArguments(['apply', '-f', '-', ...flags], { environment, input: [text] });
      assert.ok(!(found.out + found.err).includes(api.key), 'the key is printed nowhere');
      return found;
    },
    writesSoFar() {
      const writes = api.called.filter((name) => catalogue[name].access === 'write');
      api.called.length = 0;
      return writes;
    },
  };
}

const guide = readFileSync(join(import.meta.dirname, '../../../../docs/reference/apply.md'), 'utf8');
const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
const session = /^```text\n([\s\S]*?)^```$/m.exec(guide)?.[1];

test('the first example of the guide does what the guide says', async (t) => {
  const { apply, writesSoFar } = await open(t);
  const dry = await apply(examples[0]!, '--dry-run');
  assert.equal(dry.out, session?.split('--dry-run\n')[1]);
  assert.deepEqual(writesSoFar(), [], 'a dry run writes nothing');
  const done = await apply(examples[0]!);
  assert.match(done.out, /^virtual cluster shop\n {2}\+ virtual cluster shop \(byoc\) \[vci_\w+\]\n/);
  assert.match(done.out, /\nDone: 2 created, 0 updated, 0 deleted, 0 unchanged\.\n$/);
  assert.deepEqual(writesSoFar(), ['create_virtual_cluster', 'create_topic']);
  assert.deepEqual(await apply(examples[0]!), {
    status: 0,
    out: 'No changes: 2 unchanged.\n',
    err: '',
  });
  assert.deepEqual(writesSoFar(), []);
});

test('the full example of the guide is applied, with its secrets, and then there is nothing to do', async (t) => {
  const { api, environment, path, write, writesSoFar } = await open(t);
  mkdirSync(path('secrets'));
  const argv = ['apply', '-f', write(examples[1]!)];
  const missing = await runArguments(argv, { environment });
  assert.equal(missing.status, 1);
  assert.match(missing.err, /credential operator: the environment variable OPERATOR_PASSWORD is not set\n$/);
  assert.deepEqual(writesSoFar(), []);

  environment.OPERATOR_PASSWORD = 'hunter2';
  const done = await runArguments(argv, { environment });
  assert.equal(done.status, 0, done.err);
  const printed = done.err.trimEnd().split('\n');
  assert.equal(printed.length, 2);
  assert.match(printed[0]!, /^weir apply: password of credential report, shown only once: ccp_/);
  assert.match(printed[1]!, /^weir apply: secret of agent key shop_metrics, shown only once: aks_/);
  assert.doesNotMatch(done.out, /ccp_|aks_|hunter2/);
  for (const [name, form] of [
    ['secrets/checkout', /^ccp_[0-9a-f]{64}\n$/],
    ['secrets/shop-agents', /^aks_[0-9a-f]{64}\n$/],
  ] as const) {
    assert.match(readFileSync(path(name), 'utf8'), form);
    assert.equal(statSync(path(name)).mode & 0o777, 0o600);
  }
  writesSoFar();
  const again = await runArguments([...argv, '-prune'], { environment });
  assert.deepEqual([again.status, again.out.startsWith('No changes: '), again.err], [0, true, '']);
  assert.deepEqual(writesSoFar(), []);

  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  assert.deepEqual(
    virtual_clusters.map(({ name, agent_keys }) => [name, agent_keys?.map((key) => key.name)]),
    [['vcn_shop', ['akn_shop_agents', 'akn_shop_metrics']]],
  );
});

test('a pipeline is made, configured and deployed, taken back by an older file, and started', async (t) => {
  const { api, apply, writesSoFar } = await open(t);
  const file = (topic: string, more = '') =>
    stringify({
      version: 1,
      virtual_clusters: [
        {
          name: 'shop',
          pipelines: [
            {
              name: 'clean',
              configuration_yaml: `input: { generate: { mapping: root = "${topic}" } }\noutput: { drop: {} }\n`,
              ...(more === '' ? {} : { state: more }),
            },
          ],
        },
      ],
    });
  assert.equal((await apply(file('a'))).status, 0);
  const made = ['create_pipeline', 'create_pipeline_configuration', 'change_pipeline_state'];
  assert.deepEqual(writesSoFar(), ['create_virtual_cluster', ...made]);
  assert.match((await apply(file('a', 'paused'))).out, /^No changes/);
  assert.equal((await apply(file('b'))).status, 0);
  assert.deepEqual(writesSoFar(), made.slice(1));
  const back = await apply(file('a'));
  assert.match(back.out, /~ pipeline clean: configuration version 2 → version 1\n/);
  assert.deepEqual(writesSoFar(), ['change_pipeline_state']);

  const running = await apply(file('a', 'running'));
  assert.equal(running.status, 0, running.err);
  assert.match(running.out, /~ pipeline clean: state paused → running\n/);
  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  const virtual_cluster_id = virtual_clusters[0]!.id;
  const { pipelines } = await api.client.call('list_pipelines', { virtual_cluster_id });
  assert.deepEqual(
    pipelines.map(({ name, state, deployed_configuration_version: version }) => [name, state, version]),
    [['clean', 'running', 1]],
  );
  writesSoFar();
  const wrong = await apply(file('a').replace('output:', 'outptu:').replace('name: shop', 'name: other'));
  assert.equal(wrong.status, 1);
  assert.match(
    wrong.err,
    /^weir apply: \(standard input\):\d+:\d+: virtual_clusters\[0\]\.pipelines\[0\]\.configuration_yaml: output is missing\n.*:8:11: .*did you mean output\?\n$/,
  );
  assert.deepEqual(writesSoFar(), [], 'the cluster before it is not made');
  await apply('version: 1\nvirtual_clusters: [{ name: shop, pipelines: [] }]\n', '-prune');
  assert.deepEqual(await api.client.call('list_pipelines', { virtual_cluster_id }), { pipelines: [] });
});

test('a data lake cluster with events, and a pipeline in parts', async (t) => {
  const { api, apply, writesSoFar } = await open(t);
  const globals = 'source_clusters: [{ name: k, bootstrap_brokers: [{ hostname: broker, port: 9092 }] }]\n';
  const tableOf = (topic: string) =>
    `tables: [{ source_cluster_name: k, source_topic: ${topic}, input_schema: '{"type":"object","properties":{"id":{"type":"string"}}}' }]\n`;
  const file = (topic: string, first = globals) =>
    stringify({
      version: 1,
      virtual_clusters: [
        {
          name: 'lake',
          type: 'byoc_data_lake',
          events: { enabled: true, event_types: { tableflow_logs: { enabled: true } } },
          pipelines: [
            {
              name: 'tables',
              type: 'data_lake',
              configuration_inputs: [
                { name: 'globals', yaml: first },
                { name: 'shop/orders', yaml: tableOf(topic) },
              ],
            },
          ],
        },
      ],
    });
  const first = await apply(file('orders'));
  assert.equal(first.status, 0, first.err);
  assert.match((await apply(file('orders'))).out, /^No changes/);
  writesSoFar();
  assert.equal((await apply(file('returns'))).status, 0);
  assert.deepEqual(writesSoFar(), ['create_pipeline_configuration', 'change_pipeline_state']);
  const back = await apply(file('orders'));
  assert.match(back.out, /~ pipeline tables: configuration version 2 → version 1\n/);
  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  const on = { virtual_cluster_id: virtual_clusters[0]!.id };
  const [pipeline] = (await api.client.call('list_pipelines', on)).pipelines;
  const { pipeline_configurations } = await api.client.call('describe_pipeline', {
    ...on,
    pipeline_id: pipeline!.id,
  });
  assert.deepEqual(
    pipeline_configurations[0]!.configuration_inputs?.map(({ name }) => name),
    ['globals', 'shop/orders'],
  );
  const wrong = await apply(file('orders', globals.replace('name: k', 'name: other')));
  assert.equal(wrong.status, 1);
  assert.match(
    wrong.err,
    /pipelines\[0\]\.configuration_inputs: .*shop\/orders.*source_cluster_name: is none of source_clusters/,
  );
});

test('a migration is made, started and changed by a file, and a mistake in it has its place', async (t) => {
  const { api, apply, writesSoFar } = await open(t);
  const file = (mapping: string) =>
    stringify({
      version: 1,
      virtual_clusters: [
        {
          name: 'shop',
          pipelines: [
            {
              name: 'move',
              type: 'orbit',
              configuration_yaml: `source_bootstrap_brokers: [{ hostname: old.example.com, port: 9092 }]\ntopic_mappings: [{ ${mapping} }]\n`,
              state: 'running',
            },
          ],
        },
      ],
    });
  const wrong = await apply(file('source_regexp: orders'));
  assert.equal(wrong.status, 1);
  assert.match(wrong.err, /configuration_yaml: .*source_regexp.*did you mean source_regex\?\n/);
  assert.deepEqual(writesSoFar(), []);
  const made = await apply(file('source_regex: orders'));
  assert.equal(made.status, 0, made.err);
  assert.match(made.out, /\+ pipeline move \(orbit\)/);
  assert.match((await apply(file('source_regex: orders'))).out, /^No changes/);
  writesSoFar();
  assert.equal((await apply(file('source_regex: orders|bills'))).status, 0);
  assert.deepEqual(writesSoFar(), ['create_pipeline_configuration', 'change_pipeline_state']);
  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  const { pipelines } = await api.client.call('list_pipelines', {
    virtual_cluster_id: virtual_clusters[0]!.id,
  });
  assert.deepEqual(
    pipelines.map(({ name, type, state, deployed_configuration_version: version }) => [
      ...[name, type, state, version],
    ]),
    [['move', 'orbit', 'running', 2]],
  );
});

test('with an account key, a workspace key is created for the run and deleted after it', async (t) => {
  const { api, environment, apply, writesSoFar } = await open(t);
  environment.SERVICE_API_KEY = api.accountKey;
  const text = [
    'version: 1',
    'virtual_clusters:',
    '  - name: shop',
    '    topics: [{ name: a, partition_count: 1 }]',
    '    agent_keys: [{ name: agents }]',
    '',
  ].join('\n');
  const keyNames = async () =>
    (await api.accountClient.call('list_api_keys', {})).api_keys.map(({ name }) => name);
  const before = await keyNames();
  const refused = await apply(`${text}    credentials: [{ name: app, password_env: NOT_SET }]\n`);
  assert.deepEqual([refused.status, writesSoFar()], [1, ['create_api_key', 'delete_api_key']]);
  const dry = await apply(text, '-dry-run');
  assert.match(dry.out, /\nPlan: 3 to create, /);
  assert.deepEqual(writesSoFar(), ['create_api_key', 'delete_api_key']);
  const done = await apply(text);
  assert.equal(done.status, 0, done.err);
  assert.match(done.out, /\nDone: 3 created, /);
  assert.deepEqual(writesSoFar(), [
    'create_api_key',
    'create_virtual_cluster',
    'create_topic',
    'create_api_key',
    'delete_api_key',
  ]);
  assert.match((await apply(text, '-prune')).out, /^No changes: 3 /);
  assert.deepEqual(await keyNames(), before);
});

test('a later run deletes the key of a killed run, and no younger key', async (t) => {
  const { api, environment } = await open(t);
  environment.SERVICE_API_KEY = api.accountKey;
  const grant = { principal_kind: 'app', resource_kind: '*', resource_id: '*' } as const;
  const { workspaces } = await api.accountClient.call('list_workspaces', {});
  const access_grants = [{ ...grant, workspace_id: workspaces[0]!.id }];
  for (const name of ['weir_apply_0123abcd', 'weir_apply_of_a_person'])
    await api.accountClient.call('create_api_key', { name, access_grants });
  const remainingKeys = async (passedMs: number) => {
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + passedMs };
    const input = ['version: 1\nvirtual_clusters: [{ name: shop }]\n'];
    const { status, err } = await runArguments(['apply', '-f', '-', '-dry-run'], {
      environment,
      input,
      clock,
    });
    assert.equal(status, 0, err);
    const { api_keys } = await api.accountClient.call('list_api_keys', {});
    return api_keys.map(({ name }) => name).filter((name) => name.includes('weir_apply'));
  };
  assert.deepEqual(await remainingKeys(0), ['akn_weir_apply_0123abcd', 'akn_weir_apply_of_a_person']);
  assert.deepEqual(await remainingKeys(7 * 3_600_000), ['akn_weir_apply_of_a_person']);
});

test('with an account key, clusters are found and created in the workspace that the file names', async (t) => {
  const { api, environment, apply } = await open(t);
  environment.SERVICE_API_KEY = api.accountKey;
  const made = await api.accountClient.call('create_workspace', {
    workspace_name: 'Second',
    skip_application_key_creation: true,
  });
  const file = (...workspaceIds: readonly string[]) =>
    stringify({
      version: 1,
      virtual_clusters: workspaceIds.map((workspace_id) => ({ name: 'shop', workspace_id })),
    });
  const { workspaces } = await api.accountClient.call('list_workspaces', {});
  const ids = workspaces.map(({ id }) => id);
  assert.ok(ids.includes(made.workspace_id));
  const done = await apply(file(...ids));
  assert.equal(done.status, 0, done.err);
  const several = await apply('version: 1\nvirtual_clusters: [{ name: shop }]\n');
  assert.match(
    several.err,
    /:2:20: several workspaces have a virtual cluster shop; set workspace_id to one of wi_/,
  );
  const none = `wi_${'0'.repeat(8)}_0000_4000_8000_${'0'.repeat(12)}`;
  const unknown = await apply(file(ids[0]!, none));
  assert.deepEqual(
    [unknown.status, unknown.err],
    [1, `weir apply: (standard input):5:5: workspace_id: workspace ${none} not found\n`],
  );
});

test('a run key that cannot be deleted is named', async (t) => {
  const { api, environment, apply } = await open(t);
  environment.SERVICE_API_KEY = api.accountKey;
  api.before = (name) => {
    if (name === 'delete_api_key') throw new ApiError('forbidden');
  };
  const { status, err } = await apply('version: 1\nvirtual_clusters: [{ name: shop }]\n');
  assert.equal(status, 1);
  assert.match(err, /^weir apply: failed to delete key akn_weir_apply_[0-9a-f]{8} \(aki_\w+\) of this run: /);
});

test('exit statuses', async (t) => {
  const { apply } = await open(t);
  const text = 'version: 1\nvirtual_clusters: [{ name: shop }]\n';
  const status = async (given: string, ...flags: string[]) => (await apply(given, ...flags)).status;
  assert.equal(await status(text, '-dry-run'), 0);
  assert.equal(await status(text, '-dry-run', '-detailed-exit-code'), 2);
  assert.equal(await status(text), 0);
  assert.equal(await status(text, '--dry-run', '--detailed-exitcode'), 0);
  assert.equal(await status('version: 2\n', '--dry-run', '--detailed-exitcode'), 1);
  assert.equal(await status(text, '-detailed-exit-code'), 2);
});

test('a command line that cannot work is refused', async () => {
  const cases: readonly [flags: readonly string[], problem: string][] = [
    [['-api-url', 'http://a', '-api-key', 'k'], '-file is required'],
    [['-f', 'a'], '-api-url is required'],
    [['-f', 'a', '-api-url', 'http://a'], '-api-key is required'],
    [
      ['-f', 'a', '-api-url', 'http://a', '-api-key', 'k', '-detailed-exit-code'],
      '-detailed-exit-code=true: needs -dry-run',
    ],
  ];
  for (const [flags, problem] of cases) {
    const found = await runArguments(['apply', ...flags]);
    assert.deepEqual(found, { status: 2, out: '', err: `weir apply: ${problem}\n` });
  }
});

test('a failure to connect, read or write is reported in one line', async (t) => {
  const { api, apply, path, write, environment } = await open(t);
  const file = write('version: 1\nvirtual_clusters: []\n');
  const wrongKey = await runArguments(['apply', '-f', file, '-api-key', 'aks_wrong'], { environment });
  assert.deepEqual([wrongKey.status, wrongKey.err], [1, 'weir apply: invalid API key\n']);
  const noFile = await runArguments(['apply', '-f', path('none.yaml')], { environment });
  assert.equal(noFile.status, 1);
  assert.match(noFile.err, /^weir apply: failed to read \S+none\.yaml: ENOENT[^\n]*\n$/);
  const notText = await runArguments(['apply', '-f', '-'], { environment, input: [Uint8Array.of(0xff)] });
  assert.deepEqual([notText.status, notText.err], [1, 'weir apply: standard input is not UTF-8\n']);
  environment.SERVICE_API_URL = `${api.url}/api/v1/`;
  assert.equal(
    (await apply('version: 1\nvirtual_clusters: []\n')).status,
    0,
    'as provisioning tools write it',
  );
});

test('several files are merged, and the problems of all are reported at once', async (t) => {
  const { environment, write, writesSoFar } = await open(t);
  const one = write('version: 1\nvirtual_clusters: [{ name: shop, tier: dev }]\n', 'one.yaml');
  const two = write(
    'version: 1\nvirtual_clusters: [{ name: shop, topics: [{ name: a, partition_count: 1 }] }]\n',
    'two.yaml',
  );
  const done = await runArguments(['apply', '-f', one, '-f', two, '-f', one], { environment });
  assert.match(done.out, /\+ virtual cluster shop \(byoc, dev\).*\n {2}\+ topic a \(1 partition\)\n/);
  writesSoFar();
  const bad = write('version: 1\nvirtual_cluster: []\n', 'bad.yaml');
  const missing = join(bad, '..', 'missing.yaml');
  const worse = write('version: 1\nvirtual_clusters: [{ name: a }]\n', 'worse.yaml');
  const refused = await runArguments(['apply', '-f', missing, '-file', `${bad},${two}`, '-f', worse], {
    environment,
  });
  assert.deepEqual(refused.err.replace(/: ENOENT.*/, '').split('\n'), [
    `weir apply: failed to read ${missing}`,
    `weir apply: ${bad}:1:1: virtual_clusters: is missing`,
    `weir apply: ${bad}:2:1: virtual_cluster: unknown field; did you mean virtual_clusters?`,
    `weir apply: ${worse}:2:28: virtual_clusters[0].name: is not 3 to 128 letters, digits and underscores`,
    '',
  ]);
  assert.deepEqual(writesSoFar(), []);
});

test('after a failure the output lists what was done and what was not, and the next run does the rest', async (t) => {
  const { api, apply } = await open(t);
  const text = [
    'version: 1',
    'virtual_clusters:',
    '  - name: shop',
    '    topics: [{ name: a, partition_count: 1 }]',
    '    credentials: [{ name: app, password_env: APP }]',
    '    acls: [{ principal: "User:app", operation: READ, resource_type: TOPIC, resource_name: a }]',
    '  - name: other',
    '',
  ].join('\n');
  const { environment } = {
    environment: { SERVICE_API_URL: api.url, SERVICE_API_KEY: api.key, APP: 'hunter2' },
  };
  const run = () => runArguments(['apply', '-f', '-'], { environment, input: [text] });
  api.before = (name) => {
    if (name === 'create_virtual_cluster_credentials')
      throw new ApiError('limit_exceeded', 'There are enough.');
  };
  const failed = await run();
  assert.equal(failed.status, 1);
  assert.match(
    failed.out,
    /^virtual cluster shop\n {2}\+ virtual cluster shop .*\n {2}\+ topic a \(1 partition\)\n$/,
  );
  assert.deepEqual(failed.err.split('\n'), [
    'weir apply: failed in shop: + credential app: There are enough.',
    'weir apply: not done in shop: + acl ALLOW User:app from *: READ TOPIC a',
    'weir apply: not done in other: + virtual cluster other (byoc)',
    'weir apply: 2 of 5 steps done; run it again to complete the rest',
    '',
  ]);
  api.before = () => {};
  const rest = await run();
  assert.match(rest.out, /\nDone: 3 created, 0 updated, 0 deleted, 2 unchanged\.\n$/);
  assert.match((await apply(text)).out, /^No changes/);
});

test('a retriable error is retried', async (t) => {
  const { api, apply, writesSoFar } = await open(t);
  let refusals = 2;
  api.before = (name) => {
    if (name === 'create_topic' && refusals-- > 0)
      throw new ApiError('unavailable', undefined, { retryAfterSeconds: 0 });
  };
  assert.equal((await apply(examples[0]!)).status, 0);
  assert.deepEqual(writesSoFar(), ['create_virtual_cluster', 'create_topic', 'create_topic', 'create_topic']);
});

test('a thing that was deleted meanwhile counts as deleted', async (t) => {
  const { api, apply } = await open(t);
  await apply('version: 1\nvirtual_clusters: [{ name: shop, topics: [{ name: a, partition_count: 1 }] }]\n');
  api.before = (name) => {
    if (name === 'delete_topic') throw new ApiError('not_found');
  };
  const pruned = await apply('version: 1\nvirtual_clusters: [{ name: shop, topics: [] }]\n', '-prune');
  assert.deepEqual([pruned.status, pruned.err], [0, '']);
});

test('a stopped run reports what was done and starts nothing more', async (t) => {
  const { api, environment } = await open(t);
  const stop = new AbortController();
  api.before = (name) => {
    if (name === 'create_virtual_cluster') stop.abort();
  };
  const found = await runArguments(['apply', '-f', '-'], {
    environment,
    input: [examples[0]!],
    stop: stop.signal,
  });
  assert.equal(found.status, 130);
  assert.match(found.out, /\+ virtual cluster shop/);
  assert.match(found.err, /not done in shop: \+ topic orders .*\n.*: 1 of 2 steps done/);
});

test('a plan that shortens retention says what goes', async (t) => {
  const { api, apply } = await open(t);
  const file = (retentionMs: number, defaultMs = 604_800_000) =>
    stringify({
      version: 1,
      virtual_clusters: [
        {
          name: 'shop',
          configuration: { default_retention_millis: defaultMs },
          topics: [{ name: 'orders', partition_count: 1, config: { 'retention.ms': retentionMs } }],
        },
      ],
    });
  assert.equal((await apply(file(-1))).err, '');
  const { virtual_clusters } = await api.client.call('list_virtual_clusters', {});
  const { id: virtual_cluster_id } = virtual_clusters[0]!;
  const { topic_id } = await api.client.call('describe_topic', { virtual_cluster_id, topic_name: 'orders' });
  await api.nodeOf(virtual_cluster_id).commitFiles([oneBatchFile(1, topic_id, 0, 5)]);
  const shorter = file(3_600_000, 3_600_000);
  for (const flags of [['-dry-run'], []]) {
    const { status, err } = await apply(shorter, ...flags);
    assert.deepEqual(
      [status, err],
      [0, 'weir apply: the change of topic orders deletes 5 records (100 B) of orders\n'],
    );
  }
});

test('JSON output has the outcome of every step', async (t) => {
  const { apply } = await open(t);
  const steps = async (...flags: string[]) => {
    const { out } = await apply(examples[0]!, '-output', 'json', ...flags);
    return (JSON.parse(out) as { steps: { action: string; kind: string; status?: string }[] }).steps.map(
      ({ action, kind, status }) => [action, kind, status],
    );
  };
  const planned = (status: string) => [
    ['create', 'virtual_cluster', status],
    ['create', 'topic', status],
  ];
  assert.deepEqual(await steps('-dry-run'), planned('planned'));
  assert.deepEqual(await steps(), planned('done'));
  assert.deepEqual(await steps(), [
    ['nothing', 'virtual_cluster', undefined],
    ['nothing', 'topic', undefined],
  ]);
});

/**
 * Properties of a topic that cannot change are derived from its name, so that every document can follow every other.
 */
const topics = ['clicks', 'orders', 'users.log', 'views'] as const;
const configValues = {
  'retention.ms': [-1, 1000, 604_800_000],
  'max.message.bytes': [1_000_000, '2000000'],
  'min.cleanable.dirty.ratio': [0.5, '0.50'],
  'message.timestamp.type': ['CreateTime', 'LogAppendTime'],
  preallocate: [true, 'False'],
} as const;

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const topicDocument = (round: number) =>
  fc.record({
    name: fc.constantFrom(...topics),
    partition_count: fc.integer({ min: 1, max: 3 }).map((count) => count + 3 * round),
    config: fc.record(
      Object.fromEntries(
        Object.entries(configValues).map(([name, values]) => [name, fc.constantFrom(...values)]),
      ),
      { requiredKeys: [] },
    ),
    enable_deletion_protection: optional(fc.boolean()),
  });

const aclDocument = fc.record({
  principal: fc.constantFrom('User:app', 'User:*', 'User:CN=a b,O=c'),
  operation: fc.constantFrom('READ', 'DESCRIBE', 'ALL'),
  resource_type: fc.constantFrom('TOPIC', 'GROUP'),
  resource_name: fc.constantFrom('orders', '*', 'ä b'),
  pattern_type: fc.constantFrom('LITERAL', 'PREFIXED'),
  permission_type: fc.constantFrom('ALLOW', 'DENY'),
});

const nameOnly = (...names: string[]) => fc.record({ name: fc.constantFrom(...names) });
const unique = <Item extends { name: string }>(item: fc.Arbitrary<Item>) =>
  fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 4 });

const clusterDocument = (round: number) =>
  fc.record({
    tier: optional(fc.constantFrom('dev', 'pro', 'enterprise')),
    tags: optional(
      fc.dictionary(fc.stringMatching(/^[a-z ]{1,8}$/), fc.stringMatching(/^[a-z0-9: ]{0,8}$/), {
        maxKeys: 3,
      }),
    ),
    configuration: optional(
      fc.constantFrom(
        { enable_acls: true, enable_acl_shadowing: false, default_num_partitions: 2 },
        { enable_acls: false, enable_acl_shadowing: true, default_retention_millis: -1 },
        { enable_acls: false, enable_soft_topic_deletion: false, soft_topic_deletion_ttl_millis: 1000 },
        { enable_deletion_protection: true, auto_create_topic: false, default_topic_type: 'classic' },
      ),
    ),
    broker_configuration: optional(fc.constantFrom({}, { 'log.roll.hours': 3 }, { 'group.max.size': '7' })),
    topics: optional(unique(topicDocument(round))),
    credentials: optional(unique(nameOnly('app', 'report', 'ccn_x'))),
    acls: optional(fc.array(aclDocument, { maxLength: 5 })),
    events: optional(
      fc.record(
        {
          enabled: fc.boolean(),
          event_types: fc.constantFrom(
            {},
            { acl_logs: { enabled: false } },
            { agent_logs: { retention_period_nanos: 9_007_199_254_740_993n, enabled: true } },
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  });

test('for any document applied after any other, the dry run predicts the run and nothing is left to do', async (t) => {
  const { apply, writesSoFar } = await open(t);
  let clusters = 0;
  const history = fc.tuple(clusterDocument(0), clusterDocument(1), fc.boolean());
  await fc.assert(
    fc.asyncProperty(history, async ([first, second, isPruning]) => {
      const name = `cluster_${clusters++}`;
      for (const document of [first, second]) {
        const text = stringify(
          { version: 1, virtual_clusters: [{ name, ...document }] },
          { keepUndefined: false },
        );
        const flags = isPruning ? ['-prune'] : [];
        writesSoFar();
        const dry = await apply(text, ...flags, '-dry-run');
        const problems = dry.err.replaceAll(/^weir apply: the change of .* deletes .*\n/gm, '');
        assert.deepEqual([dry.status, problems, writesSoFar()], [0, '', []], text);
        const done = await apply(text, ...flags);
        assert.equal(done.status, 0, `${text}\n${done.err}`);
        assert.deepEqual(stepLines(done.out), stepLines(dry.out));
        assert.equal(
          writesSoFar().length,
          stepLines(dry.out).filter((line) => !line.startsWith('  =')).length,
        );
        const again = await apply(text, ...flags, '-dry-run', '-detailed-exit-code');
        assert.equal(again.status, 0, `${text}\n${again.out}`);
      }
    }),
    { numRuns: 15 },
  );
});

/** The steps, without details that are known only after they ran. */
function stepLines(out: string): string[] {
  return out
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.replace(/ \[[^\]]*\]$/, ''));
}
