import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testAgent } from '../../testing/agent.ts';
import {
  type AssignmentStrategy,
  assignmentStrategies,
  type PartitionAssignmentStrategy,
  type PlacementClient,
  type TopicToPlace,
} from './strategies.ts';

const names = Object.keys(assignmentStrategies) as PartitionAssignmentStrategy[];
/** By name, since the functions of the table take different numbers of parameters. */
const strategyOf = (name: PartitionAssignmentStrategy): AssignmentStrategy => assignmentStrategies[name];
const client = { key: 'client 1' };

const someAgents = fc
  .uniqueArray(fc.stringMatching(/^[a-z0-9]{4,8}$/), { minLength: 1, maxLength: 12 })
  .map((ids) => ids.map((id) => testAgent(id)));
const someTopic = fc.record({
  topicId: fc.stringMatching(/^[A-Za-z0-9_-]{22}$/),
  partitionCount: fc.integer({ min: 1, max: 64 }),
});

function leaderIds(
  name: PartitionAssignmentStrategy,
  topic: TopicToPlace,
  agents: Parameters<AssignmentStrategy>[1],
  placementClient: PlacementClient = client,
): string[] {
  return strategyOf(name)(topic, agents, placementClient).map(({ agentId }) => agentId);
}

test('every partition has a live leader, and the order of the list does not matter', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), someTopic, someAgents, (name, topic, agents) => {
      const leaders = leaderIds(name, topic, agents);
      assert.equal(leaders.length, topic.partitionCount);
      const agentIds = new Set(agents.map(({ agentId }) => agentId));
      assert.ok(leaders.every((agentId) => agentIds.has(agentId)));
      assert.deepEqual(leaderIds(name, topic, [...agents].reverse()), leaders);
    }),
  );
});

test('when an agent leaves, only its partitions move', () => {
  const consistent = [
    'consistent_random_jump',
    'consistent_spread',
    'consistent_pods',
    'single_agent',
  ] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...consistent),
      someTopic,
      someAgents,
      fc.nat(),
      (name, topic, agents, pick) => {
        fc.pre(agents.length > 1);
        const gone = agents[pick % agents.length]!;
        const before = leaderIds(name, topic, agents);
        const after = leaderIds(
          name,
          topic,
          agents.filter((agent) => agent !== gone),
        );
        for (const [partition, leader] of before.entries()) {
          if (leader !== gone.agentId) assert.equal(after[partition], leader);
        }
      },
    ),
  );
});

test('with bounded loads few partitions move, and no agent exceeds its share by more than a quarter', () => {
  fc.assert(
    fc.property(someTopic, someAgents, (topic, agents) => {
      const loads = countsOf(leaderIds('consistent_spread_bounded_load', topic, agents));
      const loadMax = Math.ceil((1.25 * topic.partitionCount) / agents.length);
      assert.ok(Math.max(...loads.values()) <= loadMax);
    }),
  );
  const agents = Array.from({ length: 10 }, (_, index) => testAgent(`agent-${index}`));
  const topic = { topicId: 'topic', partitionCount: 1000 };
  const before = leaderIds('consistent_spread_bounded_load', topic, agents);
  const after = leaderIds('consistent_spread_bounded_load', topic, agents.slice(1));
  const moved = before.filter((leader, partition) => leader !== after[partition]).length;
  assert.ok(moved < 200, `${moved} of 1000 moved`);
});

test('round-robin assignment is as even as possible', () => {
  for (const name of ['equal_spread', 'equal_spread_v2'] as const) {
    fc.assert(
      fc.property(someTopic, someAgents, (topic, agents) => {
        const loads = countsOf(leaderIds(name, topic, agents));
        const most = Math.max(...loads.values());
        const least = loads.size < agents.length ? 0 : Math.min(...loads.values());
        assert.ok(most - least <= 1);
      }),
    );
  }
});

test('hashes spread partitions, topics and clients evenly', () => {
  const agents = Array.from({ length: 8 }, (_, index) => testAgent(`agent-${index}`));
  const fair = 8000 / agents.length;
  const spreads: [label: string, leaders: string[]][] = [
    ['partitions', leaderIds('consistent_spread', { topicId: 'big', partitionCount: 8000 }, agents)],
    ['pods', leaderIds('consistent_pods', { topicId: 'big', partitionCount: 8000 }, agents)],
    [
      'topics',
      range(8000).flatMap((n) =>
        leaderIds('consistent_random_jump', { topicId: `t${n}`, partitionCount: 1 }, agents),
      ),
    ],
    [
      'topics dealt',
      range(8000).flatMap((n) =>
        leaderIds('equal_spread_v2', { topicId: `t${n}`, partitionCount: 1 }, agents),
      ),
    ],
    [
      'clients',
      range(8000).flatMap((n) =>
        leaderIds('single_agent', { topicId: 't', partitionCount: 1 }, agents, { key: `app-${n} 10.0.0.1` }),
      ),
    ],
  ];
  for (const [label, leaders] of spreads) {
    for (const [agentId, count] of countsOf(leaders)) {
      assert.ok(Math.abs(count - fair) < fair * 0.15, `${label}: ${agentId} has ${count}, not about ${fair}`);
    }
  }
});

