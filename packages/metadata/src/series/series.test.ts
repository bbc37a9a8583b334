import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SeriesMetricName, seriesShortStepMs } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { metadataLimits } from '../limits.ts';
import { ClusterSampler, type LastTraffic } from './cluster-sampler.ts';
import { Ring } from './ring.ts';
import { SeriesBudget, SeriesStore } from './series-store.ts';

test('a ring has the last hour in short steps and the last day in long ones', () => {
  const first = 6_000;
  const ring = new Ring('mean', first);
  for (let step = first; step < first + 720; step++) ring.put(step, step);
  assert.equal(ring.short(first + 719), first + 719);
  assert.equal(ring.short(first + 360), first + 360);
  assert.ok(Number.isNaN(ring.short(first + 359)), 'an hour ago');
  assert.equal(ring.long(first / 6), first + 2.5, 'the mean of six');
  ring.put(first + 725, 1);
  assert.ok(Number.isNaN(ring.short(first + 724)), 'a step without a sample is a gap');
  ring.put(first + 725 + 8_640, 2);
  assert.ok(Number.isNaN(ring.long(first / 6)), 'older than a day');
  assert.ok(Number.isNaN(ring.long(Math.floor((first + 725) / 6) + 3)), 'nothing was sampled in between');
});

test('a step that is longer has the mean of a rate, and the largest of a latency', () => {
  for (const [merge, expected] of [
    ['mean', 2],
    ['max', 3],
  ] as const) {
    const ring = new Ring(merge, 60);
    for (const value of [1, 2, 3]) ring.put(59 + value, value);
    const stepMs = 3 * seriesShortStepMs;
    const read = ring.read(60 * seriesShortStepMs, stepMs, 2);
    assert.equal(read[0], expected);
    assert.ok(Number.isNaN(read[1]));
    assert.equal(ring.long(10), expected);
  }
});

test('series differ by metric and by tags, however their names could be read', () => {
  const store = new SeriesStore(new SeriesBudget(99));
  const series = [
    { metric: 'lag', tags: { group: 'ab', topic: 'c' } },
    { metric: 'lag', tags: { group: 'a', topic: 'bc' } },
    { metric: 'lag', tags: { group: 'abc' } },
    { metric: 'lag', tags: { group: 'abc', topic: '' } },
    { metric: 'lag', tags: { topic: 'abc' } },
    { metric: 'lag', tags: { group: '1 abc' } },
    { metric: 'stored_bytes', tags: { topic: 'abc' } },
    { metric: 'lag', tags: {} },
  ] as const;
  for (const step of [100, 101]) for (const { metric, tags } of series) store.put(metric, tags, step, 1);
  assert.equal(store.size, series.length);
});

test('series beyond the limit wait until others end', () => {
  const budget = new SeriesBudget(3);
  const store = new SeriesStore(budget, 2);
  for (const group of ['a', 'b', 'c']) store.put('lag', { group }, 100, 1);
  assert.equal(store.size, 2);
  store.put('lag', { group: 'a' }, 120, 1);
  store.put('lag', { group: 'c' }, 120, 1);
  const query = { metrics: ['lag'], fromMs: 1_200_000, stepMs: 10_000, count: 1, groupBy: 'group' } as const;
  const names = store.read({ ...query, tags: {}, seriesMax: 9 }).series.map(({ tags }) => tags.group);
  assert.deepEqual(names.sort(), ['a', 'c'], 'b had ended');
  const other = new SeriesStore(budget, 2);
  for (const group of ['d', 'e']) other.put('lag', { group }, 120, 1);
  assert.equal(other.size, 1, 'the process has a limit too');
  store.close();
  other.put('lag', { group: 'e' }, 121, 1);
  assert.equal(other.size, 2);
});

interface FakeOffset {
  readonly end: number;
  readonly committed: number;
}

