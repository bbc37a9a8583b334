import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle, until } from '@weir/core/testing';
import type { ErrorName } from '@weir/wire';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

const types = { topic: 2, broker: 4, logger: 8, clientMetrics: 16, group: 32 } as const;

interface DescribeOptions {
  readonly version?: number;
  readonly keys?: readonly string[] | null;
  readonly synonyms?: boolean;
  readonly documentation?: boolean;
}

async function describe(
  agent: Pick<LeaderAgent, 'call'>,
  type: number,
  resourceName: string,
  { version = 4, keys = null, synonyms = false, documentation = false }: DescribeOptions = {},
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

async function valuesOf(
  agent: Pick<LeaderAgent, 'call'>,
  type: number,
  name: string,
  options: DescribeOptions = {},
) {
  const { errorCode, configs } = await describe(agent, type, name, options);
  assert.equal(errorCode, 0);
  return Object.fromEntries(configs.map((config) => [config.name, config.value]));
}

async function createTopic({ node, view }: LeaderAgent, name: string, configs: Record<string, string>) {
  await node.createTopics([{ name, partitionCount: 1, configs }], { validateOnly: false });
  await until(() => view.topicByName(name) !== undefined);
}

test('every version returns the configs of a topic with sources and synonyms', async () => {
  await using agent = await startLeaderAgent({ 'log.retention.ms': '7200000' });
  await createTopic(agent, 't', { 'retention.ms': '3600000', 'cleanup.policy': 'compact' });
  for (const version of [1, 2, 3, 4]) {
    const keys = ['retention.ms', 'cleanup.policy', 'no.such.config'];
    const options = { version, keys, synonyms: true, documentation: true };
    const { errorCode, configs } = await describe(agent, types.topic, 't', options);
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
    if (version >= 3) assert.match(configs[1]!.documentation!, /retention time of records/);
  }
  const { configs } = await describe(agent, types.topic, 't');
  assert.ok(configs.every(({ synonyms, documentation }) => synonyms.length === 0 && documentation === null));
  assert.ok(configs.length > 30);
});

test('configs that tools look for are present', async () => {
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

test('a broker has its own configs, those of the cluster, and its address', async () => {
  await using agent = await startLeaderAgent({ 'num.partitions': '5', 'log.cleaner.threads': '3' });
  const { nodeId, host, kafkaPort } = agent.view.agents()[0]!;
  const name = String(nodeId);
  const changes = [{ name: 'log.cleaner.threads', operation: 'set' as const, value: '4' }];
  await agent.node.alterConfigs([{ kind: 'broker', name, replacesAll: false, changes }], {
    validateOnly: false,
  });
  await until(() => agent.view.records('brokerConfigs').byKey.size === 1);
  const own = await valuesOf(agent, types.broker, name);
  assert.equal(own['node.id'], name);
  assert.equal(own['advertised.listeners'], `PLAINTEXT://${host}:${kafkaPort}`);
  assert.equal(own['log.cleaner.backoff.ms'], '15000');
  const keys = ['default.replication.factor', 'log.cleaner.threads', 'node.id', 'num.partitions'];
  const { configs } = await describe(agent, types.broker, name, { keys, synonyms: true });
  assert.deepEqual(
    configs.map((config) => [config.name, config.configSource, config.readOnly]),
    [
      ['default.replication.factor', 5, true],
      ['log.cleaner.threads', 2, false],
      ['node.id', 4, true],
      ['num.partitions', 3, false],
    ],
  );
  assert.deepEqual(configs[1]!.synonyms, [
    { name: 'log.cleaner.threads', value: '4', source: 2 },
    { name: 'log.cleaner.threads', value: '3', source: 3 },
    { name: 'log.cleaner.threads', value: '1', source: 5 },
  ]);
  const all = await valuesOf(agent, types.broker, '');
  assert.deepEqual([all['num.partitions'], all['log.cleaner.threads']], ['5', '3']);
  assert.equal((await describe(agent, types.broker, '12345')).errorCode, codeOf('INVALID_REQUEST'));
});

test('a topic inherits the configs of its broker', async () => {
  await using agent = await startLeaderAgent({ 'message.max.bytes': '500' });
  await agent.addTopic('t');
  const name = String(agent.view.agents()[0]!.nodeId);
  const changes = [{ name: 'message.max.bytes', operation: 'set' as const, value: '400' }];
  await agent.node.alterConfigs([{ kind: 'broker', name, replacesAll: false, changes }], {
    validateOnly: false,
  });
  await until(() => agent.view.records('brokerConfigs').byKey.size === 1);
  const options = { keys: ['max.message.bytes'], synonyms: true };
  const { configs } = await describe(agent, types.topic, 't', options);
  assert.deepEqual(configs[0]!.synonyms.slice(0, 2), [
    { name: 'message.max.bytes', value: '400', source: 2 },
    { name: 'message.max.bytes', value: '500', source: 3 },
  ]);
});

test('groups and subscriptions have the configs that are set for them, and defaults', async () => {
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
  const described = group.configs.map(({ name, value, configSource }) => `${name}=${value} ${configSource}`);
  assert.ok(described.includes('share.auto.offset.reset=earliest 8'));
  assert.ok(described.includes('consumer.session.timeout.ms=30000 3'));
  assert.ok(described.includes('consumer.heartbeat.interval.ms=5000 5'));
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

test('resources that do not exist are an error', async () => {
  await using agent = await startLeaderAgent();
  for (const [type, name, error] of refusals) {
    const { errorCode, errorMessage, configs } = await describe(agent, type, name);
    assert.equal(errorCode, codeOf(error), `${type} ${name}`);
    assert.deepEqual(configs, []);
    assert.equal(errorMessage === null, error === 'NONE');
  }
});

test('the number of configs in a response is limited', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  const resources = new Array(13_000).fill({ resourceType: 2, resourceName: 't', configurationKeys: null });
  let isAnswered = false;
  const answering = Promise.resolve(agent.call('DescribeConfigs', 4, { resources })).finally(() => {
    isAnswered = true;
  });
  // So many configs are described in turns.
  let turns = 0;
  for (; !isAnswered; turns++) {
    await settle();
    agent.clock.advance(1);
  }
  assert.ok(turns > 250, `${turns}`);
  const { results } = answered(await answering);
  const configs = results.reduce((sum, result) => sum + result.configs.length, 0);
  assert.ok(configs > 500_000 && configs < 500_100);
  assert.equal(results.at(-1)!.errorCode, codeOf('INVALID_REQUEST'));
});

test('without the control plane, topics and brokers are described, and groups are not', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  agent.cluster.unavailable = true;
  assert.equal((await describe(agent, types.topic, 't')).errorCode, 0);
  assert.equal((await describe(agent, types.broker, '')).errorCode, 0);
  assert.equal((await describe(agent, types.group, 'g')).errorCode, codeOf('COORDINATOR_NOT_AVAILABLE'));
});

test('an empty list of names describes all configs, as no list does', async () => {
  await using agent = await startLeaderAgent();
  await createTopic(agent, 't', {});
  const all = await valuesOf(agent, 2, 't');
  assert.ok(Object.keys(all).length > 20);
  assert.deepEqual(await valuesOf(agent, 2, 't', { keys: [] }), all);
  assert.deepEqual(Object.keys(await valuesOf(agent, 2, 't', { keys: ['retention.ms'] })), ['retention.ms']);
});
