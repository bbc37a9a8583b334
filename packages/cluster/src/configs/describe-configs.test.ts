import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterConfigs } from './cluster-configs.ts';
import { long, oneOf } from './config-type.ts';
import { describeConfigs, describeRow } from './describe-configs.ts';
import { topicConfigs } from './topic-configs.ts';

const nothing = { texts: {}, clusterTexts: {}, agentTexts: {}, names: null };

function describeOne(
  kind: 'topic' | 'cluster',
  name: string,
  given: Partial<Parameters<typeof describeConfigs>[1]>,
) {
  const [config, ...others] = describeConfigs(kind, { ...nothing, names: [name], ...given });
  assert.deepEqual(others, []);
  return config!;
}

test('all configs are described, with type and documentation', () => {
  const topic = describeConfigs('topic', nothing);
  assert.deepEqual(
    topic.map(({ name }) => name),
    Object.keys(topicConfigs),
  );
  const cluster = new Set(describeConfigs('cluster', nothing).map(({ name }) => name));
  for (const name of Object.keys(clusterConfigs)) assert.ok(cluster.has(name), name);
  for (const { name, documentation } of topic) assert.match(documentation, /\.$/, name);
  assert.match(describeOne('topic', 'segment.bytes', {}).documentation, /Accepted without effect\.$/);
  assert.doesNotMatch(describeOne('topic', 'retention.ms', {}).documentation, /no effect/);
});

test('unknown names are omitted', () => {
  const names = ['retention.ms', 'nothing', 'constructor'];
  assert.deepEqual(
    describeConfigs('topic', { ...nothing, names }).map(({ name }) => name),
    ['retention.ms'],
  );
});

test('synonyms are listed from the most specific to the default, and the first is the value', () => {
  const texts = { 'retention.ms': '1' };
  const clusterTexts = { 'log.retention.ms': '2' };
  const all = [
    { name: 'retention.ms', value: '1', source: 'topic' },
    { name: 'log.retention.ms', value: '2', source: 'cluster' },
    { name: 'log.retention.ms', value: '86400000', source: 'default' },
  ];
  for (const [given, expected] of [
    [{ texts, clusterTexts }, all],
    [{ clusterTexts }, all.slice(1)],
    [{}, all.slice(2)],
  ] as const) {
    const { value, source, synonyms } = describeOne('topic', 'retention.ms', given);
    assert.deepEqual(synonyms, expected);
    assert.deepEqual([value, source], [expected[0]!.value, expected[0]!.source]);
  }
});

test('values of agent flags rank behind set values, and topics inherit them', () => {
  const agentTexts = { 'message.max.bytes': '1000' };
  const { value, source } = describeOne('topic', 'max.message.bytes', { agentTexts });
  assert.deepEqual([value, source], ['1000', 'agent']);
  const set = describeOne('cluster', 'message.max.bytes', {
    texts: { 'message.max.bytes': '7' },
    agentTexts,
  });
  assert.deepEqual([set.value, set.source, set.synonyms.length], ['7', 'cluster', 2]);
  const unset = describeOne('topic', 'max.message.bytes', {});
  assert.deepEqual([unset.value, unset.source, unset.synonyms], [null, 'default', []]);
});

test('a list is shown without blanks', () => {
  const describePolicy = (text: string) =>
    describeOne('topic', 'cleanup.policy', { texts: { 'cleanup.policy': text } });
  assert.equal(describePolicy(' compact ').value, 'compact');
  assert.equal(describePolicy('compact, delete').value, 'compact,delete');
  const protectedTopic = { 'service.deletion.protection.enabled': ' TRUE' };
  const { value } = describeOne('topic', 'service.deletion.protection.enabled', { texts: protectedTopic });
  assert.equal(value, 'true');
});

test('configs that cannot be set are read-only, and sensitive ones never have a value', () => {
  const { isReadOnly, value } = describeOne('cluster', 'default.replication.factor', {});
  assert.deepEqual([isReadOnly, value], [true, '3']);
  const row = {
    type: oneOf('secret', 'other'),
    sensitive: true,
    group: 'access',
    doc: 'A password.',
  } as const;
  const described = describeRow('password', row, [{ name: 'password', text: 'secret', source: 'cluster' }]);
  assert.deepEqual(described, {
    name: 'password',
    value: null,
    source: 'cluster',
    isReadOnly: false,
    isSensitive: true,
    type: 'STRING',
    documentation: 'A password.',
    synonyms: [{ name: 'password', value: null, source: 'cluster' }],
  });
  const plain = { type: long({ min: 0 }), group: 'limits', doc: 'A size.' } as const;
  assert.equal(describeRow('size', plain, [{ name: 'size', text: ' 5', source: 'cluster' }]).value, '5');
});
