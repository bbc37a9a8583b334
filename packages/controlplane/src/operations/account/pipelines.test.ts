import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createClient,
  type OperationName,
  type PipelineType,
  pipelineTypeNames,
  pipelineTypes,
} from '@weir/api';
import { type ListedJob, linkingScope, schemaLinkingKind } from '@weir/cluster';
import { fakeHandlers, startTestApi } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { linkingPipelines } from '../../pipelines/linking-pipelines.ts';
import { pipelineHandlers } from './pipelines.ts';

type Client = ReturnType<typeof createClient>;

const secret = 'hunter2hunter2';
const yaml = `input: { generate: { mapping: root = 1 } }\noutput: { drop: {} }\nlogger: { sinks: [{ password: ${secret} }] }\n`;

/** As it is read back. */
const shownYaml = yaml.replace(secret, '"***"');

async function start(t: TestContext) {
  const api = await startTestApi(t);
  const ours = await makeAccount(api.accounts, 'Ours');
  const clientOf = async (name: string, ...grants: Parameters<typeof ours.key>[1][]): Promise<Client> => {
    const headers = { 'service-api-key': await ours.key(name, ...grants) };
    return createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  };
  return { ...api, ours, clientOf, app: await clientOf('app', appGrant(ours.a.id)) };
}

test('a check lists problems with their places, and stores nothing', async (t) => {
  const { app, ours } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const check = (configuration_yaml: string) =>
    app.call('check_pipeline_configuration', { ...on, pipeline_type: 'bento', configuration_yaml });
  const message = 'logger has no effect: logs go where the operator sends them';
  assert.deepEqual(await check(yaml), {
    problems: [],
    problem_count: 0,
    warnings: [{ line: 3, column: 1, message }],
  });
  const broken = await check('input: [\n');
  assert.equal(broken.problem_count, 1);
  assert.ok(broken.problems[0]!.line >= 1 && broken.problems[0]!.message !== '');
  const many = await check(Array.from({ length: 300 }, (_, at) => `unknown_${at}: 1`).join('\n'));
  assert.ok(many.problem_count >= 300 && many.problems.length === 100, String(many.problem_count));
  assert.deepEqual((await app.call('list_pipelines', on)).pipelines, []);
});

test('a configuration in parts is checked: problems name the part', async (t) => {
  const { app, ours } = await start(t);
  const check = (parts: Readonly<Record<string, string>>) =>
    app.call('check_pipeline_configuration', {
      virtual_cluster_id: ours.a.clusterId,
      pipeline_type: 'data_lake',
      configuration_inputs: Object.entries(parts).map(([name, yaml]) => ({ name, yaml })),
    });
  const sources = 'source_clusters: [{ name: k1, bootstrap_brokers: [{ hostname: h, port: 9092 }] }]';
  const schema = '{ fields: [{ name: id, type: long }] }';
  const table = (cluster: string) =>
    `tables: [{ source_cluster_name: ${cluster}, source_topic: t, schema: ${schema} }]`;
  assert.deepEqual(await check({ shared: sources, 'tables/t': table('k1') }), {
    problems: [],
    problem_count: 0,
    warnings: [],
  });
  const unknown = await check({ shared: sources, 'tables/t': 'tables: []\ntable: 1' });
  assert.equal(unknown.problems[0]!.part, 'tables/t');
  assert.equal(unknown.problems[0]!.line, 2);
  const together = await check({ shared: sources, 'tables/t': table('k2') });
  assert.equal(together.problems[0]!.part, 'tables/t');
  assert.match(together.problems[0]!.message, /none of source_clusters/);
});

