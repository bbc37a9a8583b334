import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RetentionEstimateRequest } from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';

type Texts = Record<string, string>;

/** What topics lose, as `name: records, bytes`. */
type Losses = Record<string, { records: number; bytes: number }>;

function counted(cluster: Cluster, request: RetentionEstimateRequest): { losses: Losses; calls: number } {
  const losses: Losses = {};
  let from = { topicNumber: 0, partition: 0, offset: 0, bytesBefore: 0 };
  for (let calls = 1; ; calls++) {
    const { topics, next } = cluster.machine.estimateRetention(request, from, cluster.nowMs);
    for (const { name, records, bytes } of topics) {
      const before = losses[name] ?? { records: 0, bytes: 0 };
      losses[name] = { records: before.records + records, bytes: before.bytes + bytes };
    }
    if (next === null) return { losses, calls };
    from = next;
  }
}

/** Records and bytes of each topic. */
function contents(machine: ClusterMachine, topics: readonly string[]): Losses {
  const { partitionCount, byteCount } = machine.logSizes(topics);
  let row = 0;
  return Object.fromEntries(
    topics.map((name, index) => {
      let records = 0;
      let bytes = 0;
      for (let partition = 0; partition < partitionCount[index]!; partition++) {
        bytes += byteCount[row++]!;
        const ask = { topicId: name, partition, offset: 1e15, bytesMax: 1 };
        const { logStartOffset, nextOffset } = machine.findBatches([ask])[0]!;
        records += nextOffset - logStartOffset;
      }
      return [name, { records, bytes }];
    }),
  );
}

/** What retention deletes from a copy of the cluster. */
function deleted(
  cluster: Cluster,
  topics: readonly string[],
  change?: () => readonly [Texts, string | null],
) {
  const copy = new Cluster();
  copy.machine = ClusterMachine.restore(cluster.saved());
  copy.nowMs = cluster.nowMs;
  if (change !== undefined) {
    const [configs, topic] = change();
    const changes = Object.entries(configs).map(
      ([name, value]) => ({ name, operation: 'set', value }) as const,
    );
    const resource = {
      kind: topic === null ? 'cluster' : 'topic',
      name: topic ?? '',
      replacesAll: false,
      changes,
    } as const;
    const [result] = copy.execute({ kind: 'alterConfigs', resources: [resource], validateOnly: false });
    assert.equal(result!.error, 'NONE', result!.message ?? '');
  }
  const before = contents(copy.machine, topics);
  let from = { topicNumber: 0, partition: 0 };
  for (;;) {
    const { next } = copy.execute({ kind: 'applyRetention', from });
    if (next === null) break;
    from = next;
  }
  const after = contents(copy.machine, topics);
  return minus(before, after);
}

/** Topics that lose nothing are left out. */
function minus(before: Losses, after: Losses): Losses {
  return Object.fromEntries(
    Object.entries(before).flatMap(([name, { records, bytes }]) => {
      const lost = {
        records: records - (after[name]?.records ?? 0),
        bytes: bytes - (after[name]?.bytes ?? 0),
      };
      return lost.records === 0 ? [] : [[name, lost]];
    }),
  );
}

const hour = 3_600_000;
const nowMs = 1_000 * hour;

/** Ten records of 100 bytes for every hour of the last ten, in the first partition. */
function filled(configs: Texts = {}, limits = {}): Cluster {
  const cluster = new Cluster(limits);
  cluster.nowMs = nowMs;
  cluster.create('a', 2, configs);
  cluster.create('b', 1, { 'retention.ms': '-1' });
  cluster.create('c', 1);
  for (const topicId of ['a', 'b', 'c'])
    for (let age = 10; age > 0; age--)
      cluster.commit({ topicId, records: 10, bytes: 100, timestampMs: nowMs - age * hour + 1 });
  return cluster;
}

const cases: [
  what: string,
  before: Texts,
  topic: 'a' | null,
  after: Texts,
  losses: Record<string, [records: number, bytes: number]>,
][] = [
  ['a shorter time', {}, 'a', { 'retention.ms': String(4 * hour) }, { a: [60, 600] }],
  ['a longer time', { 'retention.ms': String(4 * hour) }, 'a', { 'retention.ms': String(11 * hour) }, {}],
  ['a time that keeps all', {}, 'a', { 'retention.ms': String(20 * hour) }, {}],
  ['a smaller size', {}, 'a', { 'retention.bytes': '250' }, { a: [70, 700] }],
  ['nothing is to stay', {}, 'a', { 'retention.ms': '0' }, { a: [100, 1000] }],
  ['another config', {}, 'a', { 'segment.ms': '5' }, {}],
  [
    'delete as a second policy',
    { 'cleanup.policy': 'compact', 'retention.ms': String(8 * hour) },
    'a',
    { 'cleanup.policy': 'compact,delete', 'retention.ms': String(8 * hour) },
    { a: [20, 200] },
  ],
  [
    'retention of the cluster, which two topics inherit',
    {},
    null,
    { 'log.retention.ms': String(7 * hour) },
    { a: [30, 300], c: [30, 300] },
  ],
  [
    'retention of the cluster, where one topic has its own',
    { 'retention.ms': String(20 * hour) },
    null,
    { 'log.retention.ms': String(7 * hour) },
    { c: [30, 300] },
  ],
];

