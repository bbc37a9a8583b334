import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent, valueText } from '@weir/broker/testing';
import { ClusterUnavailable, type ControlPlaneEventsPoll, type ControlPlaneEventsTaken } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { ControlPlaneEvents, isEventsAgent } from './control-plane-events.ts';

const jobs = { roles: ['jobs'] };

const choices: [what: string, agents: ReturnType<typeof testAgent>[], chosen: string[]][] = [
  ['no other agent is known', [], ['a', 'b', 'c']],
  ['the smallest id', [testAgent('a', jobs), testAgent('b', jobs)], ['a']],
  [
    'of those with jobs',
    [testAgent('a', { roles: ['proxy'] }), testAgent('b', jobs), testAgent('c', jobs)],
    ['a', 'b'],
  ],
  [
    'of those that take such jobs',
    [testAgent('a', { ...jobs, jobCategories: ['metrics'] }), testAgent('b', jobs)],
    ['a', 'b'],
  ],
  [
    'of those whose release supports it',
    [testAgent('a', { ...jobs, release: 'v828' }), testAgent('b', jobs)],
    ['a', 'b'],
  ],
  [
    'the first whose release supports it',
    [testAgent('a', { ...jobs, release: 'v829' }), testAgent('b', jobs)],
    ['a'],
  ],
];

for (const [what, agents, chosen] of choices) {
  test(`which agent handles events of the whole cluster: ${what}`, () => {
    assert.deepEqual(
      ['a', 'b', 'c'].filter((id) => isEventsAgent(id, agents)),
      chosen,
    );
  });
}

test('events are written before they are acknowledged to the control plane, and failures are retried', async () => {
  const clock = new HandClock();
  const polls: ControlPlaneEventsPoll[] = [];
  const submitted: string[] = [];
  let answer: (taken: ControlPlaneEventsTaken) => void = () => {};
  let refuse: (error: Error) => void = () => {};
  let isSettled: () => void = () => {};
  let isTaker = false;
  const taking = new ControlPlaneEvents({
    port: {
      takeControlPlaneEvents: (poll) => {
        polls.push(poll);
        return new Promise((resolve, reject) => {
          answer = resolve;
          refuse = reject;
        });
      },
    },
    agentId: 'a',
    isTaker: () => isTaker,
    processor: {
      submit: (type, event) => submitted.push(`${type} ${valueText(event)}`),
      settled: () =>
        new Promise((resolve) => {
          isSettled = resolve;
        }),
    },
    clock,
    log: silentLog,
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  taking.start();
  await pass(1_000);
  assert.equal(polls.length, 0, 'another agent takes them');
  isTaker = true;
  await pass(1_000);
  assert.deepEqual(
    polls.map(({ queueId, writtenBefore }) => [queueId, writtenBefore]),
    [['', 0]],
  );
  refuse(new ClusterUnavailable('no leader'));
  await pass(1_000);
  await pass(1_000);
  assert.equal(polls.length, 2);
  const event = { type: 'diagnostics_logs', timeMs: 1, text: 'one' };
  answer({ queueId: 'q', nextNumber: 1, events: [event, { ...event, type: 'of another release' }] });
  await pass(1_000);
  assert.deepEqual(submitted, ['diagnostics_logs one']);
  assert.equal(polls.length, 2, 'the event is not written yet');
  isSettled();
  await settle();
  await pass(0);
  assert.deepEqual([polls[2]!.queueId, polls[2]!.writtenBefore], ['q', 1]);
  taking.stop();
  answer({ queueId: 'q', nextNumber: 2, events: [event] });
  await pass(10_000);
  assert.equal(submitted.length, 1, 'the event is left for the next agent');
  assert.equal(clock.waiting, 0);
});
