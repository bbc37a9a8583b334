import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClaimedJob,
  type JobClaim,
  type JobReport,
  jobLeaseMs,
  jobReportIntervalMs,
} from '@weir/cluster';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type JobContext, type JobKind, LeaderUnreachable } from './job-kind.ts';
import { jobMetrics, jobRows } from './job-metrics.ts';
import { JobRunner } from './job-runner.ts';

interface Run {
  readonly task: string;
  readonly context: JobContext;
  readonly resolve: (message: string) => void;
  readonly reject: (error: Error) => void;
}

/** A runner whose leader and jobs the test plays. */
function stage(slots = 2, isLasting = false) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const runs: Run[] = [];
  const claims: (JobClaim & { readonly answer: (jobs: readonly ClaimedJob[]) => void })[] = [];
  const reports: JobReport[] = [];
  const leader = { isAway: false, keepsJobs: true };
  const kind: JobKind = {
    kind: 'sweep',
    category: 'deadscanner',
    isLasting,
    run: (task, context) =>
      new Promise((resolve, reject) => {
        runs.push({ task: String(task), context, resolve, reject });
        context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
        if (context.signal.aborted) reject(context.signal.reason as Error);
      }),
  };
  const runner = new JobRunner({
    port: {
      async claimJobs(claim) {
        if (leader.isAway) throw new Error('away');
        return new Promise((answer) => claims.push({ ...claim, answer }));
      },
      async reportJob(report) {
        if (leader.isAway) throw new Error('away');
        reports.push(report);
        return leader.keepsJobs;
      },
      async reportJobs(some) {
        if (leader.isAway) throw new Error('away');
        reports.push(...some);
        return some.map(() => leader.keepsJobs);
      },
    },
    agentId: 'a',
    kinds: [kind],
    slots,
    clock,
    log: silentLog,
    metrics: jobMetrics(metrics),
  });
  const give = async (...ids: readonly string[]) => {
    claims
      .at(-1)!
      .answer(
        ids.map((jobId) => ({ jobId, kind: 'sweep', scope: '', task: Buffer.from(jobId), checkpoint: null })),
      );
    await settle();
  };
  const outcome = (name: string) =>
    metrics
      .read()
      .filter(({ row }) => row.name === jobRows.ended.name)
      .flatMap(({ series }) => series)
      .filter(({ labels }) => labels.outcome === name)
      .reduce((sum, { value }) => sum + value, 0);
  return { clock, metrics, runs, claims, reports, leader, runner, give, outcome };
}

test('an agent claims as many jobs as it has free slots, and reports how they end', async () => {
  const { runner, claims, give, runs, reports, outcome } = stage(3);
  runner.start();
  await settle();
  assert.deepEqual([claims[0]!.agentId, claims[0]!.kinds, claims[0]!.slots], ['a', ['sweep'], 3]);
  await give('1', '2');
  assert.equal(claims[1]!.slots, 1);
  await give('3');
  assert.equal(claims.length, 2, 'no slot is free');
  runs[0]!.context.progress(5, 10, Buffer.from('x'));
  runs[0]!.resolve('swept');
  runs[1]!.reject(new Error('no\n permission'));
  await settle();
  const ends = reports.map(({ jobId, state, message, progress }) => [
    jobId,
    state,
    message,
    progress.doneCount,
  ]);
  assert.deepEqual(ends, [
    ['1', 'done', 'swept', 5],
    ['2', 'failed', 'no permission', 0],
  ]);
  assert.equal(String(reports[0]!.checkpoint), 'x');
  assert.deepEqual([outcome('done'), outcome('failed')], [1, 1]);
  assert.equal(claims[2]!.slots >= 1, true);
  await runner.stop();
});

