import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigResourceKind } from '@weir/cluster';
import { Cluster } from '../testing/cluster.ts';
import { ClusterMachine } from './machine.ts';

type Row = [kind: ConfigResourceKind, name: string, configs: Record<string, string | null>];

function alter(cluster: Cluster, rows: readonly Row[], { validateOnly = false, replacesAll = false } = {}) {
  const resources = rows.map(([kind, name, configs]) => ({
    kind,
    name,
    replacesAll,
    changes: Object.entries(configs).map(([config, value]) => ({
      name: config,
      operation: value === null ? ('delete' as const) : ('set' as const),
      value,
    })),
  }));
  return cluster.execute({ kind: 'alterConfigs', resources, validateOnly });
}

const long = 'x'.repeat(1025);
const requests: [what: string, rows: Row[], answers: (string | RegExp)[]][] = [
  ['a topic', [['topic', 'a', { 'retention.ms': '5' }]], ['NONE']],
  ['an unknown topic', [['topic', 'z', { 'retention.ms': '5' }]], ['UNKNOWN_TOPIC_OR_PARTITION']],
  ['a mistake for an unknown topic', [['topic', 'z', { 'retention.ms': 'x' }]], ['INVALID_CONFIG']],
  ['the cluster', [['cluster', '', { 'num.partitions': '5' }]], ['NONE']],
  [
    'one valid and one invalid resource',
    [
      ['topic', 'a', { 'retention.ms': 'x' }],
      ['topic', 'b', { 'retention.ms': '5' }],
    ],
    ['INVALID_CONFIG', 'NONE'],
  ],
  [
    'changes of a resource apply all or none',
    [['topic', 'a', { 'retention.ms': '5', 'service.nothing': '1' }]],
    ['INVALID_CONFIG'],
  ],
  [
    'a duplicate resource',
    [
      ['topic', 'a', { 'retention.ms': '5' }],
      ['topic', 'b', { 'retention.ms': '5' }],
      ['topic', 'a', { 'retention.bytes': '5' }],
    ],
    ['INVALID_REQUEST', 'NONE', 'INVALID_REQUEST'],
  ],
  [
    'one name for two resource types',
    [
      ['topic', 'a', { 'retention.ms': '5' }],
      ['group', 'a', { 'consumer.session.timeout.ms': '9000' }],
      ['clientMetrics', 'a', { metrics: '*' }],
    ],
    ['NONE', 'NONE', 'NONE'],
  ],
  ['an empty group id', [['group', '', { 'share.auto.offset.reset': 'earliest' }]], ['INVALID_REQUEST']],
  [
    'a group id above the limit',
    [['group', long, { 'share.auto.offset.reset': 'earliest' }]],
    ['INVALID_REQUEST'],
  ],
];

for (const [what, rows, answers] of requests) {
  test(`configs: ${what}`, () => {
    const cluster = new Cluster();
    cluster.create('a');
    cluster.create('b');
    const before = cluster.saved();
    const tried = alter(cluster, rows, { validateOnly: true });
    assert.ok(cluster.saved().equals(before), 'validateOnly changes nothing');
    const results = alter(cluster, rows);
    assert.deepEqual(results, tried);
    assert.deepEqual(
      results.map(({ error }) => error),
      answers,
    );
    for (const [index, { error, message, configs }] of results.entries()) {
      assert.equal(message === null, error === 'NONE');
      if (error === 'NONE') assert.deepEqual(configs, rows[index]![2]);
    }
    assert.equal(cluster.saved().equals(before), !answers.includes('NONE'));
    assert.ok(Buffer.concat(cluster.replay().machine.save()).equals(cluster.saved()), 'M1');
    assert.ok(Buffer.concat(ClusterMachine.restore(cluster.saved()).save()).equals(cluster.saved()), 'M9');
  });
}