/** A cluster of one topic per group, of one partition each. */
function stage(
  groups: Map<string, FakeOffset>,
  empty: ReadonlySet<string> = new Set(),
  { isLarge = false }: { readonly isLarge?: boolean } = {},
) {
  const clock = new HandClock(60_000_000);
  const traffic = new Map<string, LastTraffic>();
  const instances: ReturnType<ConstructorParameters<typeof ClusterSampler>[0]['instances']>[number][] = [];
  const numberOf = (groupId: string) => [...groups.keys()].indexOf(groupId);
  const progress = (groupId: string) => {
    const found = groups.get(groupId)!;
    const { end, committed } = found;
    const number = numberOf(groupId);
    return [{ number, name: `t-${groupId}`, partitionCount: 1, end, committed, lag: end - committed }];
  };
  const sampler = new ClusterSampler({
    machine: {
      offsets: {
        groupIds: () => groups.keys(),
        hasGroup: (groupId: string) => groups.has(groupId),
      } as never,
      groupProgress: progress,
      *topicGrowth() {
        for (const groupId of groups.keys()) {
          // So many partitions that a turn is over.
          if (isLarge) yield undefined;
          const { committed: _committed, lag: _lag, ...topic } = progress(groupId)[0]!;
          // Batches of 100 bytes, of which retention leaves the last 50.
          const appendedByteCount = topic.end * 100;
          yield { ...topic, appendedByteCount, byteCount: Math.min(appendedByteCount, 5_000) };
        }
      },
    },
    agents: {
      list: () => [...traffic.keys()].map((agentId) => ({ agentId })),
      cpuLoadOf: () => 0.5,
      lastTraffic: (agentId) => traffic.get(agentId),
    },
    groups: { isWithoutMembers: (groupId) => empty.has(groupId) },
    instances: () => instances,
    budget: new SeriesBudget(),
    clock,
  });
  const tick = () => {
    clock.advance(seriesShortStepMs);
    sampler.sample();
  };
  const lastOf = (metric: SeriesMetricName, tags = {}) => {
    const fromMs = Math.floor(clock.nowMs() / seriesShortStepMs) * seriesShortStepMs;
    const query = { metrics: [metric], fromMs, stepMs: seriesShortStepMs, count: 1, groupBy: null };
    const [found] = sampler.read({ ...query, tags, seriesMax: 1 }).series;
    return found?.values[0];
  };
  return { clock, traffic, instances, sampler, tick, lastOf };
}

test('a pipeline has what its instances read and write, together', () => {
  const { instances, tick, lastOf } = stage(new Map());
  const rates = { messagesPerSecond: 2, bytesPerSecond: 20 };
  instances.push(
    { pipelineId: 'pi_1', ...rates, receivedMessagesPerSecond: 3, receivedBytesPerSecond: 30 },
    { pipelineId: 'pi_1', ...rates },
    { pipelineId: 'pi_2', messagesPerSecond: 7 },
  );
  tick();
  const of = (pipeline: string) => [
    lastOf('in_records_per_second', { pipeline }),
    lastOf('in_bytes_per_second', { pipeline }),
    lastOf('out_records_per_second', { pipeline }),
    lastOf('out_bytes_per_second', { pipeline }),
  ];
  assert.deepEqual(of('pi_1'), [3, 30, 4, 40]);
  assert.deepEqual(of('pi_2'), [0, 0, 7, 0]);
  assert.equal(lastOf('out_records_per_second', { pipeline: 'pi_3' }), undefined);
});

test('topics of a large cluster are sampled in parts, between which other work runs', () => {
  const groups = new Map<string, FakeOffset>(
    ['a', 'b', 'c'].map((name) => [name, { end: 100, committed: 0 }]),
  );
  const { clock, sampler, tick, lastOf } = stage(groups, new Set(), { isLarge: true });
  const finish = () => {
    for (let parts = 0; parts < groups.size; parts++) clock.advance(0);
  };
  tick();
  assert.equal(lastOf('stored_bytes'), undefined, 'not before all topics are known');
  finish();
  assert.equal(lastOf('stored_bytes'), 15_000);
  for (const name of groups.keys()) groups.set(name, { end: 200, committed: 0 });
  tick();
  assert.equal(lastOf('in_records_per_second', { topic: 't-a' }), undefined);
  finish();
  for (const name of groups.keys()) assert.equal(lastOf('in_records_per_second', { topic: `t-${name}` }), 10);
  tick();
  sampler.close();
  finish();
  assert.equal(lastOf('stored_bytes'), undefined, 'the sampler was closed');
});