test('a trial shows the result of each step, and ends what does not end', async (t) => {
  const { app, ours } = await start(t);
  const trial = (mapping: string) =>
    app.call('preview_pipeline_configuration', {
      virtual_cluster_id: ours.a.clusterId,
      configuration_yaml: JSON.stringify({
        input: { generate: { mapping: 'root = 1' } },
        pipeline: { processors: [{ mapping }] },
        output: { drop: {} },
      }),
      messages: [{ content: '{"id":7}', metadata: { from: 'me' } }],
    });
  assert.deepEqual(await trial('root.twice = this.id * 2'), {
    steps: [
      {
        path: 'pipeline.processors.0',
        name: 'mapping',
        label: '',
        batches: [[{ content: '{"twice":14}', metadata: { from: 'me' } }]],
      },
    ],
  });
  assert.match((await trial('root = = 1')).problem!, /in the mapping/);
  const endless = await trial('root = range(0, 4000000).map_each(range(0, 4000000).sum())');
  assert.match(endless.problem ?? endless.steps[0]!.batches[0]![0]!.error!, /takes|limit|more than/);
});

test('a pipeline from creation to deletion', async (t) => {
  const { app, ours } = await start(t);
  const virtual_cluster_id = ours.a.clusterId;
  const on = { virtual_cluster_id };
  const made = await app.call('create_pipeline', { ...on, pipeline_name: 'clean', pipeline_type: '' });
  assert.deepEqual(made, {
    pipeline_id: made.pipeline_id,
    pipeline_name: 'clean',
    pipeline_state: 'paused',
    pipeline_type: 'bento',
    pipeline_deployed_configuration_id: null,
  });
  const target = { ...on, pipeline_id: made.pipeline_id };
  const overview = {
    id: made.pipeline_id,
    name: 'clean',
    state: 'paused',
    type: 'bento',
    deployed_configuration_id: null as string | null,
    deployed_configuration_version: null as number | null,
  };
  assert.deepEqual(await app.call('describe_pipeline', { ...target, include_summary: true }), {
    pipeline_overview: overview,
    pipeline_configurations: [],
    pipeline_summary: null,
  });

  const one = await app.call('create_pipeline_configuration', { ...target, configuration_yaml: yaml });
  const two = await app.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml: `${yaml}# 2\n`,
  });
  const mistake = { ...target, configuration_yaml: 'input: {}\noutptu: {}\n' };
  await refused(
    app,
    'invalid_pipeline_configuration',
    'create_pipeline_configuration',
    mistake,
    /line 2, column 1: there is no field "outptu"; did you mean output\?/,
  );
  const deploy = (id: string) =>
    app.call('change_pipeline_state', { ...target, deployed_configuration_id: id });
  await deploy(two.configuration_id);
  await deploy(one.configuration_id);
  await app.call('change_pipeline_state', { ...target, desired_state: 'paused' });
  Object.assign(overview, {
    deployed_configuration_id: one.configuration_id,
    deployed_configuration_version: 1,
  });
  assert.deepEqual(await app.call('list_pipelines', on), { pipelines: [overview] });
  const described = await app.call('describe_pipeline', target);
  assert.deepEqual(described.pipeline_overview, overview);
  assert.deepEqual(
    described.pipeline_configurations.map(({ created_at, ...rest }) => rest),
    [
      { id: one.configuration_id, version: 1, configuration_yaml: shownYaml },
      { id: two.configuration_id, version: 2, configuration_yaml: `${shownYaml}# 2\n` },
    ],
  );
  assert.equal(described.pipeline_summary, undefined);
  const { pipeline_summary: summary } = await app.call('describe_pipeline', {
    ...target,
    include_summary: true,
  });
  assert.deepEqual(summary, {
    configuration_id: one.configuration_id,
    version: 1,
    settings: [
      { path: 'input.generate.mapping', value: 'root = 1' },
      { path: 'output.drop', value: '{}' },
      { path: 'logger.sinks[0].password', value: '***' },
    ],
    settings_left_out: 0,
  });
  await app.call('delete_pipeline', target);
  await refused(app, 'not_found', 'describe_pipeline', target);
  await refused(app, 'not_found', 'delete_pipeline', target);
  assert.deepEqual(await app.call('list_pipelines', on), { pipelines: [] });
});

