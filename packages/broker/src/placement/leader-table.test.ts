import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TopicDescription } from '@weir/cluster';
import fc from 'fast-check';
import { testAgent } from '../../testing/agent.ts';
import { LeaderTable } from './leader-table.ts';
import { createPlacements, type PlacementInputs } from './placement.ts';
import { assignmentStrategies, type PartitionAssignmentStrategy } from './strategies.ts';

const strategies = Object.keys(assignmentStrategies) as PartitionAssignmentStrategy[];
const shared = strategies.filter((name) => name !== 'single_agent');

function topicOf(topicId: string, partitionCount: number): TopicDescription {
  return { topicId, name: topicId, partitionCount, configs: {}, createdMs: 0 } as unknown as TopicDescription;
}

const fleet = (count: number, cpuLoad = 0) =>
  Array.from({ length: count }, (_, index) =>
    testAgent(`agent-${index}`, { zone: `zone-${index % 3}`, cpuLoad }),
  );

test('cached leaders equal computed ones, through every change', () => {
  const change = fc.record({
    agents: fc.integer({ min: 1, max: 6 }),
    topic: fc.nat(3),
    grows: fc.boolean(),
    strategy: fc.constantFrom(...strategies),
    zone: fc.constantFrom(undefined, 'zone-1', 'zone-9'),
    client: fc.constantFrom('a', 'b'),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const remembering = createPlacements();
      const partitionCounts = [1, 2, 7, 20];
      for (const { agents: count, topic: index, grows, strategy, zone, client } of changes) {
        if (grows) partitionCounts[index]!++;
        const topic = topicOf(`topic-${index}`, partitionCounts[index]!);
        const agents = fleet(count, Math.abs(Math.sin(count)));
        const inputs: PlacementInputs = {
          features: zone === undefined ? {} : { zone },
          clientKey: client,
          self: testAgent('agent-0', { zone: 'zone-0' }),
          agents,
          defaultStrategy: strategy,
        };
        const placement = remembering(inputs);
        const fresh = createPlacements()(inputs);
        const nodeIds = (found: typeof placement) => found.leadersOf(topic).map(({ nodeId }) => nodeId);
        assert.deepEqual(nodeIds(placement), nodeIds(fresh), strategy);
        assert.deepEqual(
          placement.agents.map(({ agentId }) => agentId),
          fresh.agents.map(({ agentId }) => agentId),
        );
      }
    }),
  );
});

test('a list that differs only in loads counts as the same list', () => {
  const placementFor = createPlacements();
  const inputs = (cpuLoad: number, count = 6): PlacementInputs => ({
    features: {},
    clientKey: 'c',
    self: testAgent('agent-0'),
    agents: fleet(count, cpuLoad),
    defaultStrategy: 'consistent_spread',
  });
  const first = placementFor(inputs(0.1)).agents;
  assert.equal(placementFor(inputs(0.2)).agents, first);
  assert.notEqual(placementFor(inputs(0.2, 5)).agents, first);
});

test('invented zones of clients do not make the table grow', () => {
  const placementFor = createPlacements();
  const agents = fleet(6);
  const lists = new Set<unknown>();
  for (let zone = 0; zone < 100; zone++) {
    const features = { zone: `invented-${zone}` };
    const self = testAgent('agent-0');
    lists.add(
      placementFor({ features, clientKey: 'c', self, agents, defaultStrategy: 'equal_spread' }).agents,
    );
  }
  assert.equal(lists.size, 1);
});

test('an agent whose registration has not arrived returns itself', () => {
  const placementFor = createPlacements();
  for (const host of ['one', 'two']) {
    const self = testAgent('new', { host });
    const inputs = {
      features: {},
      clientKey: 'c',
      self,
      agents: [],
      defaultStrategy: 'equal_spread',
    } as const;
    const placement = placementFor(inputs);
    assert.deepEqual(placement.leadersOf(topicOf('t', 2)), [self, self]);
  }
});

test('beyond the limit the oldest entries are dropped, and results stay correct', () => {
  const agents = fleet(5);
  const table = new LeaderTable(1000);
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 40; index++) {
      const topic = topicOf(`t${index}`, 10 + (index % 5) * 10);
      for (const strategy of shared) {
        const expected = assignmentStrategies[strategy](topic, agents, { key: '' });
        assert.deepEqual(table.leadersOf(topic, agents, strategy), expected);
        assert.ok(table.weight <= 1000);
      }
    }
  }
  // One topic may be larger than the limit.
  assert.equal(table.leadersOf(topicOf('huge', 5000), agents, 'equal_spread').length, 5000);
  table.clear();
  assert.equal(table.weight, 0);
});
