import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import { HandClock, settle } from '@weir/core/testing';
import { managedTopic } from '../../testing/migrations.ts';
import { untilConfirmed } from './until-confirmed.ts';

/** Begins to wait for agents that a leader names as unconfirmed. */
function wait() {
  const clock = new HandClock();
  const stop = new AbortController();
  const leader = { unconfirmed: ['a'] as readonly string[], isAway: false };
  const port = {
    listManagedTopics: async () => {
      if (leader.isAway) throw new ClusterUnavailable('no leader');
      return [managedTopic('done'), { ...managedTopic('t'), unconfirmedAgents: leader.unconfirmed }];
    },
  };
  let isOver = false;
  const topics = { pipelineId: 'p', topicIds: ['id-done', 'id-t'] };
  void untilConfirmed(port, topics, { clock, stop: stop.signal }).then(() => {
    isOver = true;
  });
  const pass = async (seconds: number) => {
    for (let ms = 0; ms < seconds * 1_000; ms += 100) {
      await settle();
      clock.advance(100);
    }
    await settle();
    return isOver;
  };
  return { leader, stop, pass };
}

test('a change is answered once all agents know of it', async () => {
  const { leader, pass } = wait();
  assert.equal(await pass(2), false);
  leader.isAway = true;
  assert.equal(await pass(1), false, 'a leader that is away says nothing');
  leader.isAway = false;
  leader.unconfirmed = [];
  assert.equal(await pass(0.2), true);
});

test('an agent that never knows of it is not waited for beyond ten seconds', async () => {
  const { pass } = wait();
  assert.equal(await pass(9), false);
  assert.equal(await pass(2), true);
});

test('nobody waits for a caller that has gone', async () => {
  const { stop, pass } = wait();
  stop.abort();
  assert.equal(await pass(0.2), true);
});
