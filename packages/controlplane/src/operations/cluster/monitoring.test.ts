import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallOf, ErrorCode } from '@weir/api';
import { agentOf, changeDiagnostics } from '@weir/diagnostics/testing';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';

test('live agents are listed, with filters by role and group', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...agent } = agentOf('a', {
    group: 'blue',
    cpuLoad: 1.2,
  });
  const report = { startedMs: 1_700_000_000_000, number: 1, sinceNumber: 0, spanMs: 1, nowMs: 1 };
  await testApi.node.heartbeat({ ...agent, report });
  await testApi.node.heartbeat({
    ...agent,
    agentId: 'b',
    roles: ['proxy'],
    group: 'green',
    kafkaPort: 9094,
    registryPort: 9094,
  });
  const { agents } = await testApi.call('list_agents', {});
  const [{ last_seen_at, ...first }] = agents as [(typeof agents)[0]];
  assert.ok(!Number.isNaN(Date.parse(last_seen_at)));
  assert.deepEqual(first, {
    agent_id: 'a',
    release: 'v830',
    roles: ['proxy', 'jobs'],
    group: 'blue',
    zone: 'zone-1',
    host: 'a.example',
    kafka_port: 9092,
    cpu_count: 4,
    cpu_load: 1,
    started_at: '2023-11-14T22:13:20.000Z',
  });
  assert.equal(agents[1]!.started_at, undefined, 'an agent that has not reported yet');
  assert.deepEqual(
    [agents[1]!.kafka_port, agents[1]!.schema_registry_port],
    [undefined, 9094],
    'an agent of a schema registry has no port for Kafka',
  );
  const ids = async (filter: Omit<CallOf<'list_agents'>, 'virtual_cluster_id'>) =>
    (await testApi.call('list_agents', filter)).agents.map(({ agent_id }) => agent_id).join();
  assert.deepEqual(
    [await ids({}), await ids({ role: 'jobs' }), await ids({ group: 'green' }), await ids({ group: 'red' })],
    ['a,b', 'a', 'b', ''],
  );
});

test('limits and their usage', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.addTopic('a', 3);
  await testApi.addTopic('b', 2);
  await testApi.call('delete_topic', { topic_name: 'b' });
  await testApi.call('create_virtual_cluster_credentials', { credentials_name: 'shop' });
  const { quotas } = await testApi.call('monitoring/describe_quotas', {});
  const used = Object.fromEntries(quotas.map((row) => [row.name, row.used]));
  assert.deepEqual(used, {
    acls: 0,
    agents: 0,
    client_metrics_subscriptions: 0,
    client_quotas: 0,
    consumer_groups: 0,
    credentials: 1,
    group_configs: 0,
    partitions: 3,
    partitions_with_deleted_topics: 5,
    topics: 1,
    transactional_ids: 0,
  });
  assert.deepEqual(Object.keys(used), Object.keys(used).toSorted());
  for (const { name, limit } of quotas) assert.ok(limit > 0, name);
});

test('metrics are described by their rows', async (t) => {
  const testApi = await openTestClusterApi(t, {
    metricRows: () => [
      { name: 'write_seconds', kind: 'histogram', help: 'How long.', labels: ['topic'] },
      { name: 'bytes_total', kind: 'counter', help: 'How much.', labels: [] },
      { name: 'agents', kind: 'gauge', help: 'How many.', labels: ['virtual_cluster_id'] },
    ],
  });
  const { metrics } = await testApi.call('monitoring/describe_cluster_metrics', {});
  const tags = ['virtual_cluster_id', 'agent_version'];
  assert.deepEqual(metrics, [
    { name: 'service_agents', type: 'gauge', unit: '', description: 'How many.', tags },
    { name: 'service_bytes_total', type: 'counter', unit: 'bytes', description: 'How much.', tags },
    {
      name: 'service_write_seconds',
      type: 'histogram',
      unit: 'seconds',
      description: 'How long.',
      tags: [...tags, 'topic'],
    },
  ]);
});

