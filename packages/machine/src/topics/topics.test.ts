import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type PartitionsToCreate,
  replicationFactorOf,
  type TopicError,
  type TopicReference,
  type TopicToCreate,
} from '@weir/cluster';
import { Cluster } from '../../testing/cluster.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { MalformedCommand } from '../command.ts';
import { entryKind } from '../entry-kind.ts';
import { ClusterMachine } from '../machine.ts';
import { writeTopicsCreated } from './topic-entries.ts';

/** `name:partitions`. */
function toCreate(text: string): TopicToCreate[] {
  return text.split(' ').map((one) => {
    const [name = '', count = '1'] = one.split(':');
    return { name, partitionCount: Number(count), configs: {} };
  });
}

function create(cluster: Cluster, topics: readonly TopicToCreate[], validateOnly = false) {
  const topicIds = topics.map((_, index) => `fresh-${index}`);
  return cluster.execute({ kind: 'createTopics', topics, topicIds, validateOnly });
}

const creations: [what: string, topics: string, errors: TopicError[]][] = [
  ['topics of different names', 'a:1 b:2', ['NONE', 'NONE']],
  ['the default number of partitions', 'a:-1', ['NONE']],
  ['no partitions', 'a:0 b:-2 c:1.5', ['INVALID_PARTITIONS', 'INVALID_PARTITIONS', 'INVALID_PARTITIONS']],
  ['more partitions than a topic may have', 'a:7', ['INVALID_PARTITIONS']],
  ['more partitions than the cluster may have', 'a:6 b:6', ['NONE', 'POLICY_VIOLATION']],
  ['a refused topic that does not count against the limit', 'a:7 b:6', ['INVALID_PARTITIONS', 'NONE']],
  ['an existing topic', 'there:1', ['TOPIC_ALREADY_EXISTS']],
  [
    'a topic whose name collides with an existing one',
    'the.re:1 the_re:1',
    ['NONE', 'INVALID_TOPIC_EXCEPTION'],
  ],
  ['invalid names', '..:1 a,b:1', ['INVALID_TOPIC_EXCEPTION', 'INVALID_TOPIC_EXCEPTION']],
  ['a duplicate name', 'a:1 b:1 a:2', ['INVALID_REQUEST', 'NONE', 'INVALID_REQUEST']],
];

for (const [what, topics, errors] of creations) {
  test(`creating ${what}`, () => {
    const cluster = new Cluster({ partitionsPerTopicMax: 6, partitionsPerClusterMax: 10 });
    cluster.create('there');
    const before = cluster.saved();
    const tried = create(cluster, toCreate(topics), true);
    assert.ok(cluster.saved().equals(before), 'validateOnly changes nothing');
    const results = create(cluster, toCreate(topics));
    assert.deepEqual(
      results.map(({ error }) => error),
      errors,
    );
    assert.deepEqual(tried, results);
    for (const { error, topic, message } of results) {
      assert.deepEqual(
        [topic === undefined, message === null],
        error === 'NONE' ? [false, true] : [true, false],
      );
    }
  });
}

test('a created topic has exactly what was requested', () => {
  const cluster = new Cluster();
  const configs = { 'retention.ms': '5' };
  const [result] = create(cluster, [{ name: 'a', partitionCount: 2, configs }]);
  const topic = {
    topicId: 'fresh-0',
    name: 'a',
    partitionCount: 2,
    configs: { 'retention.ms': '5' },
    createdMs: cluster.nowMs,
  };
  assert.deepEqual(result, { error: 'NONE', message: null, topic });
  assert.deepEqual(cluster.machine.topicByName('a'), topic);
  assert.deepEqual(cluster.machine.topicById('fresh-0'), topic);
  assert.deepEqual(cluster.replay().changes, [{ kind: 'topic', topic }]);
});

test('unknown configs in an old journal are retained and can be unset', () => {
  const writer = new ByteWriter();
  writer.u8(entryKind.topicsCreated);
  writer.varint(1000);
  const configs = { 'retention.ms': '5', 'some.plugin': '1' };
  writeTopicsCreated(writer, [{ topicId: 'a', name: 'a', partitionCount: 1, configs, createdMs: 1000 }]);
  const cluster = new Cluster();
  cluster.machine.apply(writer.take());
  assert.deepEqual(cluster.machine.topicByName('a')!.configs, configs);
  const changes = [{ name: 'some.plugin', operation: 'delete' as const, value: null }];
  const resources = [{ kind: 'topic' as const, name: 'a', replacesAll: false, changes }];
  cluster.execute({ kind: 'alterConfigs', resources, validateOnly: false });
  assert.deepEqual(cluster.machine.topicByName('a')!.configs, { 'retention.ms': '5' });
});

