import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClusterConfigs, checkTopicConfigs } from './check-configs.ts';
import { clusterConfigAliases, clusterConfigs } from './cluster-configs.ts';
import { configCatalogues } from './config-catalogues.ts';
import { type ConfigAlias, type ConfigRow, describeProblem, documentationOf } from './config-row.ts';
import {
  clusterConfigValue,
  groupConfigValue,
  readings,
  recordBytesMax,
  topicConfigValue,
} from './config-value.ts';
import { topicConfigAliases, topicConfigs } from './topic-configs.ts';

const catalogues = Object.values(configCatalogues);
const rows: [string, ConfigRow][] = catalogues.flatMap(({ rows }) => Object.entries(rows));

test('every default is valid for its row, and every row is documented', () => {
  for (const [name, { default: text, type, doc }] of rows) {
    if (text !== undefined) assert.notEqual(type.parse(text), undefined, name);
    assert.match(doc, /^[A-Z\w].+\.$/s, name);
  }
});

test('rows are sorted by name, which is the order in which configs are stored and shown', () => {
  for (const { rows } of catalogues) {
    const names = Object.keys(rows);
    assert.deepEqual(names, [...names].sort());
  }
});

test('an inherited config exists in the cluster, with the same values and the only default', () => {
  for (const { rows } of [configCatalogues.topic, configCatalogues.group]) {
    for (const [name, { synonym, type, default: own }] of Object.entries(rows)) {
      if (synonym === undefined) continue;
      const row = configCatalogues.cluster.rows[synonym]!;
      assert.ok(row !== undefined, synonym);
      assert.deepEqual([row.type.kafkaType, own], [type.kafkaType, undefined], name);
      if (row.default !== undefined) assert.notEqual(type.parse(row.default), undefined, name);
    }
  }
});

test('aliases refer to rows and are not rows themselves', () => {
  const pairs: [object, Record<string, ConfigAlias>][] = [
    [topicConfigs, topicConfigAliases],
    [clusterConfigs, clusterConfigAliases],
  ];
  for (const [catalogue, aliases] of pairs) {
    for (const [alias, { of }] of Object.entries(aliases)) {
      assert.ok(Object.hasOwn(catalogue, of), alias);
      assert.ok(!Object.hasOwn(catalogue, alias), alias);
    }
  }
});

const topicCases: [name: string, text: string, stored: string | 'problem'][] = [
  ['cleanup.policy', 'delete', 'delete'],
  ['cleanup.policy', 'compact,delete', 'compact,delete'],
  ['cleanup.policy', 'compact, delete', 'compact, delete'],
  ['cleanup.policy', 'compact,compact', 'compact,compact'],
  ['cleanup.policy', '', ''],
  ['cleanup.policy', 'delete,', 'problem'],
  ['remote.storage.enable', 'false', 'false'],
  ['remote.storage.enable', 'true', 'problem'],
  ['cleanup.policy', 'shred', 'problem'],
  ['compression.type', 'zstd', 'zstd'],
  ['compression.type', 'brotli', 'problem'],
  ['max.message.bytes', '0', '0'],
  ['max.message.bytes', '-1', 'problem'],
  ['max.message.bytes', '268435456', '268435456'],
  ['max.message.bytes', '268435457', 'problem'],
  ['max.message.bytes', '2147483648', 'problem'],
  ['message.timestamp.type', 'LogAppendTime', 'LogAppendTime'],
  ['message.timestamp.type', 'logappendtime', 'problem'],
  ['retention.ms', '-1', '-1'],
  ['retention.ms', '-2', 'problem'],
  ['retention.ms', '9223372036854775807', '9223372036854775807'],
  ['retention.ms', '9223372036854775808', 'problem'],
  ['retention.ms', 'soon', 'problem'],
  ['retention.ms', '1e3', 'problem'],
  ['retention.ms', '', 'problem'],
  ['service.deletion.protection.enabled', 'TRUE', 'TRUE'],
  ['service.deletion.protection.enabled', 'yes', 'problem'],
  ['service.topic.type', 'classic', 'classic'],
  ['service.topic.type', 'lightning', 'lightning'],
  ['service.key.subject.name.strategy', 'RecordNameStrategy', 'RecordNameStrategy'],
  ['service.no.such.config', '1', 'problem'],
  ['flush.messages', '1', '1'],
  ['flush.messages', '0', 'problem'],
  ['min.cleanable.dirty.ratio', '0.25', '0.25'],
  ['min.cleanable.dirty.ratio', '1.01', 'problem'],
  ['min.cleanable.dirty.ratio', 'half', 'problem'],
  ['leader.replication.throttled.replicas', '', ''],
  ['leader.replication.throttled.replicas', '0:1,1:2', '0:1,1:2'],
  ['leader.replication.throttled.replicas', '0:1,0:1', 'problem'],
  ['leader.replication.throttled.replicas', 'all', 'problem'],
  ['retention.bytes', '-1', '-1'],
  ['retention.bytes', '-2', 'problem'],
  ['segment.bytes', '1048576', '1048576'],
  ['segment.bytes', '1048575', 'problem'],
  ['some.plugin.config', '1', 'problem'],
  ['constructor', '1', 'problem'],
];

