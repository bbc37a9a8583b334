import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorName } from '@weir/wire';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

const operations = { set: 0, delete: 1, append: 2, subtract: 3 } as const;

interface Change {
  readonly name: string;
  readonly configOperation: number;
  readonly value: string | null;
}

const set = (name: string, value: string | null): Change => ({
  name,
  configOperation: operations.set,
  value,
});
const unset = (name: string): Change => ({ name, configOperation: operations.delete, value: null });
const append = (name: string, value: string): Change => ({ name, configOperation: operations.append, value });
const subtract = (name: string, value: string): Change => ({
  name,
  configOperation: operations.subtract,
  value,
});

async function alter(
  agent: Pick<LeaderAgent, 'call'>,
  resourceType: number,
  resourceName: string,
  configs: readonly Change[],
  { version = 1, validateOnly = false } = {},
) {
  const resources = [{ resourceType, resourceName, configs }];
  const { responses } = answered(
    await agent.call('IncrementalAlterConfigs', version, { resources, validateOnly }),
  );
  assert.equal(responses.length, 1);
  assert.deepEqual([responses[0]!.resourceType, responses[0]!.resourceName], [resourceType, resourceName]);
  return responses[0]!;
}

/** Calls AlterConfigs, which removes configs that are not named. */
async function replace(
  agent: Pick<LeaderAgent, 'call'>,
  resourceType: number,
  resourceName: string,
  configs: Record<string, string | null>,
  { version = 2, validateOnly = false } = {},
) {
  const rows = Object.entries(configs).map(([name, value]) => ({ name, value }));
  const resources = [{ resourceType, resourceName, configs: rows }];
  const { responses } = answered(await agent.call('AlterConfigs', version, { resources, validateOnly }));
  return responses[0]!.errorCode;
}

test('configs of a topic apply when the response is sent, in every version', async () => {
  for (const version of [0, 1]) {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t', 2);
    const changes = [set('retention.ms', '5'), set('max.message.bytes', '6')];
    assert.equal((await alter(agent, 2, 't', changes, { version })).errorCode, 0);
    const configs = () => agent.view.topicByName('t')!.configs;
    assert.deepEqual(configs(), { 'max.message.bytes': '6', 'retention.ms': '5' });
    assert.equal((await alter(agent, 2, 't', [unset('retention.ms')], { version })).errorCode, 0);
    assert.deepEqual(configs(), { 'max.message.bytes': '6' });
    assert.equal(agent.view.topicByName('t')!.partitionCount, 2);
  }
});

test('the broker with the empty name is the cluster, and deleting a config restores its default', async () => {
  await using agent = await startLeaderAgent();
  const configs = () => agent.view.clusterConfigs();
  assert.equal((await alter(agent, 4, '', [set('log.retention.hours', '1')])).errorCode, 0);
  assert.deepEqual(configs(), { 'log.retention.ms': '3600000' });
  assert.equal((await alter(agent, 4, '', [unset('log.retention.ms')])).errorCode, 0);
  assert.deepEqual(configs(), {});
});

test('validateOnly changes nothing', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const tried = { validateOnly: true };
  assert.equal((await alter(agent, 2, 't', [set('retention.ms', '5')], tried)).errorCode, 0);
  const refused = await alter(agent, 2, 't', [set('retention.ms', 'x')], tried);
  assert.equal(refused.errorCode, codeOf('INVALID_CONFIG'));
  assert.equal(await replace(agent, 2, 't', { 'retention.ms': '5' }, tried), 0);
  assert.deepEqual(agent.view.topicByName('t')!.configs, {});
});

const refusals: [what: string, type: number, name: string, changes: Change[], error: ErrorName][] = [
  ['an unknown topic', 2, 'nothing', [set('retention.ms', '5')], 'UNKNOWN_TOPIC_OR_PARTITION'],
  ['a value that is not allowed', 2, 't', [set('retention.ms', 'x')], 'INVALID_CONFIG'],
  ['a larger record than there can be', 2, 't', [set('max.message.bytes', '268435457')], 'INVALID_CONFIG'],
  ['the same of the cluster', 4, '', [set('message.max.bytes', '300000000')], 'INVALID_CONFIG'],
  ['the same of a broker', 4, '1', [set('message.max.bytes', '300000000')], 'INVALID_CONFIG'],
  ['an unknown service config', 2, 't', [set('service.x', '1')], 'INVALID_CONFIG'],
  ['an unknown Kafka config', 2, 't', [set('retention.mss', '1')], 'INVALID_CONFIG'],
  ['unsetting an unknown name', 2, 't', [unset('x')], 'NONE'],
  ['a repeated name', 2, 't', [set('retention.ms', '5'), unset('retention.ms')], 'INVALID_REQUEST'],
  ['no value', 2, 't', [set('retention.ms', null)], 'INVALID_REQUEST'],
  [
    'an unknown operation',
    2,
    't',
    [{ name: 'retention.ms', configOperation: 4, value: '5' }],
    'INVALID_REQUEST',
  ],
  ['append to a config that is not a list', 2, 't', [append('retention.ms', '5')], 'INVALID_CONFIG'],
  ['subtract from a config that is not a list', 2, 't', [subtract('retention.ms', '5')], 'INVALID_CONFIG'],
  ['a policy that there is not', 2, 't', [set('cleanup.policy', 'archive')], 'INVALID_CONFIG'],
  ['a config that cannot be set', 4, '', [set('default.replication.factor', '1')], 'INVALID_REQUEST'],
  ['an unknown name of a broker', 4, '', [set('log.cleaner.thread', '1')], 'INVALID_CONFIG'],
  ['an unknown config of the cluster', 4, '', [set('service.default.x', '1')], 'INVALID_CONFIG'],
  ['an unknown broker', 4, '4711', [set('log.cleaner.threads', '5')], 'INVALID_REQUEST'],
  ['an invalid broker id', 4, 'x', [set('num.partitions', '5')], 'INVALID_REQUEST'],
  ['a logger', 8, '1', [set('root', 'DEBUG')], 'INVALID_REQUEST'],
  ['a group', 32, 'g', [set('share.auto.offset.reset', 'earliest')], 'NONE'],
  ['a group without a name', 32, '', [set('share.auto.offset.reset', 'earliest')], 'INVALID_REQUEST'],
  ['an unknown config of a group', 32, 'g', [set('x', '1')], 'INVALID_CONFIG'],
  ['a subscription', 16, 'm', [set('interval.ms', '1000'), append('metrics', 'a.,b.')], 'NONE'],
  ['an unknown type', 64, 'x', [set('x', '1')], 'INVALID_REQUEST'],
];