test('the replication factor is as requested, and survives growth, a snapshot and a restore', () => {
  const cluster = new Cluster();
  const topic = (name: string, replicationFactor?: number) => ({
    name,
    partitionCount: 1,
    replicationFactor,
    configs: {},
  });
  const requested = [
    topic('none'),
    topic('default', -1),
    topic('usual', 3),
    topic('one', 1),
    topic('many', 32_767),
  ];
  assert.ok(create(cluster, requested).every(({ error }) => error === 'NONE'));
  const bad = create(new Cluster(), [
    topic('zero', 0),
    topic('negative', -2),
    topic('half', 1.5),
    topic('huge', 32_768),
  ]);
  assert.ok(bad.every(({ error }) => error === 'INVALID_REPLICATION_FACTOR'));
  const one = [{ name: 'one', partitionCount: 4 }];
  cluster.execute({ kind: 'createPartitions', topics: one, validateOnly: false });
  const { topicId } = cluster.machine.topicByName('one')!;
  cluster.delete('one');
  const machines = [ClusterMachine.restore(cluster.saved()), cluster.replay().machine, cluster.machine];
  for (const machine of machines) {
    machine.execute({ kind: 'restoreTopics', topicIds: [topicId] }, cluster.nowMs);
    assert.deepEqual(
      ['none', 'default', 'usual', 'one', 'many'].map((name) =>
        replicationFactorOf(machine.topicByName(name)!),
      ),
      [3, 3, 3, 1, 32_767],
    );
  }
});

test('an invalid config is reported with its rule', () => {
  const [result] = create(new Cluster(), [
    {
      name: 'a',
      partitionCount: 1,
      configs: { 'service.nothing': '1', 'retention.ms': 'x', 'retention.mss': '5' },
    },
  ]);
  assert.equal(result!.error, 'INVALID_CONFIG');
  assert.match(result!.message!, /service\.nothing=1: unknown topic config/);
  assert.match(result!.message!, /retention\.ms=x: must be a whole number/);
  assert.match(result!.message!, /retention\.mss=5: unknown topic config; did you mean retention\.ms\?/);
});

test('the default number of partitions is a config of the cluster', () => {
  const cluster = new Cluster();
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'num.partitions': '4' } });
  create(cluster, toCreate('a:-1'));
  assert.equal(cluster.machine.topicByName('a')!.partitionCount, 4);
});

test('missing, empty, used or repeated ids are a mistake of the caller', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.delete('a');
  const before = cluster.saved();
  for (const topicIds of [['x'], ['x', ''], ['x', 'x'], ['x', 'a']]) {
    const topics = toCreate('b:1 c:1');
    assert.throws(
      () => cluster.execute({ kind: 'createTopics', topics, topicIds, validateOnly: false }),
      MalformedCommand,
    );
  }
  assert.ok(cluster.saved().equals(before));
});

const deletions: [what: string, topics: TopicReference[], errors: TopicError[]][] = [
  ['by name', [{ name: 'a' }], ['NONE']],
  ['by id', [{ topicId: 'a' }], ['NONE']],
  ['by name and id', [{ topicId: 'a', name: 'a' }], ['NONE']],
  ['by a name and the id of another topic', [{ topicId: 'a', name: 'b' }], ['INVALID_REQUEST']],
  ['by nothing', [{}], ['INVALID_REQUEST']],
  ['an unknown name', [{ name: 'z' }], ['UNKNOWN_TOPIC_OR_PARTITION']],
  ['an unknown id', [{ topicId: 'z' }], ['UNKNOWN_TOPIC_ID']],
  [
    'the same topic twice',
    [{ name: 'a' }, { topicId: 'a' }, { name: 'b' }],
    ['INVALID_REQUEST', 'INVALID_REQUEST', 'NONE'],
  ],
  ['a protected topic', [{ name: 'kept' }, { name: 'a' }], ['TOPIC_DELETION_DISABLED', 'NONE']],
];

for (const [what, topics, errors] of deletions) {
  test(`deleting ${what}`, () => {
    const cluster = new Cluster();
    cluster.create('a');
    cluster.create('b');
    cluster.create('kept', 1, { 'service.deletion.protection.enabled': 'true' });
    const results = cluster.execute({ kind: 'deleteTopics', topics });
    assert.deepEqual(
      results.map(({ error }) => error),
      errors,
    );
    for (const name of ['a', 'b', 'kept']) {
      const isDeleted = topics.some(
        (topic, index) => errors[index] === 'NONE' && (topic.name ?? topic.topicId) === name,
      );
      assert.equal(cluster.machine.topicByName(name) === undefined, isDeleted, name);
    }
  });
}

test('a cluster can forbid deletion', () => {
  const cluster = new Cluster();
  cluster.create('a');
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'delete.topic.enable': 'false' } });
  assert.equal(cluster.delete('a'), 'TOPIC_DELETION_DISABLED');
  cluster.execute({ kind: 'alterClusterConfigs', configs: { 'delete.topic.enable': null } });
  assert.equal(cluster.delete('a'), 'NONE');
});