for (const [what, before, topic, after, losses] of cases) {
  test(`what a change of retention deletes: ${what}`, () => {
    const cluster = filled(before, { retentionPartitionsPerCallMax: 2, retentionPointersPerCallMax: 3 });
    const { losses: found } = counted(cluster, { topicId: topic, configs: after, rules: 'altered' });
    assert.deepEqual(
      Object.fromEntries(Object.entries(found).map(([name, { records, bytes }]) => [name, [records, bytes]])),
      losses,
    );
    assert.deepEqual(
      deleted(cluster, ['a', 'b', 'c'], () => [after, topic]),
      found,
    );
  });
}

test('a call counts a limited number of pointers', () => {
  const cluster = filled({}, { retentionPointersPerCallMax: 3 });
  const request = { topicId: 'a', configs: { 'retention.ms': '0' }, rules: 'altered' } as const;
  assert.ok(counted(cluster, request).calls >= 4);
  assert.deepEqual(counted(cluster, { ...request, topicId: 'none' }), { losses: {}, calls: 1 });
});

test('records of a deleted topic are not counted', () => {
  const cluster = filled();
  cluster.delete('c');
  const request = { topicId: null, configs: { 'log.retention.ms': '0' }, rules: 'altered' } as const;
  assert.deepEqual(Object.keys(counted(cluster, request).losses), ['a']);
});

test('the difference of both counts is what retention deletes because of the change', () => {
  const write = fc.record({
    topicId: fc.constantFrom('a', 'b'),
    partition: fc.nat(1),
    records: fc.integer({ min: 1, max: 5 }),
    bytes: fc.integer({ min: 1, max: 50 }),
    timestampMs: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 100 })),
  });
  const configs = fc.record({
    ms: fc.integer({ min: -1, max: 110 }),
    bytes: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 200 })),
  });
  const perCall = fc.constantFrom(1, 31);
  fc.assert(
    fc.property(
      fc.array(write, { maxLength: 30 }),
      configs,
      configs,
      fc.boolean(),
      perCall,
      fc.nat(20),
      (writes, before, after, ofCluster, pointers, cut) => {
        const cluster = new Cluster({
          retentionPointersPerCallMax: pointers,
          retentionPartitionsPerCallMax: 1,
        });
        cluster.nowMs = 100;
        const texts = ({ ms, bytes }: typeof before, prefix = '') => ({
          [`${prefix}retention.ms`]: String(ms),
          [`${prefix}retention.bytes`]: String(bytes),
        });
        cluster.create('a', 2, ofCluster ? {} : texts(before));
        cluster.create('b', 2, ofCluster ? { 'retention.ms': '50' } : {});
        for (const one of writes) cluster.commit(one);
        const partitions = [{ topicId: 'a', partition: 0, offset: cut }];
        cluster.execute({ kind: 'deleteRecords', partitions });
        const prefix = ofCluster ? 'log.' : '';
        const altered = texts(after, prefix);
        const request = { topicId: ofCluster ? null : 'a', configs: altered };
        const present = counted(cluster, { ...request, rules: 'present' }).losses;
        const then = counted(cluster, { ...request, rules: 'altered' }).losses;
        const names = ['a', 'b'];
        const without = deleted(cluster, names);
        const withChange = deleted(cluster, names, () => [altered, ofCluster ? null : 'a']);
        for (const name of names) {
          const zero = { records: 0, bytes: 0 };
          const estimate = (then[name] ?? zero).records - (present[name] ?? zero).records;
          const bytes = (then[name] ?? zero).bytes - (present[name] ?? zero).bytes;
          // One call for a single pointer does not get past records without a timestamp.
          if (pointers === 1 && writes.some(({ timestampMs }) => timestampMs < 0)) continue;
          assert.equal(estimate, (withChange[name] ?? zero).records - (without[name] ?? zero).records);
          assert.equal(bytes, (withChange[name] ?? zero).bytes - (without[name] ?? zero).bytes);
        }
      },
    ),
  );
});