/** Of a release that runs no pipelines of some types. */
async function startWith(t: TestContext, runnableTypes: readonly PipelineType[]) {
  const { accounts } = await startTestApi(t);
  const handlers = { ...fakeHandlers(), ...pipelineHandlers(accounts, { runnableTypes }) };
  const { url } = await startTestApi(t, { accounts, handlers });
  const ours = await makeAccount(accounts, 'Ours');
  const headers = { 'service-api-key': await ours.key('app', appGrant(ours.a.id)) };
  return { accounts, ours, app: createClient({ baseUrl: url, fetch, headers, checksAnswers: true }) };
}

test('a pipeline that a release cannot run is not started, and the error says so', async (t) => {
  const { app, accounts, ours } = await startWith(t, ['bento']);
  const fitting = async (type: PipelineType) => {
    const { clusterType } = pipelineTypes[type];
    if (clusterType === 'byoc') return ours.a.clusterId;
    const { accountId } = ours;
    const place = { tier: 'pro', cloudProvider: 'aws', place: { region: 'us-east-1' } } as const;
    return (
      await accounts.virtualClusters.create(accountId, ours.a.id, { name: type, type: clusterType, ...place })
    ).id;
  };
  for (const pipeline_type of pipelineTypeNames) {
    if (pipeline_type === 'bento') continue;
    const on = { virtual_cluster_id: await fitting(pipeline_type) };
    const { pipeline_id } = await app.call('create_pipeline', {
      ...on,
      pipeline_name: pipeline_type,
      pipeline_type,
    });
    const target = { ...on, pipeline_id };
    await refused(
      app,
      'no_pipeline_engine',
      'change_pipeline_state',
      { ...target, desired_state: 'running' },
      new RegExp(`no engine that runs pipelines of the type ${pipeline_type}.*configurations are kept`),
    );
    const { pipeline_overview } = await app.call('describe_pipeline', target);
    assert.equal(pipeline_overview.state, 'paused');
  }
});

const orbitYaml = `source_bootstrap_brokers: [{ hostname: kafka.example.com, port: 9092 }]
topic_mappings: [{ source_regex: orders.* }]
`;

test('a refused call deploys nothing either', async (t) => {
  const { app, ours } = await startWith(t, ['bento']);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const { pipeline_id } = await app.call('create_pipeline', {
    ...on,
    pipeline_name: 'p',
    pipeline_type: 'orbit',
  });
  const target = { ...on, pipeline_id };
  const { configuration_id } = await app.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml: orbitYaml,
  });
  const both = { ...target, desired_state: 'running', deployed_configuration_id: configuration_id } as const;
  await refused(app, 'no_pipeline_engine', 'change_pipeline_state', both);
  const described = await app.call('describe_pipeline', target);
  assert.equal(described.pipeline_overview.deployed_configuration_id, null);
  assert.equal(described.pipeline_configurations.length, 1);
});

test('with an engine, a pipeline that has a configuration runs', async (t) => {
  const { accounts } = await startTestApi(t);
  const handlers = { ...fakeHandlers(), ...pipelineHandlers(accounts, { runnableTypes: ['bento'] }) };
  const { url } = await startTestApi(t, { accounts, handlers });
  const own = await makeAccount(accounts, 'Running');
  const headers = { 'service-api-key': await own.key('k', appGrant(own.a.id)) };
  const client = createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: own.a.clusterId };
  const { pipeline_id } = await client.call('create_pipeline', { ...on, pipeline_name: 'p' });
  const target = { ...on, pipeline_id };
  const run = { ...target, desired_state: 'running' } as const;
  await refused(client, 'conflict', 'change_pipeline_state', run, /no deployed configuration/);
  const stored = await client.call('create_pipeline_configuration', { ...target, configuration_yaml: yaml });
  await client.call('change_pipeline_state', { ...run, deployed_configuration_id: stored.configuration_id });
  const { pipelines } = await client.call('list_pipelines', on);
  assert.deepEqual(
    pipelines.map(({ state, deployed_configuration_version }) => [state, deployed_configuration_version]),
    [['running', 1]],
  );
});

