import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock, settle } from '@weir/core/testing';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { waitForView } from './wait-for-view.ts';

test('it ends when the change is visible, or after a second', async () => {
  for (const visibleAfterMs of [0, 5, 300, 5000]) {
    const clock = new HandClock();
    const startMs = clock.monotonicMs();
    let isDone = false;
    const isVisible = () => clock.monotonicMs() - startMs >= visibleAfterMs;
    const waiting = waitForView({ clock }, isVisible).then(() => {
      isDone = true;
    });
    for (await settle(); !isDone; await settle()) clock.advance(5);
    await waiting;
    assert.equal(clock.monotonicMs() - startMs, Math.min(visibleAfterMs, 1000));
    assert.equal(clock.waiting, 0);
  }
});

test('changes are answered when the agent shows them', async () => {
  const { call, cluster, view, clock } = await startTestAgent();
  const isAnsweredWhenReleased = async (answer: Promise<unknown>) => {
    let isAnswered = false;
    void answer.then(() => {
      isAnswered = true;
    });
    for (let step = 0; step < 10; step++) {
      await settle();
      clock.advance(5);
    }
    assert.equal(isAnswered, false);
    cluster.releaseChanges();
    await settle();
    clock.advance(5);
    await answer;
  };
  const topic = { name: 't', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] };
  cluster.holdChanges();
  await isAnsweredWhenReleased(call('CreateTopics', 5, { topics: [topic] }));
  assert.equal(view.topicByName('t')?.partitionCount, 2);
  cluster.holdChanges();
  const grow = { topics: [{ name: 't', count: 3, assignments: null }], timeoutMs: 1, validateOnly: false };
  await isAnsweredWhenReleased(call('CreatePartitions', 3, grow));
  assert.equal(view.topicByName('t')?.partitionCount, 3);
  cluster.holdChanges();
  await isAnsweredWhenReleased(call('DeleteTopics', 5, { topicNames: ['t'], timeoutMs: 1 }));
  assert.equal(view.topicByName('t'), undefined);
  cluster.holdChanges();
  await isAnsweredWhenReleased(call('Metadata', 9, { topics: [{ name: 'auto' }] }).then(answered));
  assert.equal(view.topicByName('auto')?.partitionCount, 1);
});
