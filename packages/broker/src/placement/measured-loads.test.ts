import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterChange } from '@weir/cluster';
import { HandClock } from '@weir/core/testing';
import { testAgent } from '../../testing/agent.ts';
import { AgentLoads } from './agent-loads.ts';
import { MeasuredLoads } from './measured-loads.ts';
import { createPlacements } from './placement.ts';

test('an agent is overloaded after a minute of high reports', () => {
  const cases: [label: string, loads: number[], overloaded: boolean][] = [
    ['idle', Array(40).fill(0.1), false],
    ['busy for less than a minute', Array(29).fill(1), false],
    ['busy for a minute', Array(30).fill(0.9), true],
    ['busy with a pause', [...Array(29).fill(1), 0.89, ...Array(29).fill(1)], false],
    ['busy, then a pause', [...Array(31).fill(1), ...Array(29).fill(0)], true],
    ['busy, then a minute of rest', [...Array(31).fill(1), ...Array(30).fill(0.69)], false],
    ['between the thresholds it stays as it was', [...Array(31).fill(1), ...Array(60).fill(0.8)], true],
  ];
  for (const [label, loads, overloaded] of cases) {
    const clock = new HandClock();
    const agents = new AgentLoads(clock);
    for (const cpuLoad of loads) {
      agents.report([testAgent('a', { cpuLoad }), testAgent('b')]);
      clock.advance(2_000);
    }
    assert.deepEqual([...agents.overloaded], overloaded ? ['a'] : [], label);
    const before = agents.overloaded;
    agents.report([testAgent('b')]);
    assert.equal(agents.overloaded.size, 0, 'an agent that is gone has no load');
    if (!overloaded) assert.equal(agents.overloaded, before);
  }
});

test('a load counts until the next report, however long the leader is silent about it', () => {
  const clock = new HandClock();
  const agents = new AgentLoads(clock);
  const after = (ms: number) => {
    clock.advance(ms);
    return [...agents.overloaded];
  };
  agents.report([testAgent('a', { cpuLoad: 0.95 }), testAgent('b')]);
  assert.deepEqual(after(59_999), []);
  assert.deepEqual(after(1), ['a']);
  const before = agents.overloaded;
  assert.deepEqual(after(600_000), ['a']);
  assert.equal(agents.overloaded, before, 'the same set while nothing changes');
  agents.report([testAgent('a', { cpuLoad: 0.1 }), testAgent('b', { cpuLoad: 1 })]);
  // Nothing asks in between: the change of a minute ago precedes the report.
  clock.advance(60_000);
  agents.report([testAgent('a', { cpuLoad: 0.8 }), testAgent('b', { cpuLoad: 0.8 })]);
  assert.deepEqual([...agents.overloaded], ['b']);
});

const bytes = (length: number): ClusterChange => ({
  kind: 'appended',
  topicId: 'hot-topic',
  partition: 1,
  lastStableOffset: 2,
  pointers: {
    fileId: ['f', 'f'],
    byteStart: Float64Array.of(0, 0),
    byteLength: Float64Array.of(length / 2, length / 2),
    baseOffset: Float64Array.of(0, 1),
    nextOffset: Float64Array.of(1, 2),
  },
});

test('loads from the change stream decide the leaders that clients see', () => {
  const clock = new HandClock();
  const loads = new MeasuredLoads(clock, 2_000);
  const place = createPlacements(loads);
  const agents = ['a', 'b', 'c', 'd'].map((id) => testAgent(id));
  const topic = { topicId: 'hot-topic', name: 'hot', partitionCount: 4, configs: {}, createdMs: 0 };
  const leaders = (strategy: 'consistent_random_jump' | 'consistent_spread_bounded_load') =>
    Array.from({ length: 50 }, (_, n) =>
      place({
        features: { strategy },
        clientKey: `client-${n}`,
        self: agents[0]!,
        agents,
        defaultStrategy: strategy,
      })
        .leadersOf(topic)
        .map(({ agentId }) => agentId),
    );
  const spread = (found: readonly string[][]) =>
    [0, 1, 2, 3].map((partition) => new Set(found.map((one) => one[partition])).size);

  const cold = leaders('consistent_random_jump');
  assert.deepEqual(spread(cold), [1, 1, 1, 1]);
  const coldBounded = leaders('consistent_spread_bounded_load');
  for (let window = 0; window < 6; window++) {
    loads.observe([bytes(24_000)]);
    clock.advance(10_000);
  }
  const hot = leaders('consistent_random_jump');
  assert.deepEqual(spread(hot), [1, 3, 1, 1], 'three agents share the hot partition');
  assert.deepEqual(hot, leaders('consistent_random_jump'), 'each client keeps its leader');
  for (const partition of [0, 2, 3]) assert.equal(hot[0]![partition], cold[0]![partition]);
  const bounded = leaders('consistent_spread_bounded_load');
  assert.deepEqual(spread(bounded), [1, 1, 1, 1], 'one leader for all clients');

  for (let report = 0; report <= 30; report++) {
    const busy = agents.map((agent) =>
      agent.agentId === coldBounded[0]![1] ? { ...agent, cpuLoad: 0.95 } : agent,
    );
    loads.observe([{ kind: 'agents', agents: busy }, bytes(4_800)]);
    clock.advance(2_000);
  }
  assert.deepEqual([...loads.overloaded], [coldBounded[0]![1]]);
  const relieved = leaders('consistent_random_jump').map((one) => one[1]);
  assert.ok(!relieved.includes(coldBounded[0]![1]), 'an overloaded agent gets no further hot partitions');
});
