import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorName } from '@weir/wire';
import {
  answered,
  codeOf,
  type LeaderAgent,
  startLeaderAgent,
  startTestAgent,
  until,
} from '../../testing/index.ts';

const types = { topic: 2, broker: 4, logger: 8, clientMetrics: 16, group: 32 } as const;

interface Asked {
  readonly version?: number;
  readonly keys?: readonly string[] | null;
  readonly synonyms?: boolean;
  readonly documentation?: boolean;
}

async function describe(
  agent: Pick<LeaderAgent, 'call'>,
  type: number,
  resourceName: string,
  { version = 4, keys = null, synonyms = false, documentation = false }: Asked = {},
) {
  const { results } = answered(
    await agent.call('DescribeConfigs', version, {
      resources: [{ resourceType: type, resourceName, configurationKeys: keys }],
      includeSynonyms: synonyms,
      ...(version >= 3 ? { includeDocumentation: documentation } : {}),
    }),
  );
  assert.equal(results.length, 1);
  assert.deepEqual([results[0]!.resourceType, results[0]!.resourceName], [type, resourceName]);
  return results[0]!;
}

async function valuesOf(agent: Pick<LeaderAgent, 'call'>, type: number, name: string, asked: Asked = {}) {
  const { errorCode, configs } = await describe(agent, type, name, asked);
  assert.equal(errorCode, 0);
  return Object.fromEntries(configs.map((config) => [config.name, config.value]));
}

async function createTopic({ node, view }: LeaderAgent, name: string, configs: Record<string, string>) {
  await node.createTopics([{ name, partitionCount: 1, configs }], { validateOnly: false });
  await until(() => view.topicByName(name) !== undefined);
}

test('every version tells what a topic has, where it comes from and under which names', async () => {
  await using agent = await startLeaderAgent({ 'log.retention.ms': '7200000' });
  await createTopic(agent, 't', { 'retention.ms': '3600000', 'cleanup.policy': 'compact' });
  for (const version of [1, 2, 3, 4]) {
    const keys = ['retention.ms', 'cleanup.policy', 'no.such.config'];
    const asked = { version, keys, synonyms: true, documentation: true };
    const { errorCode, configs } = await describe(agent, types.topic, 't', asked);
    assert.equal(errorCode, 0);
    assert.deepEqual(
      configs.map(({ name, value, configSource, readOnly, isSensitive, configType }) => [
        name,
        value,
        configSource,
        readOnly,
        isSensitive,
        configType,
      ]),
      [
        ['cleanup.policy', 'compact', 1, false, false, version >= 3 ? 7 : 0],
        ['retention.ms', '3600000', 1, false, false, version >= 3 ? 5 : 0],
      ],
    );
    assert.deepEqual(configs[1]!.synonyms, [
      { name: 'retention.ms', value: '3600000', source: 1 },
      { name: 'log.retention.ms', value: '7200000', source: 3 },
      { name: 'log.retention.ms', value: '86400000', source: 5 },
    ]);
    if (version >= 3) assert.match(configs[1]!.documentation!, /How long records are kept/);
  }
  const { configs } = await describe(agent, types.topic, 't');
  assert.ok(configs.every(({ synonyms, documentation }) => synonyms.length === 0 && documentation === null));
  assert.ok(configs.length > 30);
});

test('what tools look for is there', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const broker = await valuesOf(agent, types.broker, '');
  assert.equal(broker['default.replication.factor'], '3');
  assert.equal(broker['num.partitions'], '1');
  assert.equal(broker['auto.create.topics.enable'], 'true');
  const topic = await valuesOf(agent, types.topic, 't');
  assert.equal(topic['cleanup.policy'], 'delete');
  assert.equal(topic['min.insync.replicas'], '1');
  assert.equal(topic['retention.bytes'], '-1');
  assert.equal(topic['retention.ms'], '86400000');
});