test('followers receive changed configs of topics, cluster and subscriptions, and no unchanged ones', () => {
  const cluster = new Cluster();
  cluster.create('a', 3);
  cluster.create('b');
  const from = cluster.journal.length;
  const rows: Row[] = [
    ['topic', 'a', { 'retention.ms': '5' }],
    ['topic', 'b', { 'retention.ms': null }],
    ['cluster', '', { 'num.partitions': '2' }],
    ['group', 'readers', { 'share.isolation.level': 'read_committed' }],
    ['clientMetrics', 'all', { metrics: '*' }],
  ];
  alter(cluster, rows);
  assert.equal(cluster.journal.length, from + 1, 'one entry');
  const topic = cluster.machine.topicByName('a')!;
  assert.deepEqual([topic.configs, topic.partitionCount], [{ 'retention.ms': '5' }, 3]);
  const published = [
    { kind: 'topic', topic },
    { kind: 'clusterConfigs', configs: { 'num.partitions': '2' } },
    { kind: 'record', namespace: 'clientMetrics', key: 'all', value: Buffer.from('{"metrics":"*"}') },
  ];
  assert.deepEqual(cluster.replay().changes.slice(2), published);
  alter(cluster, rows);
  assert.equal(cluster.journal.length, from + 1, 'a repeated change has no effect');
});

test('configs of groups can be read, and are gone when the last one is unset', () => {
  const cluster = new Cluster();
  const { machine } = cluster;
  alter(cluster, [['group', 'readers', { 'share.isolation.level': 'read_committed' }]]);
  const resource = { kind: 'group', name: 'readers' } as const;
  assert.deepEqual(machine.storedConfigs(resource), { 'share.isolation.level': 'read_committed' });
  assert.deepEqual(machine.storedConfigs({ kind: 'clientMetrics', name: 'readers' }), {});
  assert.deepEqual(machine.storedConfigNames('group'), ['readers']);
  alter(cluster, [['group', 'readers', { 'share.isolation.level': null }]]);
  assert.deepEqual([machine.storedConfigs(resource), machine.storedConfigNames('group')], [{}, []]);
  assert.equal(machine.stats().records, 0);
});

test('replacing all configs of a topic leaves only the named ones', () => {
  const cluster = new Cluster();
  cluster.create('a', 1, { 'retention.ms': '5', 'segment.ms': '6' });
  alter(cluster, [['topic', 'a', { 'segment.ms': '7' }]], { replacesAll: true });
  assert.deepEqual(cluster.machine.topicByName('a')!.configs, { 'segment.ms': '7' });
});

test('equal configs are equal bytes, whatever their history', () => {
  const direct = new Cluster();
  const detour = new Cluster();
  direct.create('a', 1, { 'retention.ms': '5', 'cleanup.policy': 'delete' });
  detour.create('a', 1, { 'cleanup.policy': 'delete', 'segment.ms': '6' });
  alter(detour, [['topic', 'a', { 'retention.ms': '5', 'segment.ms': null }]]);
  assert.ok(direct.saved().equals(detour.saved()));
});

test('groups with configs and subscriptions are limited by number', () => {
  const cluster = new Cluster({ groupConfigsMax: 2, clientMetricsMax: 1 });
  const group = (name: string): Row => ['group', name, { 'share.auto.offset.reset': 'earliest' }];
  const errors = (rows: Row[]) => alter(cluster, rows).map(({ error }) => error);
  assert.deepEqual(errors([group('1'), group('2'), group('3')]), [
    'POLICY_VIOLATION',
    'POLICY_VIOLATION',
    'POLICY_VIOLATION',
  ]);
  cluster.create('a');
  assert.deepEqual(errors([group('1'), group('2'), ['topic', 'a', { 'retention.ms': '5' }]]), [
    'NONE',
    'NONE',
    'NONE',
  ]);
  assert.deepEqual(errors([group('3'), ['topic', 'a', { 'retention.ms': '6' }]]), [
    'POLICY_VIOLATION',
    'NONE',
  ]);
  assert.deepEqual(errors([group('1')]), ['NONE'], 'existing groups can be changed');
  assert.deepEqual(errors([['clientMetrics', 'x', { metrics: '*' }]]), ['NONE']);
  assert.deepEqual(errors([['clientMetrics', 'y', { metrics: '*' }]]), ['POLICY_VIOLATION']);
});

test('a repeated request returns the first answer', () => {
  const cluster = new Cluster();
  cluster.create('a');
  const resources = [
    {
      kind: 'topic' as const,
      name: 'a',
      replacesAll: false,
      changes: [{ name: 'retention.ms', operation: 'set' as const, value: '5' }],
    },
  ];
  const command = { kind: 'alterConfigs', resources, validateOnly: false } as const;
  const first = cluster.request('client:1', command);
  alter(cluster, [['topic', 'a', { 'retention.ms': '6' }]]);
  assert.deepEqual(cluster.request('client:1', command), first);
  assert.deepEqual(cluster.machine.topicByName('a')!.configs, { 'retention.ms': '6' });
});
