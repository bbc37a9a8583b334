import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimedQuery, QueryReport } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import { queryMetrics } from './query-metrics.ts';
import { type AnswerOptions, QueryRefused, QueryRunner } from './query-runner.ts';

/** A control plane that the test plays, and an engine that answers when the test says so. */
function stage() {
  const clock = new HandClock();
  const work: ClaimedQuery[] = [];
  const reports: QueryReport[] = [];
  const takers: ((query: ClaimedQuery) => void)[] = [];
  const engine = new Map<string, { options: AnswerOptions; end(outcome: string | Error): void }>();
  const state = { isWanted: true, refusals: 0 };
  const runner = new QueryRunner({
    agentId: 'a',
    port: {
      takeQuery: () => {
        if (state.refusals > 0) {
          state.refusals--;
          return Promise.reject(new Error('away'));
        }
        const query = work.shift();
        return query === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(query);
      },
      async reportQuery(report) {
        if (state.refusals > 0) {
          state.refusals--;
          throw new Error('away');
        }
        reports.push(report);
        return state.isWanted;
      },
    },
    answer: (request, options) =>
      new Promise((resolve, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
        const end = (outcome: string | Error) =>
          outcome instanceof Error ? reject(outcome) : resolve(outcome);
        engine.set(request, { options, end });
      }),
    clock,
    log: silentLog,
    stats: queryMetrics(new Metrics()),
  });
  const ask = (queryId: string, limitMs = 10_000) => {
    const query = { queryId, request: Buffer.from(queryId), limitMs };
    const taker = takers.shift();
    if (taker === undefined) work.push(query);
    else taker(query);
  };
  const reported = () =>
    reports.map(({ queryId, state, answer, message }) =>
      [queryId, state, answer === null ? message : String(answer)].filter((part) => part !== '').join(' '),
    );
  return { clock, runner, engine, state, ask, reported, work, takers };
}

test('a query is answered, within its time limit', async () => {
  const { runner, engine, ask, reported } = stage();
  runner.start();
  ask('q1', 10_000);
  await until(() => engine.has('q1'));
  assert.equal(engine.get('q1')!.options.limitMs, 9_500, 'the limit leaves time for the answer to return');
  engine.get('q1')!.end('found');
  await until(() => reported().length > 0);
  assert.deepEqual(reported(), ['q1 done found']);
  await runner.stop();
});

test('a running query is reported every second, and the control plane can end it', async () => {
  const { runner, engine, ask, reported, clock, state } = stage();
  runner.start();
  ask('q1');
  await until(() => engine.has('q1'));
  clock.advance(1_000);
  clock.advance(1_000);
  await until(() => reported().length === 2);
  state.isWanted = false;
  clock.advance(1_000);
  await until(() => engine.get('q1')!.options.signal.aborted);
  await until(() => reported().includes('q1 givenUp'));
  await runner.stop();
});

const failures: readonly [what: string, error: Error, expected: string][] = [
  ['cannot be understood', new QueryRefused('no such kind'), 'q1 failed no such kind'],
  ['goes wrong', new Error('the bucket is away'), 'q1 failed the bucket is away'],
];
for (const [what, error, expected] of failures) {
  test(`a query that ${what} is reported as failed`, async () => {
    const { runner, engine, ask, reported } = stage();
    runner.start();
    ask('q1');
    await until(() => engine.has('q1'));
    engine.get('q1')!.end(error);
    await until(() => reported().length > 0);
    assert.deepEqual(reported(), [expected]);
    await runner.stop();
  });
}

test('the number of queries at a time is limited', async () => {
  const { runner, engine, ask, work, reported } = stage();
  runner.start();
  const count = clusterLimits.queriesPerAgentMax + 1;
  for (let query = 0; query < count; query++) ask(`q${query}`);
  await until(() => engine.size === clusterLimits.queriesPerAgentMax);
  await pause(0);
  assert.equal(work.length, 1);
  engine.get('q0')!.end('found');
  await until(() => engine.size === count);
  await runner.stop();
  assert.equal(reported().length, count);
});

test('an unavailable control plane is polled again, and an answer is sent again', async () => {
  const { runner, engine, ask, reported, clock, state } = stage();
  state.refusals = 2;
  runner.start();
  ask('q1');
  await until(() => {
    clock.advance(1_000);
    return engine.has('q1');
  });
  state.refusals = 2;
  engine.get('q1')!.end('found');
  await until(() => {
    clock.advance(1_000);
    return reported().some((one) => one.includes('done'));
  });
  await runner.stop();
});

test('an agent that stops gives up its queries, so that others take them', async () => {
  const { runner, engine, ask, reported } = stage();
  runner.start();
  ask('q1');
  await until(() => engine.has('q1'));
  await runner.stop();
  assert.deepEqual(reported(), ['q1 givenUp']);
});
