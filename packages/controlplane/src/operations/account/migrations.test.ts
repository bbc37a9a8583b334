import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import {
  type JobsState,
  type ManagedTopicState,
  type MigrationStateAnswer,
  type MigrationStateChanges,
  migrationTopicsKind,
  type PreflightOutcome,
  type ReportedMigration,
} from '@weir/cluster';
import { fakeHandlers, startTestApi } from '../../../testing/api-server.ts';
import { managedTopic, reportOf } from '../../../testing/migrations.ts';
import { refused } from '../../../testing/refused.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { type MigrationsPort, migrationHandlers } from './migrations.ts';
import { pipelineHandlers } from './pipelines.ts';
import { secretHandlers } from './secrets.ts';

const yaml = [
  'source_bootstrap_brokers: [{ hostname: kafka.example.com, port: 9092 }]',
  `source_cluster_credentials: { sasl_username: me, sasl_password: "\${secret:source}" }`,
  'topic_mappings: [{ source_regex: ".*" }]',
  '',
].join('\n');

async function start(t: TestContext) {
  const { accounts } = await startTestApi(t);
  const own = await makeAccount(accounts, 'Own');
  const other = await makeAccount(accounts, 'Other');
  const cluster = await accounts.virtualClusters.create(own.accountId, own.a.id, {
    name: 'kafka',
    type: 'byoc',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
  });
  const leader = {
    managed: [] as ManagedTopicState[],
    reported: { topics: [], copied: [], errors: [] } as ReportedMigration,
    jobs: { jobs: [], takers: [{ kind: migrationTopicsKind, agentCount: 1, pausedCount: 0 }] } as JobsState,
    changes: [] as MigrationStateChanges[],
    deleted: [] as string[],
    refusal: undefined as Pick<MigrationStateAnswer, 'error' | 'message'> | undefined,
    asked: [] as Record<string, unknown>[],
    outcome: { kind: 'refused', reason: 'unavailable', message: 'h:1: nothing listens' } as PreflightOutcome,
  };
  const port = {
    listJobs: async () => leader.jobs,
    planPipelines: async () => {},
    listManagedTopics: async ({ topicIds }) =>
      leader.managed.filter(({ topic }) => topicIds?.includes(topic.topicId) ?? true),
    describeReportedMigration: async () => leader.reported,
    /** As the leader does it, without its rules. */
    changeMigrationStates: async (changes) => {
      leader.changes.push(changes);
      if (leader.refusal !== undefined) return { ...leader.refusal, topics: [] };
      leader.managed = leader.managed.map((one) => {
        if (!changes.topics.some(({ topicId }) => topicId === one.topic.topicId)) return one;
        const { deadlineMs: _, ...before } = one.migration;
        const { to: state, deadlineMs, by: changedBy } = changes;
        const epoch = before.epoch + 1;
        return {
          ...one,
          migration: {
            ...before,
            state,
            epoch,
            changedBy,
            ...(deadlineMs === undefined ? {} : { deadlineMs }),
          },
        };
      });
      const changed = leader.managed.map(({ topic, migration }) => ({ topicId: topic.topicId, migration }));
      return { error: 'NONE', message: null, topics: changed };
    },
    deleteManagedTopics: async (topicIds) => {
      leader.deleted.push(...topicIds);
      return [{ error: 'NONE', message: null, topic: undefined }];
    },
    runQuery: async ({ request }) => {
      leader.asked.push(JSON.parse(Buffer.from(request).toString()) as Record<string, unknown>);
      return {
        kind: 'answered',
        agentId: 'a',
        isLast: true,
        answer: Buffer.from(JSON.stringify(leader.outcome)),
      };
    },
    cancelQuery: async () => {},
  } as MigrationsPort & { planPipelines(): Promise<void> };
  const handlers = {
    ...fakeHandlers(),
    ...secretHandlers(accounts, {}),
    ...pipelineHandlers(accounts, { runnableTypes: ['orbit'], portOf: () => port }),
    ...migrationHandlers(accounts, { portOf: () => port, freshUuid: () => 'q' }),
  };
  const { url } = await startTestApi(t, { accounts, handlers });
  const clientOf = async (account: typeof own, grant = appGrant(account.a.id)) => {
    const headers = { 'service-api-key': await account.key('k', grant) };
    return createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  };
  const client = await clientOf(own);
  const on = { virtual_cluster_id: cluster.id };
  const create = async (configuration_yaml = yaml) => {
    await client.call('create_secret', { ...on, secret_name: 'source', secret: 'hunter2hunter2' });
    const { pipeline_id } = await client.call('create_pipeline', {
      ...on,
      pipeline_name: 'move',
      pipeline_type: 'orbit',
    });
    const { configuration_id } = await client.call('create_pipeline_configuration', {
      ...on,
      pipeline_id,
      configuration_yaml,
    });
    await client.call('change_pipeline_state', {
      ...on,
      pipeline_id,
      deployed_configuration_id: configuration_id,
      desired_state: 'running',
    });
    return pipeline_id;
  };
  return { client, stranger: await clientOf(other), on, create, leader, accounts, own };
}

