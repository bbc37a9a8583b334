import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { hasNodeId, nodeIdRetentionMs, nodeIdRows } from './node-ids.ts';

/** Agents that start and stop, as a leader reports them. */
class Stage {
  readonly cluster: Cluster;
  readonly living = new Map<string, number>();

  constructor(limits: Partial<MachineLimits> = {}) {
    this.cluster = new Cluster(limits);
  }

  /** `silent`: agents that are still listed for clients, although it is unknown whether they live. */
  start(agentId: string, address = `${agentId}:9092`, silent: readonly string[] = []): number | undefined {
    const present = [...this.living.keys()];
    const named = [...present, ...silent];
    const request = { agentId, address, named, present };
    const { nodeId, message } = this.cluster.execute({ kind: 'assignNodeId', request });
    assert.equal(message === null, nodeId !== undefined);
    if (nodeId !== undefined) this.living.set(agentId, nodeId);
    return nodeId;
  }

  stop(agentId: string): void {
    this.living.delete(agentId);
  }
}

test('agents are numbered from 1, and a listed agent retains its number', () => {
  const stage = new Stage();
  assert.deepEqual(
    ['a', 'b', 'c'].map((agentId) => stage.start(agentId)),
    [1, 2, 3],
  );
  const entries = stage.cluster.journal.length;
  assert.equal(stage.start('b'), 2);
  assert.equal(stage.cluster.journal.length, entries, 'known agents write no entry');
  assert.ok(hasNodeId(stage.cluster.machine.kv, 'b', 2));
  assert.ok(!hasNodeId(stage.cluster.machine.kv, 'b', 1));
});

test('an agent restarted under another agent id is recognised by its address', () => {
  const stage = new Stage();
  for (const agentId of ['a', 'b', 'c']) stage.start(agentId);
  stage.stop('b');
  assert.equal(stage.start('b-again', 'b:9092'), 2);
  assert.ok(!hasNodeId(stage.cluster.machine.kv, 'b', 2));
});

test('live agents behind one address have different ids', () => {
  const stage = new Stage();
  const address = 'balancer:9092';
  assert.deepEqual(
    ['a', 'b'].map((agentId) => stage.start(agentId, address)),
    [1, 2],
  );
  assert.equal(stage.start('c', address, ['x']), 3);
});

test('after a failover an agent reclaims its id from one without a heartbeat since', () => {
  const stage = new Stage();
  stage.start('a');
  stage.start('b');
  stage.stop('a');
  assert.equal(stage.start('other', 'other:9092', ['a']), 3);
  assert.equal(stage.start('a-again', 'a:9092', ['a']), 1);
});

test('ids of agents that are gone are reused after a delay, not before', () => {
  const stage = new Stage();
  for (const agentId of ['a', 'b']) stage.start(agentId);
  stage.stop('a');
  assert.equal(stage.start('c'), 3, 'the agent is missed from here on');
  stage.cluster.nowMs += nodeIdRetentionMs - 1;
  assert.equal(stage.start('d'), 4);
  stage.cluster.nowMs += 1;
  assert.equal(stage.start('e'), 1);
});

test('the delay restarts for an agent that was missed, came back and left again', () => {
  const stage = new Stage();
  for (const agentId of ['a', 'b']) stage.start(agentId);
  stage.stop('a');
  stage.start('c');
  stage.start('a');
  stage.stop('a');
  stage.cluster.nowMs += nodeIdRetentionMs;
  assert.equal(stage.start('d'), 4);
});

test('when ids run out the one missed longest is reused, and none of a listed agent', () => {
  const stage = new Stage({ nodeIdMax: 2 });
  for (const agentId of ['a', 'b']) stage.start(agentId);
  assert.equal(stage.start('c'), undefined);
  stage.stop('b');
  assert.equal(stage.start('c'), 2);
});

test('when no further entry can be stored, an id is reused', () => {
  const stage = new Stage({ recordsMax: 2 });
  for (const agentId of ['a', 'b']) stage.start(agentId);
  assert.equal(stage.start('c'), undefined);
  stage.stop('a');
  assert.equal(stage.start('c'), 1);
});

test('no two live agents share an id, ids stay small, and followers and snapshots agree', () => {
  const step = fc.record({
    agent: fc.nat({ max: 7 }),
    address: fc.nat({ max: 5 }),
    comes: fc.boolean(),
    passes: fc.constantFrom(0, 1, nodeIdRetentionMs),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const stage = new Stage();
      for (const { agent, address, comes, passes } of steps) {
        stage.cluster.nowMs += passes;
        if (!comes) {
          stage.stop(`a${agent}`);
          continue;
        }
        const before = stage.living.get(`a${agent}`);
        const nodeId = stage.start(`a${agent}`, `host${address}:9092`)!;
        assert.ok(before === undefined || before === nodeId, 'an agent keeps its id while it lives');
        assert.equal(new Set(stage.living.values()).size, stage.living.size);
        assert.ok(nodeId >= 1 && nodeId <= 8);
      }
      const { machine } = stage.cluster;
      const rows = nodeIdRows(machine.kv);
      assert.deepEqual(nodeIdRows(stage.cluster.replay().machine.kv), rows);
      assert.deepEqual(nodeIdRows(ClusterMachine.restore(Buffer.concat(machine.save())).kv), rows);
    }),
  );
});
