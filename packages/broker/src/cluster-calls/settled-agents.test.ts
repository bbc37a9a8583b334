import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable } from '@weir/cluster';
import { HandClock } from '@weir/core/testing';
import { brokerLimits } from '../limits.ts';
import type { RequestContext } from '../requests/handler.ts';
import { SettledAgents } from './settled-agents.ts';

/** A connection that is `ageMs` old, and a leader that answers when the test says so. */
function stage({ ageMs = 5_000, agents = ['a', 'b'], isLeaderless = false } = {}) {
  const clock = new HandClock();
  const settled = new SettledAgents();
  const calls: PromiseWithResolvers<void>[] = [];
  const leader = { sinceMs: clock.monotonicMs() };
  const describeJournal = () => {
    const call = Promise.withResolvers<void>();
    calls.push(call);
    return call.promise;
  };
  const connect = () =>
    ({
      clock,
      closed: new AbortController().signal,
      cluster: {
        port: { describeJournal },
        agents: () => agents,
        isLeaderless: () => isLeaderless,
        leaderSinceMs: () => leader.sinceMs,
      },
    }) as unknown as RequestContext;
  const context = connect();
  const greet = () => settled.noting(() => 'noReply' as never)({} as never, context);
  /** Whether the client may have its answer. */
  const ask = async (from = context) => {
    const state = { isSettled: false };
    void settled.settle(from)?.then(() => {
      state.isSettled = true;
    });
    await clock.pass(0);
    return state;
  };
  return { clock, settled, calls, leader, context, connect, greet, ask, age: () => clock.pass(ageMs) };
}

test('a client that has just connected does not wait, and neither does one of a single agent', async () => {
  const young = stage({ ageMs: 500 });
  young.greet();
  await young.age();
  assert.equal(young.settled.settle(young.context), undefined);
  const unknown = stage();
  assert.equal(unknown.settled.settle(unknown.connect()), undefined, 'the first request of a connection');
  const alone = stage({ agents: ['a'] });
  alone.greet();
  await alone.age();
  assert.equal(alone.settled.settle(alone.context), undefined);
  const leaderless = stage({ isLeaderless: true });
  leaderless.greet();
  await leaderless.age();
  assert.equal(leaderless.settled.settle(leaderless.context), undefined, 'the agent knows by itself');
});

test('other clients wait a moment, and then for a call of the leader', async () => {
  const { clock, calls, greet, age, ask } = stage();
  greet();
  await age();
  const client = await ask();
  await clock.pass(9);
  assert.equal(calls.length, 0, 'the leader may not know yet');
  await clock.pass(1);
  assert.deepEqual([calls.length, client.isSettled], [1, false]);
  calls[0]!.resolve();
  await clock.pass(0);
  assert.equal(client.isSettled, true);
});

test('clients share a call that began after they asked', async () => {
  const { clock, calls, connect, settled, age, ask } = stage();
  const contexts = Array.from({ length: 100 }, connect);
  for (const context of contexts) settled.settle(context);
  await age();
  const first = await Promise.all(contexts.slice(0, 50).map(ask));
  await clock.pass(10);
  const later = await Promise.all(contexts.slice(50).map(ask));
  await clock.pass(10);
  assert.equal(calls.length, 1);
  calls[0]!.resolve();
  await clock.pass(0);
  assert.deepEqual([calls.length, first.every(({ isSettled }) => isSettled)], [2, true]);
  assert.ok(later.every(({ isSettled }) => !isSettled));
  calls[1]!.resolve();
  await clock.pass(0);
  assert.ok(later.every(({ isSettled }) => isSettled));
});

test('without an answer of the leader clients get what the agent knows', async () => {
  const { clock, calls, greet, age, ask } = stage();
  greet();
  await age();
  const silent = await ask();
  await clock.pass(3_009);
  assert.equal(silent.isSettled, false);
  await clock.pass(1);
  assert.equal(silent.isSettled, true);
  const refused = await ask();
  await clock.pass(10);
  calls.at(-1)!.reject(new ClusterUnavailable('there is no leader'));
  await clock.pass(0);
  assert.equal(refused.isSettled, true);
});

test('a client waits for no longer because another call is under way, and learns that no leader answered', async () => {
  const { clock, calls, connect, settled, age, ask } = stage();
  const [first, second] = [connect(), connect()];
  for (const context of [first, second]) settled.settle(context);
  await age();
  await ask(first);
  await clock.pass(2_000);
  assert.equal(calls.length, 1);
  const answers: boolean[] = [];
  void settled.settle(second)!.then((hasLeader) => answers.push(hasLeader));
  await clock.pass(3_009);
  assert.deepEqual([calls.length, answers], [2, []]);
  await clock.pass(1);
  assert.deepEqual(answers, [false]);
  void settled.settle(second)!.then((hasLeader) => answers.push(hasLeader));
  await clock.pass(1_010);
  calls.at(-1)!.resolve();
  await clock.pass(0);
  assert.deepEqual(answers, [false, true]);
});

test('so many requests wait at most', async () => {
  const { calls, connect, settled, age, clock } = stage();
  const contexts = Array.from({ length: brokerLimits.settlingRequestsMax + 1 }, connect);
  for (const context of contexts) settled.settle(context);
  await age();
  const waiting = contexts.map((context) => settled.settle(context));
  assert.equal(waiting.filter((settling) => settling === undefined).length, 1);
  await clock.pass(10);
  calls[0]!.resolve();
  await Promise.all(waiting);
  assert.notEqual(settled.settle(contexts[0]!), undefined);
});

test('after a change of leaders clients wait until the new one knows which agents are left', async () => {
  const { clock, calls, leader, greet, age, ask } = stage();
  greet();
  await age();
  const client = await ask();
  await clock.pass(1_400);
  leader.sinceMs = clock.monotonicMs();
  calls[0]!.resolve();
  await clock.pass(551);
  assert.deepEqual([calls.length, client.isSettled], [1, false]);
  await clock.pass(1);
  assert.equal(calls.length, 2);
  calls[1]!.resolve();
  await clock.pass(0);
  assert.equal(client.isSettled, true);
  const next = await ask();
  await clock.pass(10);
  calls[2]!.resolve();
  await clock.pass(0);
  assert.equal(next.isSettled, true, 'this one came when it knew');
});