test('the name of a deleted topic is free at once, and the new topic starts empty', () => {
  const cluster = new Cluster();
  cluster.create('a.b', 2);
  cluster.commit({ topicId: 'a.b', records: 5 });
  cluster.delete('a.b');
  const topics = [{ name: 'a_b', partitionCount: 1, configs: {} }];
  const [result] = cluster.execute({
    kind: 'createTopics',
    topics,
    topicIds: ['second'],
    validateOnly: false,
  });
  assert.equal(result!.error, 'NONE');
  const { nextOffset } = cluster.machine.snapshotForFollowers();
  assert.deepEqual([...nextOffset], [0]);
  assert.deepEqual(cluster.commit({ topicId: 'a.b' }, { topicId: 'second' }), ['error 2', 0]);
  assert.deepEqual(cluster.replay().changes.at(-3), { kind: 'topicDeleted', topicId: 'a.b', name: 'a.b' });
});

const day = 86_400_000;

const restorations: [what: string, happened: (cluster: Cluster) => void, error: TopicError][] = [
  ['before its time to live ends', (cluster) => (cluster.nowMs += day - 1), 'NONE'],
  ['after its time to live', (cluster) => (cluster.nowMs += day), 'UNKNOWN_TOPIC_ID'],
  [
    'after its time to live was lowered',
    (cluster) => {
      cluster.nowMs += 11;
      const configs = { 'service.soft.delete.topic.ttl.ms': '10' };
      cluster.execute({ kind: 'alterClusterConfigs', configs });
    },
    'UNKNOWN_TOPIC_ID',
  ],
  ['when another topic has its name', (cluster) => reuse(cluster, 'a.b'), 'TOPIC_ALREADY_EXISTS'],
  [
    'when the name of another topic collides with it',
    (cluster) => reuse(cluster, 'a_b'),
    'INVALID_TOPIC_EXCEPTION',
  ],
  ['when the partition limit is reached', (cluster) => reuse(cluster, 'c', 4), 'POLICY_VIOLATION'],
  [
    'when it is already restored',
    (cluster) => cluster.execute({ kind: 'restoreTopics', topicIds: ['a.b'] }),
    'UNKNOWN_TOPIC_ID',
  ],
];

function reuse(cluster: Cluster, name: string, partitionCount = 1): void {
  const topics = [{ name, partitionCount, configs: {} }];
  cluster.execute({ kind: 'createTopics', topics, topicIds: ['second'], validateOnly: false });
}

for (const [what, happened, error] of restorations) {
  test(`restoring a topic ${what}: ${error}`, () => {
    const cluster = new Cluster({ partitionsPerClusterMax: 5 });
    cluster.create('kept');
    cluster.create('a.b', 2, { 'retention.ms': '5' });
    const before = cluster.machine.topicByName('a.b');
    cluster.delete('a.b');
    happened(cluster);
    const [result] = cluster.execute({ kind: 'restoreTopics', topicIds: ['a.b'] });
    assert.equal(result!.error, error);
    if (error === 'NONE') assert.deepEqual(cluster.machine.topicByName('a.b'), before);
    assert.equal(result!.message === null, error === 'NONE');
    assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
  });
}

test('a restored topic has its records, its producers and the offsets of its groups', () => {
  const cluster = new Cluster();
  cluster.create('a', 2);
  cluster.create('b');
  cluster.commit({ topicId: 'a', records: 5, producerId: 1, sequence: 0 });
  const offsets = [{ topicId: 'a', partition: 0, offset: 3, leaderEpoch: -1, metadata: '' }];
  const groups = [
    {
      groupId: 'g',
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionMs: -1,
      offsets,
    },
  ];
  cluster.execute({ kind: 'commitOffsets', groups });
  const committed = () =>
    cluster.machine
      .fetchOffsets({ groupId: 'g', requireStable: false, partitions: null })
      .map(({ offset }) => offset);
  cluster.nowMs += 7;
  cluster.delete('a');
  assert.deepEqual(committed(), []);
  assert.deepEqual(
    cluster.machine.deletedTopics(cluster.nowMs).map(({ topic, deletedMs, restorableUntilMs }) => {
      return { name: topic.name, deletedMs, restorableUntilMs };
    }),
    [{ name: 'a', deletedMs: cluster.nowMs, restorableUntilMs: cluster.nowMs + day }],
  );
  cluster.execute({ kind: 'restoreTopics', topicIds: ['a'] });
  assert.deepEqual(cluster.machine.deletedTopics(cluster.nowMs), []);
  assert.deepEqual([...cluster.machine.topicNames()], ['a', 'b']);
  assert.deepEqual(committed(), [3]);
  assert.deepEqual(cluster.commit({ topicId: 'a', producerId: 1, sequence: 5 }), [5]);
  cluster.nowMs += 2 * day;
  assert.equal(cluster.execute({ kind: 'purge' }).topics, 0);
});