test('a running job is reported at intervals, with its progress', async () => {
  const { runner, give, runs, reports, clock } = stage();
  runner.start();
  await settle();
  await give('1');
  runs[0]!.context.progress(1, 4, Buffer.from('first'));
  await clock.pass(jobReportIntervalMs);
  runs[0]!.context.progress(2, 4);
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual(
    reports.map(({ state, progress, checkpoint }) => [state, progress.doneCount, String(checkpoint)]),
    [
      ['running', 1, 'first'],
      ['running', 2, 'first'],
    ],
  );
  await runner.stop();
});

test('a claim that ends without a job makes lasting jobs report at once, and those that have to stop do', async () => {
  const { runner, give, runs, reports, claims, leader, clock } = stage(2, true);
  runner.start();
  await settle();
  await give('1');
  leader.keepsJobs = false;
  await give();
  assert.deepEqual(
    reports.map(({ jobId, state }) => [jobId, state]),
    [
      ['1', 'running'],
      ['1', 'givenBack'],
    ],
  );
  assert.ok(runs[0]!.context.signal.aborted);
  assert.equal(claims.length, 3, 'claims again at once');
  // Another claim in the name of this agent: nothing to stop, and no haste.
  await give();
  assert.equal(claims.length, 3);
  await clock.pass(1_000);
  assert.equal(claims.length, 4);
  await runner.stop();
});

test('a lasting job is reported more often at first', async () => {
  const { runner, give, reports, clock } = stage(2, true);
  runner.start();
  await settle();
  await give('1');
  await clock.pass(1_000);
  assert.equal(reports.length, 1);
  await clock.pass(9_000);
  assert.equal(reports.length, 10);
  await clock.pass(jobReportIntervalMs);
  assert.equal(reports.length, 11);
  await runner.stop();
});

test('a lasting job whose agent reaches no leader is stopped, and is given back when there is one', async () => {
  const { runner, give, runs, reports, leader, clock } = stage(2, true);
  runner.start();
  await settle();
  await give('1');
  leader.isAway = true;
  await clock.pass(2 * jobLeaseMs);
  assert.ok(runs[0]!.context.signal.reason instanceof LeaderUnreachable);
  leader.isAway = false;
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual(
    reports.map(({ state }) => state),
    ['givenBack'],
  );
  await runner.stop();
});

test('a job that another agent has is stopped, and not reported again', async () => {
  const { runner, give, runs, reports, leader, clock, outcome } = stage();
  runner.start();
  await settle();
  await give('1');
  leader.keepsJobs = false;
  await clock.pass(jobReportIntervalMs);
  assert.ok(runs[0]!.context.signal.aborted);
  await clock.pass(10 * jobReportIntervalMs);
  assert.deepEqual([reports.length, outcome('lost')], [1, 1]);
  await runner.stop();
});

test('an agent that stops gives its jobs back at once, and those that it gets meanwhile', async () => {
  const { runner, give, reports, claims, outcome } = stage();
  runner.start();
  await settle();
  await give('1');
  const stopped = runner.stop();
  await give('2');
  await stopped;
  await settle();
  assert.deepEqual(
    reports.map(({ jobId, state }) => `${jobId} ${state}`),
    ['1 givenBack', '2 givenBack'],
  );
  assert.deepEqual([outcome('given_back'), claims.length], [2, 2]);
});

test('the end of a job is reported again if the leader is away, and jobs are claimed again', async () => {
  const { runner, give, runs, reports, leader, clock, claims } = stage(1);
  runner.start();
  await settle();
  await give('1');
  leader.isAway = true;
  runs[0]!.resolve('swept');
  await clock.pass(2_500);
  assert.deepEqual(reports, []);
  leader.isAway = false;
  await clock.pass(1_000);
  assert.deepEqual(
    reports.map(({ state }) => state),
    ['done'],
  );
  leader.isAway = true;
  await give();
  await clock.pass(2_500);
  const before = claims.length;
  leader.isAway = false;
  await clock.pass(1_000);
  assert.equal(claims.length, before + 1);
  await runner.stop();
});