const oneTopic = (reported: Partial<ReportedMigration> = {}): ReportedMigration => ({
  topics: [reportOf('orders')],
  copied: [{ topicId: 'id-orders', bytesPerSecond: 1_024, recordsPerSecond: 4 }],
  errors: [],
  ...reported,
});

test('a migration is described with its topics, their lag, rate and what holds them back', async (t) => {
  const { client, stranger, on, create, leader } = await start(t);
  await refused(client, 'not_found', 'orbit/describe_migration', on, /has no migration/);
  await refused(stranger, 'not_found', 'orbit/describe_migration', on);
  await create();
  leader.managed = [managedTopic('orders')];
  leader.reported = oneTopic({
    topics: [reportOf('orders'), reportOf('bad', { topicId: undefined, error: 'exists here already' })],
    errors: ['h:1: the login\nwas refused'],
  });
  const found = await client.call('orbit/describe_migration', on);
  assert.deepEqual(found.errors, ['h:1: the login was refused']);
  assert.deepEqual(
    { ...found.topics_by_state },
    { waiting: 0, refused: 1, replicating: 1, proxy: 0, blocked: 0, migrated: 0 },
  );
  const [bad, orders] = found.topics;
  assert.deepEqual([bad!.state, bad!.error], ['refused', 'exists here already']);
  assert.deepEqual(
    [orders!.lag_offsets, orders!.source_offsets, orders!.copied_offsets, orders!.bytes, orders!.eta_seconds],
    [10, 160, 150, 4_096, 3],
  );
  assert.deepEqual(
    orders!.holds.map(({ code }) => code),
    ['not_forwarding', 'lag'],
  );
  assert.deepEqual([found.totals.lag_offsets, found.totals.partition_count], [10, 4]);
  const one = await client.call('orbit/describe_migration', { ...on, topic_name: 'orders' });
  assert.deepEqual(one.partitions, [
    {
      partition: 0,
      first_offset: 0,
      next_offset: 100,
      last_stable_offset: 100,
      source_first_offset: 0,
      source_next_offset: 110,
      lag_offsets: 10,
      is_stopped: false,
    },
    {
      partition: 1,
      first_offset: 10,
      next_offset: 60,
      last_stable_offset: 60,
      source_first_offset: 10,
      source_next_offset: 60,
      lag_offsets: 0,
      is_stopped: false,
    },
  ]);
  await refused(client, 'not_found', 'orbit/describe_migration', { ...on, topic_name: 'none' });
  const { topics } = await client.call('orbit/auto_migration/status', on);
  assert.deepEqual(
    topics.map(({ topic, state, lag_records }) => [topic, state, lag_records]),
    [
      ['bad', 'refused', undefined],
      ['orders', 'replicating', 10],
    ],
  );
});