test('subscriptions to client metrics are replaced whole, all of them or none', async (t) => {
  const testApi = await openTestClusterApi(t);
  const list = async () => (await testApi.call('list_client_metrics_subscriptions', {})).subscriptions;
  const update = (
    ...client_metrics_subscriptions: CallOf<'update_client_metrics_subscriptions'>['client_metrics_subscriptions']
  ) => testApi.call('update_client_metrics_subscriptions', { client_metrics_subscriptions });
  await update({ name: 'b', interval_ms: 1000, metrics: 'a.,b.' }, { name: 'a', match: 'client_id=x.*' });
  await update({ name: 'b', metrics: '*' });
  const both = [
    { name: 'a', match: 'client_id=x.*' },
    { name: 'b', metrics: '*' },
  ];
  assert.deepEqual(await list(), both);
  const { client_metrics_subscription } = await testApi.call('describe_client_metrics_subscription', {
    name: 'a',
  });
  assert.deepEqual(client_metrics_subscription, both[0]);

  const refusals: [refusal: Promise<[ErrorCode, string]>, code: ErrorCode][] = [
    [testApi.refusal('describe_client_metrics_subscription', { name: 'c' }), 'not_found'],
    [
      testApi.refusal('update_client_metrics_subscriptions', {
        client_metrics_subscriptions: [
          { name: 'c', metrics: '*' },
          { name: 'd', match: 'shoe_size=9' },
        ],
      }),
      'invalid_request',
    ],
    [
      testApi.refusal('delete_client_metrics_subscriptions', {
        client_metrics_subscription_names: ['a', 'c'],
      }),
      'not_found',
    ],
  ];
  for (const [refusal, code] of refusals) assert.equal((await refusal)[0], code);
  assert.deepEqual(await list(), both);
  await testApi.call('delete_client_metrics_subscriptions', {
    client_metrics_subscription_names: ['a', 'b', 'a'],
  });
  assert.deepEqual(await list(), []);
});

test('a diagnostic fails, is muted and unmuted, and its history can be read', async (t) => {
  const testApi = await openTestClusterApi(t);
  const name = 'no_jobs_agent';
  const finding = {
    entity: { kind: 'cluster', name: 'vci_test' },
    message: 'None of 3 agents.',
    weight: 1,
  } as const;
  for (const atMs of [1_700_000_000_000, 1_700_000_060_000]) {
    const event = { kind: 'looked', atMs, result: [finding] } as const;
    await changeDiagnostics(testApi.store, 'vci_test', [{ name, event }], atMs);
  }
  const list = async (body: Omit<CallOf<'list_diagnostics'>, 'virtual_cluster_id'>) =>
    (await testApi.call('list_diagnostics', body)).diagnostics.map(({ diagnostic_id }) => diagnostic_id);
  const { diagnostic } = await testApi.call('get_diagnostic', { diagnostic_id: name });
  assert.deepEqual([diagnostic.successful, diagnostic.groups[0]!.message], [false, 'None of 3 agents.']);
  assert.deepEqual([await list({ state: 'failing' }), await list({ state: 'muted' })], [[name], []]);

  await testApi.call('mute_diagnostic', {
    diagnostic_id: name,
    until: '2999-01-01T00:00:00+01:00',
    reason: 'Known.',
  });
  const muted = (await testApi.call('get_diagnostic', { diagnostic_id: name })).diagnostic;
  assert.deepEqual(
    [muted.muted, muted.muted_by, muted.mute_reason, muted.muted_until],
    [true, 'ada@example.com', 'Known.', '2998-12-31T23:00:00.000Z'],
  );
  assert.deepEqual([await list({ state: 'failing' }), await list({ state: 'muted' })], [[], [name]]);
  const severity = muted.severity;
  assert.deepEqual(
    [await list({ severity }), await list({ severity: severity === 'low' ? 'high' : 'low' })],
    [[name], []],
  );
  await testApi.call('unmute_diagnostic', { diagnostic_id: name });
  assert.deepEqual(
    testApi.transitions.map(({ kind }) => kind),
    ['muted', 'unmuted'],
  );

  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof historyPage>> = await historyPage(cursor);
    seen.push(...page.transitions.map(({ transition }) => transition));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, ['unmuted', 'muted', 'failed']);

  const refusals: [refusal: Promise<[ErrorCode, string]>, code: ErrorCode][] = [
    [testApi.refusal('get_diagnostic', { diagnostic_id: 'none' }), 'not_found'],
    [testApi.refusal('mute_diagnostic', { diagnostic_id: 'none' }), 'not_found'],
    [testApi.refusal('unmute_diagnostic', { diagnostic_id: 'none' }), 'not_found'],
    [
      testApi.refusal('mute_diagnostic', { diagnostic_id: name, until: '2001-01-01T00:00:00Z' }),
      'invalid_request',
    ],
    [testApi.refusal('list_diagnostic_history', { cursor: 'AAAAAAAAAAAA' }), 'invalid_request'],
  ];
  for (const [refusal, code] of refusals) assert.equal((await refusal)[0], code);

  function historyPage(after: string | null) {
    return testApi.call('list_diagnostic_history', {
      limit: 1,
      ...(after === null ? {} : { cursor: after }),
    });
  }
});
