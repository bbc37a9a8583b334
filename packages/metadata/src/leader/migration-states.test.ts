import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentSilenceMsMax, ClusterUnavailable, type MigrationState } from '@weir/cluster';
import { HandClock } from '@weir/core/testing';
import { MigrationStates } from './migration-states.ts';

function leader(agentIds: readonly string[], term = 1) {
  const clock = new HandClock();
  const agents = new Set(agentIds);
  const machine = {
    *managedTopics() {
      yield { topic: { topicId: 't', name: 'orders' }, migration: { epoch: 3 } } as never;
    },
  };
  const states = new MigrationStates({ machine, agents: { ids: () => agents.keys() }, clock, term });
  const change = (from: MigrationState, to: MigrationState, epoch = 3) =>
    states.problemOf({ pipelineId: 'p', topics: [{ topicId: 't', from, epoch }], to, by: '', reason: '' });
  const confirm = (agentId: string, epoch: number, forwardedRecords = 0) =>
    states.confirm(agentId, [{ topicId: 't', epoch, forwardedRecords }]);
  return { clock, agents, states, change, confirm };
}

test('a cut-over waits until all agents have confirmed that it began', () => {
  const { change, confirm, states } = leader(['a', 'b']);
  assert.match(change('BLOCKED', 'MIGRATED')!, /Agent a has not confirmed/);
  confirm('a', 3);
  confirm('b', 2);
  assert.match(change('BLOCKED', 'MIGRATED')!, /Agent b has not confirmed/);
  assert.deepEqual(states.list({})[0]!.unconfirmedAgents, ['b']);
  confirm('b', 3);
  assert.equal(change('BLOCKED', 'MIGRATED'), undefined);
});

test('no other change waits', () => {
  const { change } = leader(['a'], 2);
  assert.equal(change('REPLICATING', 'PROXY'), undefined);
  assert.equal(change('PROXY', 'BLOCKED'), undefined);
  assert.equal(change('BLOCKED', 'PROXY'), undefined);
  assert.equal(change('PROXY', 'MIGRATED'), undefined);
});

test('an agent that left the list may pass batches on for as long as its confirmation holds', () => {
  const { change, confirm, agents, clock } = leader(['a']);
  confirm('a', 2);
  agents.delete('a');
  assert.match(change('BLOCKED', 'MIGRATED')!, /Agent a/);
  clock.advance(agentSilenceMsMax + 1);
  assert.equal(change('BLOCKED', 'MIGRATED'), undefined);
});

test('an agent that the leader does not know gets no answer, and so passes nothing on', () => {
  const { confirm } = leader([]);
  assert.throws(() => confirm('a', 2), ClusterUnavailable);
});

test('a new leader waits until it knows all agents that may pass batches on', () => {
  const { change, states, clock } = leader([], 2);
  const unconfirmed = () => states.list({})[0]!.unconfirmedAgents;
  assert.match(change('BLOCKED', 'MIGRATED')!, /does not know all agents yet/);
  assert.deepEqual(unconfirmed(), ['agents that a new leader does not know yet']);
  clock.advance(agentSilenceMsMax);
  assert.equal(change('BLOCKED', 'MIGRATED'), undefined);
  assert.deepEqual(unconfirmed(), []);
});

test('records that were passed on are counted over restarts and departures of agents', () => {
  const { confirm, states, agents, clock } = leader(['a', 'b']);
  const sum = () => states.list({})[0]!.forwardedRecords;
  confirm('a', 3, 10);
  confirm('b', 3, 5);
  assert.equal(sum(), 15);
  confirm('a', 3, 2);
  assert.equal(sum(), 17, 'started again');
  agents.delete('b');
  clock.advance(agentSilenceMsMax + 1);
  confirm('a', 3, 3);
  assert.equal(sum(), 18);
});