test('a topic that is removed leaves nothing to restore', () => {
  const cluster = new Cluster();
  cluster.create('kept');
  const before = cluster.machine.stats();
  cluster.create('a', 2);
  cluster.commit({ topicId: 'a', producerId: 1, sequence: 0 }, { topicId: 'a', partition: 1 });
  const [result] = cluster.execute({ kind: 'removeTopics', topics: [{ name: 'a' }] });
  assert.equal(result!.error, 'NONE');
  const after = { ...cluster.machine.stats(), recentFiles: 0 };
  assert.deepEqual(after, { ...before, recentFiles: 0, deadFiles: 1 });
  assert.equal(cluster.execute({ kind: 'restoreTopics', topicIds: ['a'] })[0]!.error, 'UNKNOWN_TOPIC_ID');
  assert.deepEqual(cluster.replay().changes.at(-1), { kind: 'topicDeleted', topicId: 'a', name: 'a' });
  assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()));
});

test('deleted topics count against the limit until they are removed', () => {
  const cluster = new Cluster({ partitionsPerClusterMax: 4, partitionsHeldMax: 6 });
  const createFresh = (id: string, partitionCount: number) => {
    const topics = [{ name: 'a', partitionCount, configs: {} }];
    return cluster.execute({ kind: 'createTopics', topics, topicIds: [id], validateOnly: false })[0]!;
  };
  createFresh('1', 4);
  cluster.delete('a');
  assert.equal(createFresh('2', 2).error, 'NONE');
  cluster.delete('a');
  const refused = createFresh('3', 1);
  assert.equal(refused.error, 'POLICY_VIOLATION');
  assert.match(refused.message!, /service\.soft\.delete\.topic\.ttl\.ms/);
  cluster.nowMs += 86_400_000;
  cluster.execute({ kind: 'purge' });
  assert.equal(createFresh('3', 4).error, 'NONE');
});

const growths: [what: string, topics: PartitionsToCreate[], errors: TopicError[]][] = [
  ['more', [{ name: 'a', partitionCount: 3 }], ['NONE']],
  ['as many as before', [{ name: 'a', partitionCount: 2 }], ['INVALID_PARTITIONS']],
  ['fewer', [{ name: 'a', partitionCount: 1 }], ['INVALID_PARTITIONS']],
  ['a fraction', [{ name: 'a', partitionCount: 2.5 }], ['INVALID_PARTITIONS']],
  ['too many for a topic', [{ name: 'a', partitionCount: 7 }], ['INVALID_PARTITIONS']],
  [
    'too many for the cluster',
    [
      { name: 'a', partitionCount: 6 },
      { name: 'b', partitionCount: 3 },
    ],
    ['NONE', 'POLICY_VIOLATION'],
  ],
  ['for an unknown topic', [{ name: 'z', partitionCount: 3 }], ['UNKNOWN_TOPIC_OR_PARTITION']],
  [
    'twice',
    [
      { name: 'a', partitionCount: 3 },
      { name: 'a', partitionCount: 4 },
    ],
    ['INVALID_REQUEST', 'INVALID_REQUEST'],
  ],
];

for (const [what, topics, errors] of growths) {
  test(`partitions: ${what}`, () => {
    const cluster = new Cluster({ partitionsPerTopicMax: 6, partitionsPerClusterMax: 8 });
    cluster.create('a', 2);
    cluster.create('b', 2);
    const before = cluster.saved();
    const tried = cluster.execute({ kind: 'createPartitions', topics, validateOnly: true });
    assert.ok(cluster.saved().equals(before));
    const results = cluster.execute({ kind: 'createPartitions', topics, validateOnly: false });
    assert.deepEqual(tried, results);
    assert.deepEqual(
      results.map(({ error }) => error),
      errors,
    );
    for (const { topic } of results) {
      if (topic !== undefined) assert.deepEqual(cluster.machine.topicByName(topic.name), topic);
    }
  });
}

test('new partitions start empty and existing ones do not change', () => {
  const cluster = new Cluster();
  cluster.create('a', 1);
  cluster.commit({ topicId: 'a', records: 3 });
  const topics = [{ name: 'a', partitionCount: 3 }];
  cluster.execute({ kind: 'createPartitions', topics, validateOnly: false });
  assert.deepEqual([...cluster.machine.snapshotForFollowers().nextOffset], [3, 0, 0]);
  assert.deepEqual(cluster.commit({ topicId: 'a', partition: 2 }, { topicId: 'a' }), [0, 3]);
});