test('a pipeline of schema linking shows how it runs', async (t) => {
  const { accounts } = await startTestApi(t);
  const own = await makeAccount(accounts, 'Linking');
  const jobs: ListedJob[] = [];
  const listJobs = async () => ({ jobs, takers: [] });
  let planned = 0;
  const handlers = {
    ...fakeHandlers(),
    ...pipelineHandlers(accounts, {
      runnableTypes: ['schema_linking'],
      portOf: () => ({
        listJobs,
        listManagedTopics: async () => [],
        planPipelines: async () => void planned++,
      }),
    }),
  };
  const { url } = await startTestApi(t, { accounts, handlers });
  const headers = { 'service-api-key': await own.key('k', appGrant(own.a.id)) };
  const client = createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  const cluster = await accounts.virtualClusters.create(own.accountId, own.a.id, {
    name: 'registry',
    type: 'byoc_schema_registry',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
  });
  const on = { virtual_cluster_id: cluster.id };
  const pipeline_type = 'schema_linking';
  const { pipeline_id } = await client.call('create_pipeline', { ...on, pipeline_name: 'p', pipeline_type });
  const target = { ...on, pipeline_id };
  const configuration_yaml =
    'source_schema_registry: {hostname: other.example.com, port: 8081, basic_auth_username_env: WEIR_PIPELINE_USER}\nsync_every_seconds: 60\ncontext_type: CUSTOM\ncontext: .copy\n';
  const { configuration_id } = await client.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml,
  });
  assert.deepEqual(await linkingPipelines(accounts, cluster), [], 'it is paused');
  await client.call('change_pipeline_state', {
    ...target,
    desired_state: 'running',
    deployed_configuration_id: configuration_id,
  });
  assert.equal(planned, 1);
  const [running] = await linkingPipelines(accounts, cluster);
  assert.deepEqual(running, {
    everyMs: 60_000,
    task: {
      pipelineId: pipeline_id,
      configurationId: configuration_id,
      hostname: 'other.example.com',
      port: 8081,
      usernameEnv: 'WEIR_PIPELINE_USER',
      passwordEnv: undefined,
      username: undefined,
      password: undefined,
      usesTls: false,
      isInsecure: false,
      contextType: 'CUSTOM',
      context: '.copy',
    },
  });
  const runNow = async () => (await client.call('describe_pipeline', target)).pipeline_overview.run;
  assert.equal(await runNow(), undefined, 'no agent has had it');
  const job: ListedJob = {
    jobId: 'j',
    kind: schemaLinkingKind,
    scope: linkingScope(running!.task),
    state: 'done',
    agentId: 'agent-1',
    plannedMs: 1,
    startedMs: 2,
    endedMs: 1_700_000_000_000,
    progress: { doneCount: 7, totalCount: 7 },
    failureCount: 0,
    retryMs: null,
    message: '7 versions of 5 subjects; 7 new, 0 deleted',
  };
  jobs.push({ ...job, scope: 'another' }, job);
  assert.deepEqual(await runNow(), {
    status: 'synced',
    message: '7 versions of 5 subjects; 7 new, 0 deleted',
    agent_id: 'agent-1',
    last_ended_at: '2023-11-14T22:13:20.000Z',
    done_count: 7,
    total_count: 7,
  });
  jobs.unshift({
    ...job,
    state: 'stopped',
    retryMs: 1_700_000_300_000,
    message: 'the credentials were refused',
  });
  const { pipelines } = await client.call('list_pipelines', on);
  assert.deepEqual(
    [pipelines[0]!.run!.status, pipelines[0]!.run!.message, pipelines[0]!.run!.next_at],
    ['error', 'the credentials were refused', '2023-11-14T22:18:20.000Z'],
  );
  await client.call('change_pipeline_state', { ...target, desired_state: 'paused' });
  assert.equal(await runNow(), undefined);
  assert.deepEqual(await linkingPipelines(accounts, cluster), []);
});

