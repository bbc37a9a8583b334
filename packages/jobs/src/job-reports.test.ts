import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallRefused, type JobReport, jobLeaseMs, jobReportBytes, jobReportIntervalMs } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { JobReports } from './job-reports.ts';

/** Reports to a leader that the test plays. */
function stage() {
  const clock = new HandClock();
  /** The jobs of each call, and those of single ones. */
  const calls: string[][] = [];
  const singles: string[] = [];
  const leader = { isOld: false, isAway: false, lost: new Set<string>() };
  const stopped: string[] = [];
  const unconfirmed = new Set<string>();
  const reports = new JobReports({
    port: {
      async reportJob({ jobId }) {
        if (leader.isAway) throw new Error('away');
        singles.push(jobId);
        return !leader.lost.has(jobId);
      },
      async reportJobs(some) {
        if (leader.isAway) throw new Error('away');
        if (leader.isOld) throw new CallRefused('invalid', 'reportJobs: unknown call');
        calls.push(some.map(({ jobId }) => jobId));
        return some.map(({ jobId }) => !leader.lost.has(jobId));
      },
    },
    clock,
    log: silentLog,
  });
  const add = (jobId: string, isLasting: boolean, more: Partial<JobReport> = {}) => {
    const end = reports.add({
      isLasting,
      latest: () => ({ ...reportOf(jobId), ...more }),
      onLost() {
        stopped.push(jobId);
        end();
        return true;
      },
      onUnconfirmed: () => void unconfirmed.add(jobId),
    });
    return end;
  };
  const taken = () => [calls.splice(0), singles.splice(0)];
  return { clock, calls, singles, leader, stopped, unconfirmed, reports, add, taken };
}

function reportOf(jobId: string): JobReport {
  const progress = { doneCount: 0, totalCount: -1 };
  return { agentId: 'a', jobId, state: 'running', message: '', progress, checkpoint: null };
}

test('jobs that started at different times are reported by one call from their first interval on', async () => {
  const { clock, add, taken } = stage();
  add('1', false);
  await clock.pass(2_000);
  add('2', false);
  add('3', false);
  await clock.pass(3_000);
  assert.deepEqual(taken(), [[['1', '2', '3']], []]);
  await clock.pass(3 * jobReportIntervalMs);
  assert.deepEqual(taken(), [Array(3).fill(['1', '2', '3']), []]);
});

test('a lasting job is reported every second at first, and then with the others', async () => {
  const { clock, add, calls, singles } = stage();
  add('old', true);
  await clock.pass(60_000);
  calls.length = 0;
  singles.length = 0;
  add('new', true);
  await clock.pass(9_000);
  assert.equal([...singles, ...calls.flat()].filter((jobId) => jobId === 'new').length, 9);
  calls.length = 0;
  singles.length = 0;
  await clock.pass(6 * jobReportIntervalMs);
  assert.ok(calls.length >= 5 && calls.every((call) => String(call) === 'old,new'), String(calls));
});

test('a job that is alone is reported by a call of its own, which all leaders know', async () => {
  const { clock, add, taken } = stage();
  add('1', false);
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual(taken(), [[], ['1']]);
});

test('a leader of an earlier release gets a call for each job, and one of this release one call again', async () => {
  const { clock, leader, add, taken } = stage();
  leader.isOld = true;
  for (const jobId of ['1', '2', '3']) add(jobId, false);
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual(taken(), [[], ['1', '2', '3']]);
  leader.isOld = false;
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual(taken(), [[['1', '2', '3']], []]);
});

for (const isOld of [false, true])
  test(`of several jobs those stop that went elsewhere, with a leader of ${isOld ? 'an earlier' : 'this'} release`, async () => {
    const { clock, leader, add, stopped, taken } = stage();
    leader.isOld = isOld;
    for (const jobId of ['1', '2', '3']) add(jobId, false);
    leader.lost.add('2');
    await clock.pass(jobReportIntervalMs);
    assert.deepEqual(stopped, ['2']);
    taken();
    await clock.pass(jobReportIntervalMs);
    assert.deepEqual(taken().flat(2), ['1', '3']);
  });

