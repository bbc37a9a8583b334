import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedEntries, type ManagedTopic, managedTopicNamespace, writeManagedTopic } from '@weir/cluster';
import { HandClock, settle } from '@weir/core/testing';
import type { AppendOutcome, AppendResult, ProducedBatch } from '../write-path/produced-batch.ts';
import type { WritePath } from '../write-path/write-path.ts';
import { ManagedWrites } from './managed-writes.ts';
import type { SourceWrite } from './source-writer.ts';

const bytes = Buffer.alloc(70);

class Agent {
  readonly clock = new HandClock();
  readonly #entries = new FollowedEntries();
  readonly forwarded: (SourceWrite & {
    answer: (results: readonly AppendResult[], throttleTimeMs?: number) => void;
  })[] = [];
  readonly own: ProducedBatch[] = [];
  readonly passedOn: string[] = [];
  readonly writes = new ManagedWrites({
    view: {
      records: (namespace) => this.#entries.of(namespace),
      topicById: (topicId) => ({ name: `${topicId} here` }) as never,
    },
    onPassedOn: (topicName, { recordCount, byteLength, isStored }) =>
      void this.passedOn.push(`${topicName}: ${recordCount} in ${byteLength} bytes, ${isStored}`),
    source: {
      write: (write) =>
        new Promise<AppendOutcome>((resolve) => {
          const answer = (results: readonly AppendResult[], throttleTimeMs = 0) =>
            resolve({ results, throttleTimeMs });
          this.forwarded.push({ ...write, answer });
        }),
    },
    clock: this.clock,
  });
  readonly path: WritePath = this.writes.around({
    append: async (batches) => {
      this.own.push(...batches);
      return {
        results: batches.map(() => ({ error: 'NONE', baseOffset: 7, logStartOffset: 0 })),
        throttleTimeMs: 5,
      };
    },
  } as Partial<WritePath> as WritePath);

  set(topicId: string, state: ManagedTopic['state'], epoch: number): void {
    const topic = { pipelineId: 'p', sourceTopic: topicId, sourceTopicId: '', state, epoch };
    const value = writeManagedTopic({ ...topic, changedMs: 0, changedBy: '', reason: '' });
    this.#entries.put(managedTopicNamespace, topicId, value);
  }

  append(...topicIds: string[]) {
    const batches = topicIds.map(
      (topicId) => ({ topicId, partition: 0, recordCount: 2, bytes }) as ProducedBatch,
    );
    return this.path.append(batches, { deadlineMs: this.clock.monotonicMs() + 60_000 });
  }

  async error(topicId: string, transaction?: ProducedBatch['transaction']): Promise<string> {
    const batch = { topicId, partition: 0, recordCount: 1, bytes, transaction } as ProducedBatch;
    const { results } = await this.path.append([batch], { deadlineMs: 1e9 });
    return results[0]!.error;
  }
}

const done = { error: 'NONE', baseOffset: 1_000, logStartOffset: 0 } as const;

test('what becomes of a batch depends on the state of its topic', async () => {
  const agent = new Agent();
  assert.equal(await agent.error('t'), 'NONE');
  agent.set('t', 'REPLICATING', 1);
  assert.equal(await agent.error('t'), 'NOT_LEADER_OR_FOLLOWER', 'a leader may know better');
  agent.writes.confirmed(agent.clock.monotonicMs());
  assert.equal(await agent.error('t'), 'POLICY_VIOLATION');
  agent.set('t', 'PROXY', 2);
  assert.equal(await agent.error('t', { transactionalId: 'x', addsPartition: true }), 'POLICY_VIOLATION');
  const passedOn = agent.error('t');
  agent.forwarded[0]!.answer([done]);
  assert.equal(await passedOn, 'NONE');
  agent.set('t', 'BLOCKED', 3);
  assert.equal(await agent.error('t'), 'NOT_LEADER_OR_FOLLOWER');
  agent.set('t', 'MIGRATED', 4);
  assert.equal(await agent.error('t'), 'NONE');
  assert.equal(agent.own.length, 2);
});

test('a request for topics in several states has an answer for each, in its order', async () => {
  const agent = new Agent();
  agent.set('proxied', 'PROXY', 2);
  agent.set('copied', 'REPLICATING', 1);
  agent.writes.confirmed(agent.clock.monotonicMs());
  const throttled = agent.append('ours', 'proxied');
  agent.forwarded[0]!.answer([done], 40);
  assert.equal((await throttled).throttleTimeMs, 40, 'the longer pause of both counts');
  const written = agent.append('ours', 'proxied', 'copied', 'ours too');
  agent.forwarded[1]!.answer([done]);
  const { results, throttleTimeMs } = await written;
  assert.deepEqual(
    results.map(({ error, baseOffset }) => [error, baseOffset]),
    [
      ['NONE', 7],
      ['NONE', 1_000],
      ['POLICY_VIOLATION', -1],
      ['NONE', 7],
    ],
  );
  assert.equal(throttleTimeMs, 5);
  assert.match(results[2]!.message!, /topic copied here is a copy of copied/);
});

test('an agent confirms the end of a state when nothing of it is under way', async () => {
  const agent = new Agent();
  agent.set('t', 'PROXY', 2);
  const written = agent.append('t');
  assert.deepEqual(agent.writes.confirmations(), [{ topicId: 't', epoch: 2, forwardedRecords: 0 }]);
  agent.set('t', 'BLOCKED', 3);
  assert.deepEqual(agent.writes.confirmations(), [{ topicId: 't', epoch: 2, forwardedRecords: 0 }]);
  agent.forwarded[0]!.answer([done]);
  await written;
  await settle();
  assert.deepEqual(agent.writes.confirmations(), [{ topicId: 't', epoch: 3, forwardedRecords: 2 }]);
});

test('nothing leaves after the state ended, nor when no leader has answered lately', () => {
  const agent = new Agent();
  agent.set('t', 'PROXY', 2);
  void agent.append('t');
  const { maySend } = agent.forwarded[0]!;
  assert.equal(maySend(), false, 'no leader knows of the agent yet');
  agent.writes.confirmed(agent.clock.monotonicMs());
  assert.equal(maySend(), true);
  agent.clock.advance(2_900);
  assert.equal(maySend(), true);
  agent.clock.advance(200);
  assert.equal(maySend(), false);
  agent.writes.confirmed(agent.clock.monotonicMs());
  agent.set('t', 'BLOCKED', 3);
  assert.equal(maySend(), false);
});