test('a configuration in parts is returned whole and in its parts', async (t) => {
  const { app } = await start(t);
  const { virtual_cluster_id } = await app.call('create_virtual_cluster', {
    virtual_cluster_name: 'lake',
    virtual_cluster_type: 'byoc_data_lake',
    skip_agent_key_creation: true,
  });
  const made = await app.call('create_pipeline', {
    virtual_cluster_id,
    pipeline_name: 'tables',
    pipeline_type: 'data_lake',
  });
  const target = { virtual_cluster_id, pipeline_id: made.pipeline_id };
  const configuration_inputs = [
    { name: 'globals', yaml: 'source_clusters: [{name: k, bootstrap_brokers: [{hostname: h, port: 9092}]}]' },
    {
      name: 'shop/orders',
      yaml: 'tables: [{source_cluster_name: k, source_topic: orders, schema: {fields: [{name: id, type: string}]}}]',
    },
  ];
  await app.call('create_pipeline_configuration', { ...target, configuration_inputs });
  const { pipeline_configurations: all } = await app.call('describe_pipeline', target);
  assert.deepEqual(all[0]!.configuration_inputs, configuration_inputs);
  assert.match(
    all[0]!.configuration_yaml,
    /^source_clusters:\n[\s\S]*^tables:\n[\s\S]*source_topic: orders$[\s\S]*/m,
  );
});

const badRequests: [what: string, operation: OperationName, more: object, message: RegExp][] = [
  [
    'both forms',
    'create_pipeline_configuration',
    { configuration_yaml: yaml, configuration_inputs: [{ name: 'a', yaml }] },
    /one of configuration_yaml and configuration_inputs/,
  ],
  ['neither form', 'create_pipeline_configuration', {}, /one of configuration_yaml and configuration_inputs/],
  ['no parts', 'create_pipeline_configuration', { configuration_inputs: [] }, /configuration_inputs/],
  [
    'a control character',
    'create_pipeline_configuration',
    { configuration_yaml: 'a: \u0000' },
    /control characters/,
  ],
  [
    'half a character',
    'create_pipeline_configuration',
    { configuration_yaml: 'a: \ud800' },
    /broken Unicode/,
  ],
  ['a long text', 'create_pipeline_configuration', { configuration_yaml: 'x'.repeat(200_000) }, /131072/],
  ['no change', 'change_pipeline_state', {}, /desired_state or deployed_configuration_id/],
  ['an invalid state', 'change_pipeline_state', { desired_state: 'stopped' }, /desired_state/],
  ['the id of something else', 'describe_pipeline', { pipeline_id: 'vci_x' }, /pipeline_id/],
];

test('invalid requests are refused before any lookup', async (t) => {
  const { call, ours } = await start(t);
  const headers = { 'service-api-key': await ours.key('k', appGrant(ours.a.id)) };
  const target = {
    virtual_cluster_id: ours.a.clusterId,
    pipeline_id: 'pi_0f1e2d3c_4b5a_4968_8776_000000000010',
  };
  for (const [what, operation, more, message] of badRequests) {
    const { status, json } = await call(operation, { headers, body: { ...target, ...more } });
    assert.deepEqual([status, json.error], [400, 'invalid_request'], what);
    assert.match(String(json.message), message, what);
  }
});