test('a leader that is away stops no job', async () => {
  const { clock, leader, add, stopped, taken } = stage();
  leader.isAway = true;
  add('1', true);
  add('2', true);
  await clock.pass(20_000);
  leader.isAway = false;
  await clock.pass(jobReportIntervalMs);
  assert.deepEqual([stopped, taken()], [[], [[['1', '2']], []]]);
});

test('an answer to a job that has ended meanwhile is ignored', async () => {
  const { leader, add, reports, stopped } = stage();
  const [end] = ['1', '2'].map((jobId) => add(jobId, true));
  leader.lost.add('1');
  const reporting = reports.reportLasting();
  end!();
  assert.equal(await reporting, false);
  assert.deepEqual(stopped, []);
});

test('lasting jobs are reported at once where something may have to stop', async () => {
  const { leader, add, reports, stopped, taken } = stage();
  for (const jobId of ['1', '2', '3']) add(jobId, jobId !== '2');
  assert.equal(await reports.reportLasting(), false);
  leader.lost.add('3');
  assert.equal(await reports.reportLasting(), true);
  assert.deepEqual(
    [stopped, taken()[0]],
    [
      ['3'],
      [
        ['1', '3'],
        ['1', '3'],
      ],
    ],
  );
});

const { jobReportsPerCallMax: countMax, jobReportBytesPerCallMax: bytesMax } = clusterLimits;
const message = 'x'.repeat(1_000);
const perCall = Math.floor(bytesMax / jobReportBytes({ ...reportOf('1000'), message }));

for (const [name, count, more, lengths] of [
  ['a thousand jobs are four calls', 1_000, {}, [countMax, countMax, countMax, 1_000 - 3 * countMax]],
  ['long messages make calls short', 2 * perCall, { message: message.repeat(4) }, undefined],
  ['a message beyond the limit has a call of its own', 3, { message: 'x'.repeat(bytesMax) }, []],
] as const)
  test(`what one call has is bounded: ${name}`, async () => {
    const { clock, add, calls, singles } = stage();
    for (let at = 1; at <= count; at++) add(String(at).padStart(4, '0'), false, more);
    await clock.pass(jobReportIntervalMs);
    if (lengths !== undefined)
      assert.deepEqual(
        calls.map((call) => call.length),
        lengths,
      );
    for (const call of calls)
      assert.ok(
        call.reduce((sum, jobId) => sum + jobReportBytes({ ...reportOf(jobId), ...more }), 0) <= bytesMax,
      );
    assert.equal(new Set([...calls.flat(), ...singles]).size, count);
  });

test('without jobs no timer runs', async () => {
  const { clock, add } = stage();
  const ends = [add('1', false), add('2', true)];
  assert.equal(clock.waiting, 1);
  for (const end of ends) end();
  assert.equal(clock.waiting, 0);
});

test('a lasting job that no leader confirms for two leases has to stop, and no other', async () => {
  const { clock, leader, add, stopped, unconfirmed } = stage();
  add('lasting', true);
  add('other', false);
  await clock.pass(10 * jobLeaseMs);
  // Changes of the leader are shorter.
  for (let change = 0; change < 3; change++) {
    leader.isAway = true;
    await clock.pass(2 * jobLeaseMs - 2 * jobReportIntervalMs);
    leader.isAway = false;
    await clock.pass(2 * jobReportIntervalMs);
  }
  assert.deepEqual([...unconfirmed], []);
  leader.isAway = true;
  await clock.pass(2 * jobLeaseMs + jobReportIntervalMs);
  assert.deepEqual([...unconfirmed], ['lasting']);
  assert.deepEqual(stopped, []);
});