test('a cut-over ends after the shortest time of the mappings, unless it is said', async (t) => {
  const { client, on, create, leader } = await start(t);
  await create(
    `${yaml.split('topic_mappings')[0]}topic_mappings:
  - { source_regex: a, auto_migration: { enabled: true, timeout: 30s } }
  - { source_regex: b, auto_migration: { enabled: true, timeout: 2m } }
  - { source_regex: c }
`,
  );
  leader.managed = ['a', 'b', 'c', 'd'].map((name) => managedTopic(name, { state: 'PROXY' }));
  const endOf = async (topics: string[], said: object = {}) => {
    const options = { ...on, topics, validate_only: true, ...said };
    const { topics: changed } = await client.call('orbit/auto_migration/initiate', options);
    return Date.parse(changed[0]!.deadline!) / 1000;
  };
  // The clock of the test stands still.
  const inTenSeconds = await endOf(['a'], { timeout_seconds: 10 });
  const ends = [['a', 'b'], ['b'], ['c', 'd'], ['d']].map(
    async (topics) => (await endOf(topics)) - inTenSeconds,
  );
  assert.deepEqual(await Promise.all(ends), [20, 110, 590, 590]);
});

test('topics go from state to state together, and back until they are migrated', async (t) => {
  const { client, on, create, leader, accounts, own } = await start(t);
  await create();
  leader.managed = [managedTopic('a'), managedTopic('b'), managedTopic('m', { state: 'MIGRATED' })];
  const initiate = { ...on, timeout_seconds: 60 };
  await refused(
    client,
    'conflict',
    'orbit/auto_migration/initiate',
    { ...initiate, topics: ['a'] },
    /a is not forwarded yet/,
  );
  await refused(client, 'conflict', 'orbit/auto_migration/initiate', initiate, /no topic that can initiate/);
  await refused(
    client,
    'conflict',
    'orbit/auto_migration/start_forwarding',
    { ...on, topics: ['a', 'm'] },
    /m is migrated, which is final/,
  );
  await refused(client, 'not_found', 'orbit/auto_migration/start_forwarding', { ...on, topics: ['a', 'x'] });
  assert.equal(leader.changes.length, 0);
  const dry = await client.call('orbit/auto_migration/start_forwarding', { ...on, validate_only: true });
  assert.deepEqual(
    dry.topics.map(({ topic, state_before, state }) => [topic, state_before, state]),
    [
      ['a', 'replicating', 'proxy'],
      ['b', 'replicating', 'proxy'],
    ],
  );
  assert.equal(leader.changes.length, 0, 'a dry run changes nothing');
  await client.call('orbit/auto_migration/start_forwarding', { ...on, reason: 'move' });
  assert.deepEqual(leader.changes.at(-1)?.topics, [
    { topicId: 'id-a', from: 'REPLICATING', epoch: 1 },
    { topicId: 'id-b', from: 'REPLICATING', epoch: 1 },
  ]);
  assert.equal(leader.changes.at(-1)?.reason, 'move');
  const begun = await client.call('orbit/auto_migration/initiate', { ...initiate, topics: ['a'] });
  assert.deepEqual([begun.topics[0]!.state, begun.topics[0]!.cut_over_requested], ['proxy', true]);
  assert.ok(begun.topics[0]!.deadline !== undefined);
  await refused(
    client,
    'conflict',
    'orbit/auto_migration/initiate',
    { ...initiate, topics: ['a'] },
    /is being cut over already/,
  );
  // The engine blocks it.
  leader.managed = leader.managed.map((one) =>
    one.topic.name === 'a' ? { ...one, migration: { ...one.migration, state: 'BLOCKED', epoch: 4 } } : one,
  );
  const back = await client.call('orbit/auto_migration/abort', { ...on, to: 'replicating' });
  assert.deepEqual(
    back.topics.map(({ topic, state_before, state }) => [topic, state_before, state]),
    [
      ['a', 'blocked', 'replicating'],
      ['b', 'proxy', 'replicating'],
    ],
  );
  assert.deepEqual(
    leader.changes.slice(-2).map(({ to, topics }) => [to, topics.length]),
    [
      ['PROXY', 1],
      ['REPLICATING', 2],
    ],
  );
  await refused(client, 'conflict', 'orbit/auto_migration/abort', on, /no topic that can abort/);
  leader.refusal = { error: 'OPEN_TRANSACTIONS', message: 'topic a: partition 0 has an open transaction' };
  await refused(client, 'conflict', 'orbit/hand_over', { ...on, topics: ['a'] }, /has an open transaction/);
  assert.deepEqual(
    [
      leader.changes.at(-1)?.to,
      leader.changes.at(-1)?.isIrreversible,
      leader.changes.at(-1)?.abortsTransactions,
    ],
    ['MIGRATED', true, undefined],
  );
  leader.refusal = undefined;
  const given = await client.call('orbit/hand_over', { ...on, topics: ['a'], abort_open_transactions: true });
  assert.equal(given.topics[0]!.state, 'migrated');
  const { entries } = await accounts.auditLog.search({ accountId: own.accountId, limit: 50 } as never);
  const noted = entries.find(
    ({ operation, result }) => operation === 'orbit/auto_migration/initiate' && result === 'ok',
  );
  assert.deepEqual(noted?.changes, [{ name: 'a', before: 'proxy', after: 'proxy, cut-over requested' }]);
});

