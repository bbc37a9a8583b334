import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigTexts } from '@weir/cluster';
import { consumerRules } from './consumer/consumer-configs.ts';
import { GroupConfigs } from './group-configs.ts';
import { shareRules } from './share/share-configs.ts';

/** Stored configs, as the cluster machine holds them. */
class Stored {
  cluster: ConfigTexts = {};
  readonly groups = new Map<string, Buffer>();

  set(groupId: string, own: ConfigTexts): void {
    this.groups.set(groupId, Buffer.from(JSON.stringify(own)));
  }

  rulesOf<Rules>(compute: (own: ConfigTexts, cluster: ConfigTexts) => Rules): GroupConfigs<Rules> {
    const kv = { get: (_namespace: string, groupId: string) => this.groups.get(groupId) };
    return new GroupConfigs({ clusterConfigs: () => this.cluster, kv } as never, compute);
  }
}

test('rules of a group are computed once per change of its configs and of those of the cluster', () => {
  const stored = new Stored();
  const computed: string[] = [];
  const configs = stored.rulesOf((own, cluster) => {
    computed.push(`${own.a ?? '-'} ${cluster.b ?? '-'}`);
    return computed.length;
  });
  const rulesOf = (...groupIds: string[]) => groupIds.map((groupId) => configs.rules(groupId));
  stored.set('own', { a: '1' });
  assert.deepEqual(rulesOf('x', 'y', 'own', 'own'), [1, 1, 2, 2]);
  assert.equal(configs.usualRules(), 1);
  stored.set('own', { a: '2' });
  assert.deepEqual(rulesOf('x', 'own', 'own'), [1, 3, 3]);
  stored.cluster = { b: '1' };
  assert.deepEqual(rulesOf('own', 'x', 'own'), [5, 4, 5]);
  stored.groups.delete('own');
  assert.deepEqual(rulesOf('own'), [4]);
  assert.deepEqual(computed, ['- -', '1 -', '2 -', '- 1', '2 1']);
});

test('configs of a consumer group apply within the bounds of the cluster', () => {
  const stored = new Stored();
  const configs = stored.rulesOf(consumerRules);
  stored.cluster = {
    'group.consumer.session.timeout.ms': '50000',
    'group.consumer.min.session.timeout.ms': '45000',
    'group.consumer.max.session.timeout.ms': '60000',
  };
  const sessionTimeoutMs = (own: string | undefined) => {
    stored.set('g', own === undefined ? {} : { 'consumer.session.timeout.ms': own });
    return configs.rules('g').sessionTimeoutMs;
  };
  assert.deepEqual(
    [undefined, '1000', '46000', '90000'].map(sessionTimeoutMs),
    [50_000, 45_000, 46_000, 60_000],
  );
  assert.equal(configs.usualRules().sessionTimeoutMs, 50_000);
});

for (const [type, rules] of [
  ['consumer', consumerRules],
  ['share', shareRules],
] as const) {
  test(`the assignment interval of a ${type} group applies within the bounds of the cluster`, () => {
    const stored = new Stored();
    const configs = stored.rulesOf<{ readonly assignmentIntervalMs: number }>(rules);
    const intervalMs = (own: string | undefined) => {
      stored.set('g', own === undefined ? {} : { [`${type}.assignment.interval.ms`]: own });
      return configs.rules('g').assignmentIntervalMs;
    };
    assert.deepEqual([undefined, '0', '90000'].map(intervalMs), [1_000, 0, 15_000]);
    stored.cluster = {
      [`group.${type}.assignment.interval.ms`]: '0',
      [`group.${type}.min.assignment.interval.ms`]: '100',
    };
    assert.deepEqual([undefined, '50', '200'].map(intervalMs), [0, 100, 200]);
  });
}