test('a hot partition is shared by as many agents as it needs, and each client uses one of them', () => {
  const agents = Array.from({ length: 8 }, (_, index) => testAgent(`agent-${index}`));
  const topic = {
    topicId: 't',
    partitionCount: 3,
    hot: new Map([[1, 3]]),
  };
  const seen = range(200).map((n) => leaderIds('consistent_random_jump', topic, agents, { key: `c${n}` }));
  const leadersOf = (partition: number) => new Set(seen.map((leaders) => leaders[partition]));
  assert.equal(leadersOf(0).size, 1);
  assert.equal(leadersOf(1).size, 3);
  assert.equal(leadersOf(2).size, 1);
  assert.deepEqual(
    seen,
    range(200).map((n) => leaderIds('consistent_random_jump', topic, agents, { key: `c${n}` })),
  );
});

test('overloaded agents come last among those that share a hot partition', () => {
  const agents = Array.from({ length: 4 }, (_, index) => testAgent(`agent-${index}`));
  const topic = { topicId: 't', partitionCount: 1, hot: new Map([[0, 2]]) };
  const leadersWith = (overloaded: ReadonlySet<string>) =>
    new Set(
      range(100).flatMap((n) =>
        leaderIds('consistent_random_jump', { ...topic, overloaded }, agents, { key: `c${n}` }),
      ),
    );
  const usual = leadersWith(new Set());
  assert.equal(usual.size, 2);
  const [busy] = usual;
  const relieved = leadersWith(new Set([busy!]));
  assert.equal(relieved.size, 2);
  assert.ok(!relieved.has(busy!));
  assert.deepEqual(
    leadersWith(new Set(agents.map(({ agentId }) => agentId))),
    usual,
    'if all are overloaded, none is avoided',
  );
});

test('with bounded loads a hot partition counts as the agents that it needs', () => {
  const agents = Array.from({ length: 4 }, (_, index) => testAgent(`agent-${index}`));
  const cold = { topicId: 't', partitionCount: 100 };
  const hot = new Map([3, 40, 77, 99].map((partition) => [partition, 2]));
  const leaders = leaderIds('consistent_spread_bounded_load', { ...cold, hot }, agents);
  // A partition that takes half of two agents counts as the share of one agent: 25 partitions.
  const weights = new Map<string, number>();
  for (const [partition, leader] of leaders.entries()) {
    weights.set(leader, (weights.get(leader) ?? 0) + (hot.has(partition) ? 25 : 1));
  }
  const limit = Math.ceil((1.25 * (96 + 4 * 25)) / 4);
  for (const [agentId, weight] of weights) assert.ok(weight <= limit, `${agentId} has ${weight} of ${limit}`);
  const alone = leaderIds('consistent_spread_bounded_load', { ...cold, hot: new Map([[99, 4]]) }, agents);
  assert.equal(
    countsOf(alone).get(alone[99]!),
    1,
    'an agent with a partition of more than its share has no other',
  );
});

test('with bounded loads an overloaded agent has at most half of what the others have', () => {
  fc.assert(
    fc.property(someTopic, someAgents, fc.nat(), (topic, agents, pick) => {
      const busy = agents[pick % agents.length]!.agentId;
      const overloaded = new Set([busy]);
      const loads = countsOf(leaderIds('consistent_spread_bounded_load', { ...topic, overloaded }, agents));
      const shares = agents.length - 0.5;
      assert.ok((loads.get(busy) ?? 0) <= Math.ceil((1.25 * topic.partitionCount * 0.5) / shares));
    }),
  );
});

test('a pod that restarts under its name keeps its partitions', () => {
  const topic = { topicId: 't', partitionCount: 50 };
  const agents = ['a', 'b', 'c'].map((id) => testAgent(id));
  const restarted = agents.map((agent) =>
    agent.agentId === 'b' ? testAgent('new-id', { host: agent.host }) : agent,
  );
  const hosts = (list: typeof agents) =>
    assignmentStrategies.consistent_pods(topic, list).map(({ host }) => host);
  assert.deepEqual(hosts(restarted), hosts(agents));
});

test('one client sees one agent for all topics', () => {
  const agents = ['a', 'b', 'c'].map((id) => testAgent(id));
  const leaders = range(20).flatMap((n) =>
    leaderIds('single_agent', { topicId: `t${n}`, partitionCount: 5 }, agents),
  );
  assert.equal(new Set(leaders).size, 1);
});

function countsOf(leaders: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const leader of leaders) counts.set(leader, (counts.get(leader) ?? 0) + 1);
  return counts;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