test('only a copy that clients just read is deleted', async (t) => {
  const { client, on, create, leader } = await start(t);
  await create();
  leader.managed = [managedTopic('a'), managedTopic('b', { state: 'PROXY' })];
  await refused(
    client,
    'conflict',
    'orbit/delete_copy',
    { ...on, topic_name: 'b' },
    /b is proxy: only a copy/,
  );
  await refused(client, 'not_found', 'orbit/delete_copy', { ...on, topic_name: 'c' });
  await client.call('orbit/delete_copy', { ...on, topic_name: 'a' });
  assert.deepEqual(leader.deleted, ['id-a']);
});

test('an agent is asked for a preflight, with the secrets that it needs', async (t) => {
  const { client, on, create, leader } = await start(t);
  const pipeline_id = await create();
  await refused(client, 'unavailable', 'orbit/preflight', { ...on, pipeline_id }, /h:1: nothing listens/);
  assert.deepEqual(leader.asked, [
    {
      kind: 'migrationPreflight',
      pipelineId: pipeline_id,
      yaml,
      secrets: { source: 'hunter2hunter2' },
      jobAgentCount: 1,
      rowsMax: 5_000,
    },
  ]);
  await refused(client, 'invalid_pipeline_configuration', 'orbit/preflight', {
    ...on,
    configuration_yaml: 'a: 1',
  });
  await refused(
    client,
    'invalid_request',
    'orbit/preflight',
    on,
    /one of pipeline_id and configuration_yaml/,
  );
  assert.equal(leader.asked.length, 1);
  leader.outcome = {
    kind: 'answered',
    answer: {
      canStart: false,
      findings: [{ severity: 'blocking', subject: 'topic a\u0000', message: 'exists' }],
      source: { clusterId: null, brokerCount: 1, hasTopicIds: false, knowsEpochs: false },
      topics: [
        {
          source: 'b',
          fate: 'not selected',
          partitionCount: 1,
          offsetCount: 0,
          configs: [{ name: 'n', value: 'v', fate: 'left out', reason: 'why' }],
          copiedConfigCount: 0,
        },
      ],
      clusterConfigs: [],
      acls: [],
      groups: [{ groupId: 'g', destination: 'g', fate: 'left out', commitCount: 0, state: 'Empty' }],
      totals: { topics: 0, partitions: 0, offsets: 0, groups: 0, acls: 0 },
      leftOutCount: 2,
    },
  };
  const found = await client.call('orbit/preflight', { ...on, pipeline_id });
  assert.equal(found.is_ready, false);
  assert.equal(found.findings[0]!.subject, 'topic a ');
  assert.deepEqual([found.topics[0]!.fate, found.topics[0]!.configs[0]!.fate], ['not_selected', 'left_out']);
  assert.deepEqual([found.groups[0]!.fate, found.rows_left_out], ['left_out', 2]);
});

test('schema registries and data lakes have no migrations', async (t) => {
  const { client, on } = await start(t);
  const virtual_cluster_id = on.virtual_cluster_id.replace('vci_', 'vci_dl_');
  await refused(client, 'not_found', 'orbit/describe_migration', { virtual_cluster_id });
});