for (const [name, text, stored] of topicCases) {
  test(`a topic with ${name}=${text} ${stored === 'problem' ? 'is refused' : 'has it'}`, () => {
    const { configs, problems } = checkTopicConfigs({ [name]: text });
    assert.deepEqual(
      problems.map((problem) => [problem.name, problem.value]),
      stored === 'problem' ? [[name, text]] : [],
    );
    if (stored !== 'problem') assert.deepEqual(configs, { [name]: stored });
  });
}

/** Topic configs of Apache Kafka 4.3. */
const kafkaTopicConfigs = [
  'cleanup.policy',
  'compression.gzip.level',
  'compression.lz4.level',
  'compression.type',
  'compression.zstd.level',
  'delete.retention.ms',
  'file.delete.delay.ms',
  'flush.messages',
  'flush.ms',
  'follower.replication.throttled.replicas',
  'index.interval.bytes',
  'leader.replication.throttled.replicas',
  'local.retention.bytes',
  'local.retention.ms',
  'max.compaction.lag.ms',
  'max.message.bytes',
  'message.timestamp.after.max.ms',
  'message.timestamp.before.max.ms',
  'message.timestamp.type',
  'min.cleanable.dirty.ratio',
  'min.compaction.lag.ms',
  'min.insync.replicas',
  'preallocate',
  'remote.log.copy.disable',
  'remote.log.delete.on.disable',
  'remote.storage.enable',
  'retention.bytes',
  'retention.ms',
  'segment.bytes',
  'segment.index.bytes',
  'segment.jitter.ms',
  'segment.ms',
  'unclean.leader.election.enable',
];

test('every topic config of Apache Kafka is known, and those without effect are documented as such', () => {
  for (const name of kafkaTopicConfigs) assert.ok(Object.hasOwn(topicConfigs, name), name);
  for (const { rows } of catalogues) {
    for (const [name, row] of Object.entries(rows)) {
      if (row.withoutEffect) assert.match(documentationOf(row), /Accepted without effect\.$/, name);
    }
  }
});

test('compaction is accepted, and shown as it was set', () => {
  for (const policy of ['compact', 'compact,delete']) {
    const { configs, problems } = checkTopicConfigs({ 'cleanup.policy': policy });
    assert.deepEqual({ configs, problems }, { configs: { 'cleanup.policy': policy }, problems: [] });
  }
});

test('topics are classic or lightning', () => {
  for (const type of ['classic', 'lightning']) {
    assert.deepEqual(checkTopicConfigs({ 'service.topic.type': type }).problems, []);
    assert.deepEqual(checkClusterConfigs({ 'service.default.topic.type': type }).problems, []);
  }
  const cluster = { 'service.default.topic.type': 'lightning' };
  assert.equal(topicConfigValue('service.topic.type', {}, cluster), 'lightning');
  assert.equal(
    topicConfigValue('service.topic.type', { 'service.topic.type': 'classic' }, cluster),
    'classic',
  );
});

test('a problem names the config, the value and the rule', () => {
  const { problems } = checkTopicConfigs({
    'retention.ms': 'soon',
    'service.topic.type': 'fast',
    'service.x': '1',
  });
  assert.deepEqual(problems.map(describeProblem), [
    'retention.ms=soon: must be a whole number from -1 to 9223372036854775807',
    'service.topic.type=fast: must be one of classic, lightning',
    'service.x=1: unknown topic config',
  ]);
});

test('configs are stored in the order of the catalogue, by their canonical names', () => {
  const { configs } = checkTopicConfigs({
    'service.partitions_auto_scaler.max_partitions': '9',
    'retention.ms': '1',
    'cleanup.policy': 'compact',
  });
  assert.deepEqual(Object.entries(configs), [
    ['cleanup.policy', 'compact'],
    ['retention.ms', '1'],
    ['service.partitions_auto_scaler.max_partition_count', '9'],
  ]);
});