test('lag, and how fast a group and its topic move', () => {
  const groups = new Map([['shop', { end: 100, committed: 40 }]]);
  const { clock, sampler, tick, lastOf } = stage(groups);
  tick();
  assert.equal(lastOf('lag', { group: 'shop' }), 60);
  assert.equal(lastOf('consumed_records_per_second', { group: 'shop' }), undefined, 'one sample has no rate');
  groups.set('shop', { end: 200, committed: 60 });
  tick();
  assert.equal(lastOf('lag'), 140);
  assert.equal(lastOf('lag', { group: 'shop', topic: 't-shop' }), 140);
  assert.equal(lastOf('consumed_records_per_second', { group: 'shop' }), 2);
  assert.equal(lastOf('in_records_per_second', { topic: 't-shop' }), 10);
  assert.equal(lastOf('in_bytes_per_second', { topic: 't-shop' }), 1_000, 'retention takes nothing from it');
  assert.equal(lastOf('stored_bytes', { topic: 't-shop' }), 5_000);
  assert.equal(lastOf('stored_bytes'), 5_000);
  assert.deepEqual(sampler.activity(5).groups, [
    { groupId: 'shop', lag: 140, producedPerSecond: 10, consumedPerSecond: 2 },
  ]);
  clock.advance(1);
  sampler.sample();
  assert.equal(lastOf('consumed_records_per_second', { group: 'shop' }), 2, 'a step is sampled once');
  groups.set('shop', { end: 200, committed: 0 });
  tick();
  assert.ok(Number.isNaN(lastOf('consumed_records_per_second', { group: 'shop' })), 'a reset is no progress');
  groups.delete('shop');
  tick();
  assert.equal(lastOf('lag', { group: 'shop' }), undefined);
  assert.equal(lastOf('lag'), 0);
});

test('a reset of a group without members is no consumption, and commits of consumers that are no members are', () => {
  const groups = new Map([['shop', { end: 10_000, committed: 0 }]]);
  const empty = new Set<string>();
  const { tick, lastOf } = stage(groups, empty);
  const consumed = (committed: number) => {
    groups.set('shop', { end: 10_000, committed });
    tick();
    const last = lastOf('consumed_records_per_second', { group: 'shop' });
    return last === undefined || Number.isNaN(last) ? null : last;
  };
  assert.equal(consumed(0), null);
  assert.equal(consumed(100), 10);
  empty.add('shop');
  assert.equal(consumed(200), null, 'members left, or offsets were reset');
  assert.equal(consumed(200), 0);
  assert.equal(consumed(9_000), null, 'a reset');
  assert.equal(consumed(9_000), 0);
  assert.equal(consumed(9_100), null);
  assert.equal(consumed(9_200), 10, 'consumers go on');
  assert.equal(consumed(9_200), 0);
  empty.delete('shop');
  assert.equal(consumed(9_500), null, 'the reset may be between the samples too');
  assert.equal(consumed(9_600), 10);
});

test('of many groups those with the largest lag have series', () => {
  const count = metadataLimits.sampledGroupsMax + 20;
  const groups = new Map(
    Array.from({ length: count }, (_, index) => [`g${index}`, { end: index, committed: 0 }] as const),
  );
  const { sampler, tick, lastOf } = stage(groups);
  tick();
  assert.equal(lastOf('lag'), (count * (count - 1)) / 2, 'of all groups');
  assert.equal(lastOf('lag', { group: 'g0' }), undefined);
  assert.equal(lastOf('lag', { group: `g${count - 1}` }), count - 1);
  groups.set('g0', { end: 1_000, committed: 0 });
  tick();
  assert.equal(sampler.activity(1).groups[0]?.groupId, 'g0');
});

test('what agents last reported, while it is recent', () => {
  const { clock, traffic, tick, lastOf, sampler } = stage(new Map());
  const counts = { inRecords: 200, inBytes: 2_000, outRecords: 0, outBytes: 0, produceLatencies: [10, 5] };
  traffic.set('a', { spanMs: 20_000, traffic: counts, atMs: clock.monotonicMs() });
  traffic.set('b', { spanMs: 20_000, traffic: undefined, atMs: clock.monotonicMs() });
  tick();
  assert.equal(lastOf('in_records_per_second'), 10);
  assert.equal(lastOf('in_records_per_second', { agent: 'b' }), 0);
  for (let step = 0; step < 5; step++) tick();
  assert.ok(Number.isNaN(lastOf('in_records_per_second')), 'agents that do not report have no rate');
  sampler.close();
});
