import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentConfirmation,
  FollowedEntries,
  managedTopicNamespace,
  writeManagedTopic,
} from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { Confirmations } from './confirmations.ts';

/** An agent whose leader answers, or not. */
class Agent {
  readonly clock = new HandClock();
  readonly sent: (readonly AgentConfirmation[])[] = [];
  readonly confirmedMs: number[] = [];
  readonly #entries = new FollowedEntries();
  #answers: (() => void)[] = [];
  confirmations: AgentConfirmation[] = [];
  isLeaderAway = false;
  isLeaderSlow = false;
  readonly reporter = new Confirmations({
    agentId: 'a',
    view: { records: (namespace) => this.#entries.of(namespace) },
    port: {
      confirmMigrationStates: async (agentId: string, confirmations: readonly AgentConfirmation[]) => {
        assert.equal(agentId, 'a');
        this.sent.push(confirmations);
        if (this.isLeaderAway) throw new Error('there is no leader');
        if (this.isLeaderSlow) await new Promise<void>((resolve) => this.#answers.push(resolve));
      },
    } as never,
    writes: {
      confirmations: () => this.confirmations,
      confirmed: (sentMs) => void this.confirmedMs.push(sentMs),
    },
    clock: this.clock,
    log: silentLog,
  });

  constructor() {
    this.reporter.start();
  }

  /** Sets what the agent would confirm of a topic, which a migration manages from now on. */
  manage(epoch: number): void {
    const topic = { pipelineId: 'p', sourceTopic: 't', sourceTopicId: '', state: 'PROXY' as const, epoch };
    const value = writeManagedTopic({ ...topic, changedMs: 0, changedBy: '', reason: '' });
    this.#entries.put(managedTopicNamespace, 't', value);
    this.confirmations = [{ topicId: 't', epoch, forwardedRecords: 0 }];
  }

  answer(): void {
    for (const answer of this.#answers.splice(0)) answer();
  }

  async pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 25) {
      this.clock.advance(25);
      await settle();
    }
  }

  epochs(): (number | undefined)[] {
    return this.sent.map(([first]) => first?.epoch);
  }
}

test('an agent without topics of a migration says nothing', async () => {
  const agent = new Agent();
  await agent.pass(3_000);
  assert.deepEqual(agent.sent, []);
});

test('a change is confirmed at once, and the same again every second', async () => {
  const agent = new Agent();
  agent.manage(1);
  await agent.pass(50);
  assert.deepEqual(agent.epochs(), [1]);
  await agent.pass(900);
  assert.deepEqual(agent.epochs(), [1]);
  agent.manage(2);
  await agent.pass(50);
  assert.deepEqual(agent.epochs(), [1, 2]);
  await agent.pass(1_000);
  assert.deepEqual(agent.epochs(), [1, 2, 2]);
  agent.reporter.stop();
  await agent.pass(2_000);
  assert.equal(agent.sent.length, 3);
});

test('what a leader has not taken is said again, and does not count', async () => {
  const agent = new Agent();
  agent.isLeaderAway = true;
  agent.manage(1);
  await agent.pass(100);
  assert.ok(agent.sent.length > 1, 'it does not wait for a second');
  assert.deepEqual(agent.confirmedMs, []);
  agent.isLeaderAway = false;
  await agent.pass(50);
  assert.ok(agent.confirmedMs.length > 0);
});

test('a lease begins when the confirmation was sent, not when it was answered', async () => {
  const agent = new Agent();
  agent.isLeaderSlow = true;
  agent.manage(1);
  await agent.pass(25);
  const sentMs = agent.clock.monotonicMs();
  assert.equal(agent.sent.length, 1);
  await agent.pass(2_000);
  assert.equal(agent.sent.length, 1, 'one at a time');
  agent.answer();
  await settle();
  assert.deepEqual(agent.confirmedMs, [sentMs]);
});