test('any broker has the configs of the cluster', async () => {
  await using agent = await startLeaderAgent({ 'num.partitions': '5' });
  const all = await valuesOf(agent, types.broker, '');
  assert.equal(all['num.partitions'], '5');
  const other = await valuesOf(agent, types.broker, '12345');
  assert.deepEqual(other, all);
  const keys = ['default.replication.factor', 'num.partitions'];
  const { configs } = await describe(agent, types.broker, '7', { keys });
  assert.deepEqual(
    configs.map(({ name, configSource, readOnly }) => [name, configSource, readOnly]),
    [
      ['default.replication.factor', 5, true],
      ['num.partitions', 3, false],
    ],
  );
});

test('groups and subscriptions have what is set for them, and defaults', async () => {
  await using agent = await startLeaderAgent({ 'group.consumer.session.timeout.ms': '30000' });
  const set = (name: string, value: string) => [{ name, operation: 'set' as const, value }];
  await agent.node.alterConfigs(
    [
      { kind: 'group', name: 'g', replacesAll: false, changes: set('share.auto.offset.reset', 'earliest') },
      { kind: 'clientMetrics', name: 'm', replacesAll: false, changes: set('metrics', 'org.') },
    ],
    { validateOnly: false },
  );
  const group = await describe(agent, types.group, 'g');
  const told = group.configs.map(({ name, value, configSource }) => `${name}=${value} ${configSource}`);
  assert.ok(told.includes('share.auto.offset.reset=earliest 8'));
  assert.ok(told.includes('consumer.session.timeout.ms=30000 3'));
  assert.ok(told.includes('consumer.heartbeat.interval.ms=5000 5'));
  assert.equal((await valuesOf(agent, types.group, 'unheard-of'))['share.auto.offset.reset'], 'latest');
  const metrics = await describe(agent, types.clientMetrics, 'm');
  assert.deepEqual(
    metrics.configs.map(({ name, value, configSource }) => [name, value, configSource]),
    [
      ['interval.ms', '300000', 5],
      ['match', '', 5],
      ['metrics', 'org.', 7],
    ],
  );
});

const refusals: [type: number, name: string, error: ErrorName][] = [
  [types.topic, 'nothing', 'UNKNOWN_TOPIC_OR_PARTITION'],
  [types.topic, 'no good', 'INVALID_TOPIC_EXCEPTION'],
  [types.topic, '', 'INVALID_TOPIC_EXCEPTION'],
  [types.broker, 'one', 'INVALID_REQUEST'],
  [types.broker, '99999999999', 'INVALID_REQUEST'],
  [types.logger, '1', 'NONE'],
  [types.logger, 'x', 'INVALID_REQUEST'],
  [types.group, '', 'INVALID_REQUEST'],
  [types.clientMetrics, '', 'INVALID_REQUEST'],
  [0, 'x', 'INVALID_REQUEST'],
  [64, 'x', 'INVALID_REQUEST'],
];

test('what does not exist is told', async () => {
  await using agent = await startLeaderAgent();
  for (const [type, name, error] of refusals) {
    const { errorCode, errorMessage, configs } = await describe(agent, type, name);
    assert.equal(errorCode, codeOf(error), `${type} ${name}`);
    assert.deepEqual(configs, []);
    assert.equal(errorMessage === null, error === 'NONE');
  }
});

test('one request cannot have an answer without end', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  const resources = new Array(13_000).fill({ resourceType: 2, resourceName: 't', configurationKeys: null });
  const { results } = answered(await agent.call('DescribeConfigs', 4, { resources }));
  const configs = results.reduce((sum, result) => sum + result.configs.length, 0);
  assert.ok(configs > 500_000 && configs < 500_100);
  assert.equal(results.at(-1)!.errorCode, codeOf('INVALID_REQUEST'));
});

test('without the control plane topics and brokers are known, and groups are not', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  assert.equal((await describe(agent, types.topic, 't')).errorCode, 0);
  assert.equal((await describe(agent, types.broker, '')).errorCode, 0);
  assert.equal((await describe(agent, types.group, 'g')).errorCode, codeOf('COORDINATOR_NOT_AVAILABLE'));
});