const aliasCases: [set: Record<string, string | null>, stored: Record<string, string | null> | string][] = [
  [{ 'log.retention.hours': '2' }, { 'log.retention.ms': '7200000' }],
  [{ 'log.retention.minutes': '3' }, { 'log.retention.ms': '180000' }],
  [{ 'log.retention.hours': '-1' }, { 'log.retention.ms': '-1' }],
  [{ 'log.retention.hours': '2', 'log.retention.minutes': '3' }, { 'log.retention.ms': '180000' }],
  [{ 'log.retention.hours': '2', 'log.retention.ms': '5' }, { 'log.retention.ms': '5' }],
  [{ 'log.retention.hours': null }, { 'log.retention.ms': null }],
  [{ 'service.soft.delete.topic.ttl.hours': '1' }, { 'service.soft.delete.topic.ttl.ms': '3600000' }],
  [
    { 'service.soft.delete.topic.ttl.hours': '-1' },
    'service.soft.delete.topic.ttl.hours=-1: service.soft.delete.topic.ttl.ms would be -1 and must be a whole number from 0 to 9223372036854775807',
  ],
  [{ 'default.replication.factor': '5' }, 'default.replication.factor=5: is read-only; its value is 3'],
  [{ 'queued.max.requests': '5' }, 'queued.max.requests=5: is read-only; its value is 500'],
  [{ 'some.plugin.config': null }, { 'some.plugin.config': null }],
  [{ 'log.cleanup.policy': 'compact' }, 'log.cleanup.policy=compact: is read-only; its value is delete'],
  [{ 'log.roll.hours': '1' }, { 'log.roll.ms': '3600000' }],
  [{ 'service.default.nothing': 'x' }, 'service.default.nothing=x: unknown cluster config'],
  [{ 'num.partitions': '0' }, 'num.partitions=0: must be a whole number from 1 to 200000'],
];

for (const [set, stored] of aliasCases) {
  test(`setting ${JSON.stringify(set)} on the cluster`, () => {
    const { configs, problems } = checkClusterConfigs(set);
    if (typeof stored === 'string') assert.deepEqual(problems.map(describeProblem), [stored]);
    else assert.deepEqual({ configs, problems }, { configs: stored, problems: [] });
  });
}

test('a topic uses its own value, else the value of the cluster, else the default', () => {
  const own = { 'retention.ms': '1' };
  const cluster = { 'log.retention.ms': '2' };
  assert.equal(topicConfigValue('retention.ms', own, cluster), 1);
  assert.equal(topicConfigValue('retention.ms', {}, cluster), 2);
  assert.equal(topicConfigValue('retention.ms', {}, {}), 86_400_000);
  assert.equal(
    topicConfigValue('retention.ms', { 'retention.ms': '9223372036854775807' }, {}),
    Number.MAX_SAFE_INTEGER,
  );
  assert.deepEqual(
    [...readings('topic', 'retention.ms', own, cluster)],
    [
      { name: 'retention.ms', text: '1', source: 'topic' },
      { name: 'log.retention.ms', text: '2', source: 'cluster' },
      { name: 'log.retention.ms', text: '86400000', source: 'default' },
    ],
  );
  assert.deepEqual(topicConfigValue('cleanup.policy', { 'cleanup.policy': 'compact,delete' }, {}), [
    'compact',
    'delete',
  ]);
});

test('the size limit is that of the topic, else of the cluster, else undefined', () => {
  const own = { 'max.message.bytes': '10' };
  const cluster = { 'message.max.bytes': '20' };
  assert.equal(recordBytesMax(own, cluster), 10);
  assert.equal(recordBytesMax({}, cluster), 20);
  assert.equal(recordBytesMax({}, {}), undefined);
});

test('a read-only config has its default, whatever is stored', () => {
  assert.equal(clusterConfigValue('default.replication.factor', { 'default.replication.factor': '1' }), 3);
  assert.equal(clusterConfigValue('message.max.bytes', {}), undefined);
  assert.deepEqual(
    [...readings('cluster', 'default.replication.factor', { 'default.replication.factor': '1' }, {})],
    [{ name: 'default.replication.factor', text: '3', source: 'default' }],
  );
});

test('a value that an older release accepted and this one does not counts as not set', () => {
  assert.equal(clusterConfigValue('num.partitions', { 'num.partitions': 'many' }), 1);
  assert.equal(topicConfigValue('service.topic.type', { 'service.topic.type': 'fast' }, {}), 'classic');
});

test('a group uses its own value, else the value of the cluster, else the default', () => {
  const cluster = { 'group.consumer.session.timeout.ms': '30000' };
  const own = { 'consumer.session.timeout.ms': '20000' };
  assert.equal(groupConfigValue('consumer.session.timeout.ms', own, cluster), 20_000);
  assert.equal(groupConfigValue('consumer.session.timeout.ms', {}, cluster), 30_000);
  assert.equal(groupConfigValue('consumer.session.timeout.ms', {}, {}), 45_000);
  assert.equal(groupConfigValue('share.isolation.level', {}, {}), 'read_uncommitted');
});

test('of many unknown configs the first ones are named, and fewer are compared with those that there are', () => {
  const texts = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`retention.ms${index % 10}${index}`, '1']),
  );
  const { problems } = checkTopicConfigs(texts);
  const hinted = problems.filter(({ rule }) => rule.includes('did you mean retention.ms'));
  assert.deepEqual([problems.length, hinted.length], [10, 3]);
});