test('readers read and do not write', async (t) => {
  const { app, clientOf, ours } = await start(t);
  const reader = await clientOf('reader', appGrant(ours.a.id, 'app_r'));
  const on = { virtual_cluster_id: ours.a.clusterId };
  const { pipeline_id } = await app.call('create_pipeline', { ...on, pipeline_name: 'p' });
  const target = { ...on, pipeline_id };
  assert.equal((await reader.call('list_pipelines', on)).pipelines.length, 1);
  await reader.call('describe_pipeline', target);
  await refused(reader, 'forbidden', 'create_pipeline', { ...on, pipeline_name: 'q' });
  await refused(reader, 'forbidden', 'change_pipeline_state', { ...target, desired_state: 'paused' });
  await refused(reader, 'forbidden', 'delete_pipeline', target);
  // A pipeline is not accessible through another cluster that the caller may write to.
  const other = await clientOf('other', appGrant(ours.b.id));
  await refused(other, 'not_found', 'delete_pipeline', { ...target, virtual_cluster_id: ours.b.clusterId });
});

test('the audit log records pipelines without their configurations', async (t) => {
  const { app, call, ours, deps } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const later = () => deps.clock.advance(1000);
  const { pipeline_id } = await app.call('create_pipeline', { ...on, pipeline_name: 'clean' });
  later();
  const target = { ...on, pipeline_id };
  const stored = await app.call('create_pipeline_configuration', { ...target, configuration_yaml: yaml });
  later();
  const wrong = { ...target, configuration_yaml: `input: {}\noutput: {}\n${secret}: 1\n` };
  await refused(app, 'invalid_pipeline_configuration', 'create_pipeline_configuration', wrong, /hunter2/);
  later();
  await refused(app, 'conflict', 'change_pipeline_state', { ...target, desired_state: 'running' });
  const headers = { 'service-api-key': await ours.key('k', appGrant(ours.a.id)) };
  const { text, json } = await call('search_audit_log', { headers });
  assert.ok(!text.includes('hunter2'));
  const entries = (json.entries as { operation: string; result: string; targets: string[] }[]).toReversed();
  assert.deepEqual(
    entries.map(({ operation, result, targets }) => [operation, result, targets]),
    [
      ['create_pipeline', 'ok', [ours.a.clusterId, 'clean', pipeline_id]],
      ['create_pipeline_configuration', 'ok', [ours.a.clusterId, pipeline_id, stored.configuration_id]],
      ['create_pipeline_configuration', 'invalid_pipeline_configuration', [ours.a.clusterId, pipeline_id]],
      ['change_pipeline_state', 'conflict', [ours.a.clusterId, pipeline_id]],
    ],
  );
});

test('a configuration that is sent back as it was read keeps its secrets, and loses none of them to another address', async (t) => {
  const { app, ours, accounts } = await start(t);
  const on = { virtual_cluster_id: ours.a.clusterId };
  const { pipeline_id } = await app.call('create_pipeline', { ...on, pipeline_name: 'p' });
  const target = { ...on, pipeline_id };
  const place = { accountId: ours.accountId, clusterId: ours.a.clusterId, pipelineId: pipeline_id };
  const create = (configuration_yaml: string) =>
    app.call('create_pipeline_configuration', { ...target, configuration_yaml });
  const first = `input: {generate: {mapping: root = 1}}\nlogger: {url: 'https://a.example', basic_auth: {password: ${secret}}}\noutput: {drop: {}}\n`;
  await create(first);
  const [shown] = (await app.call('describe_pipeline', target)).pipeline_configurations;
  assert.doesNotMatch(JSON.stringify(shown), /hunter2/);
  await create(shown!.configuration_yaml.replace('mapping: root = 1', 'mapping: root = 2'));
  const [, second] = await accounts.pipelines.configurations(place);
  assert.match(second!.yaml, /password: "hunter2hunter2"/);
  assert.match(second!.yaml, /mapping: root = 2/);
  const moved = shown!.configuration_yaml.replace('a.example', 'attacker.example');
  await refused(
    app,
    'invalid_pipeline_configuration',
    'create_pipeline_configuration',
    { ...target, configuration_yaml: moved },
    /logger\.url: the address changed; enter the secrets shown as \*\*\* again/,
  );
  assert.equal((await accounts.pipelines.configurations(place)).length, 2);
});