test('valid and invalid changes', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  for (const [what, type, name, changes, error] of refusals) {
    const { errorCode, errorMessage } = await alter(agent, type, name, changes);
    assert.equal(errorCode, codeOf(error), what);
    assert.equal(errorMessage === null, error === 'NONE', what);
  }
  assert.deepEqual(agent.view.topicByName('t')!.configs, {});
  const stored = await agent.node.describeConfigs([
    { kind: 'group', name: 'g' },
    { kind: 'clientMetrics', name: 'm' },
  ]);
  assert.deepEqual(stored, [
    { 'share.auto.offset.reset': 'earliest' },
    { 'interval.ms': '1000', metrics: 'a.,b.' },
  ]);
});

test('changes of a resource are applied all or none, and other resources are not affected', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('a');
  await agent.addTopic('b');
  const resource = (resourceName: string, ...configs: Change[]) => ({
    resourceType: 2,
    resourceName,
    configs,
  });
  const { responses } = answered(
    await agent.call('IncrementalAlterConfigs', 1, {
      resources: [
        resource('a', set('retention.ms', '5'), set('retention.bytes', 'x')),
        { resourceType: 8, resourceName: '', configs: [] },
        resource('b', set('retention.ms', '5')),
      ],
      validateOnly: false,
    }),
  );
  assert.deepEqual(
    responses.map(({ errorCode }) => errorCode),
    [codeOf('INVALID_CONFIG'), codeOf('INVALID_REQUEST'), 0],
  );
  assert.match(responses[0]!.errorMessage!, /retention\.bytes=x: must be a whole number/);
  assert.deepEqual(agent.view.topicByName('a')!.configs, {});
  assert.deepEqual(agent.view.topicByName('b')!.configs, { 'retention.ms': '5' });
});

test('AlterConfigs replaces everything, in every version', async () => {
  for (const version of [0, 1, 2]) {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t');
    const configs = () => agent.view.topicByName('t')!.configs;
    const before = { 'retention.ms': '5', 'segment.ms': '6' };
    assert.equal(await replace(agent, 2, 't', before, { version }), 0);
    assert.deepEqual(configs(), before);
    assert.equal(await replace(agent, 2, 't', { 'retention.bytes': '7' }, { version }), 0);
    assert.deepEqual(configs(), { 'retention.bytes': '7' });
    assert.equal(
      await replace(agent, 2, 't', { 'retention.ms': null }, { version }),
      codeOf('INVALID_REQUEST'),
    );
    assert.equal(await replace(agent, 2, 'z', {}, { version }), codeOf('UNKNOWN_TOPIC_OR_PARTITION'));
    assert.deepEqual(configs(), { 'retention.bytes': '7' });
  }
});

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  agent.cluster.unavailable = true;
  const { errorCode } = await alter(agent, 2, 't', [set('retention.ms', '5')]);
  assert.equal(errorCode, codeOf('NOT_CONTROLLER'));
  assert.equal(await replace(agent, 4, '', {}), codeOf('NOT_CONTROLLER'));
});

test('a broker has its own configs, which are stored, and can be deleted as reassignment tools do', async () => {
  await using agent = await startLeaderAgent();
  const { nodeId } = agent.view.agents()[0]!;
  const name = String(nodeId);
  const stored = async () => (await agent.node.describeConfigs([{ kind: 'broker', name }]))[0];
  const rates = ['leader.replication.throttled.rate', 'follower.replication.throttled.rate'];
  assert.equal(
    (
      await alter(
        agent,
        4,
        name,
        rates.map((rate) => set(rate, '1000')),
      )
    ).errorCode,
    0,
  );
  assert.equal((await alter(agent, 4, name, [set('message.max.bytes', '300')])).errorCode, 0);
  assert.deepEqual(await stored(), {
    'follower.replication.throttled.rate': '1000',
    'leader.replication.throttled.rate': '1000',
    'message.max.bytes': '300',
  });
  assert.deepEqual(agent.view.clusterConfigs(), {});
  const never = 'replica.alter.log.dirs.io.max.bytes.per.second';
  assert.equal((await alter(agent, 4, name, [...rates, never].map(unset))).errorCode, 0);
  assert.deepEqual(await stored(), { 'message.max.bytes': '300' });
  assert.equal(
    (await alter(agent, 4, name, [set('log.retention.ms', '5')])).errorCode,
    codeOf('INVALID_REQUEST'),
  );
  assert.equal(await replace(agent, 4, name, {}), 0);
  assert.deepEqual(await stored(), {});
});
