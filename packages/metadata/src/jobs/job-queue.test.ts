import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimedJob, type JobReport, jobLeaseMs, type ListedJob, NotLeader } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import fc from 'fast-check';
import { metadataLimits } from '../limits.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';
import { JobQueue, stoppedAfterFailures } from './job-queue.ts';

/** A queue whose agents and planner the test plays. */
function stage(options: { readonly livingAgents?: readonly string[]; readonly openMax?: number } = {}) {
  const { livingAgents = ['a', 'b', 'c'], openMax = 4 } = options;
  const clock = new HandClock();
  const loads = new Map(livingAgents.map((agentId) => [agentId, 0.5]));
  /** What there is to do, by scope. */
  const work = new Set<string>();
  const ended: string[] = [];
  let planCount = 0;
  const planner: JobPlanner & { unwanted?: JobPlanner['unwanted'] } = {
    kind: 'sweep',
    openMax,
    retry: { firstMs: 10_000, maxMs: 60_000 },
    async plan() {
      planCount++;
      return [...work].map((scope): PlannedJob => ({ scope, task: Buffer.from(`sweep ${scope}`) }));
    },
  };
  const queue = new JobQueue({
    planners: [planner],
    clock,
    log: silentLog,
    agents: { cpuLoadOf: (agentId) => loads.get(agentId) },
    metrics: { planned() {}, ended: (kind, outcome) => ended.push(`${kind} ${outcome}`) },
    term: 7,
  });
  // Planning begins with the first claim.
  void queue.claim({ agentId: 'c', kinds: ['other'], slots: 1, waitMs: 0 });
  const report = (agentId: string, { jobId }: ClaimedJob, more: Partial<JobReport> = {}) =>
    queue.report({
      agentId,
      jobId,
      state: 'running',
      progress: { doneCount: 1, totalCount: 2 },
      checkpoint: null,
      message: '',
      ...more,
    });
  return {
    clock,
    loads,
    work,
    ended,
    queue,
    planner,
    planCount: () => planCount,
    claim: (agentId: string, slots = 1, kinds: readonly string[] = ['sweep', 'other']) =>
      queue.claim({ agentId, kinds, slots, waitMs: 20_000 }),
    /** Claims, and lets the claim end without a job if there is none now. */
    async claimNow(agentId: string, slots = 1) {
      const claim = queue.claim({ agentId, kinds: ['sweep'], slots, waitMs: 0 });
      await clock.pass(0);
      return claim;
    },
    report,
    /** The states of all listed jobs by scope. */
    states: () => queue.list().jobs.map(({ scope, state }) => `${scope} ${state}`),
    /** Passes time while the agents that run the jobs report. */
    async passReporting(ms: number, agentId: string, job: ClaimedJob) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        await clock.pass(1_000);
        report(agentId, job);
      }
    },
  };
}

test('planned work goes to an agent that waits for it, and is planned anew when it is done', async () => {
  const { clock, work, claim, report, states, ended } = stage();
  work.add('x');
  const claimed = claim('a');
  await clock.pass(5_000);
  const [job] = (await claimed) as [ClaimedJob];
  assert.deepEqual([job.kind, job.scope, String(job.task), job.checkpoint], ['sweep', 'x', 'sweep x', null]);
  assert.deepEqual(states(), ['x running']);
  assert.equal(report('a', job), true);
  await clock.pass(10_000);
  assert.deepEqual(states(), ['x running'], 'one job of a scope is open');
  work.clear();
  assert.equal(report('a', job, { state: 'done', message: 'swept' }), false);
  await settle();
  assert.deepEqual([states(), ended], [['x done'], ['sweep done']]);
  work.add('x');
  await clock.pass(5_000);
  assert.deepEqual(states(), ['x waiting', 'x done']);
});

test('jobs that are not wanted any more are taken from their agents', async () => {
  const { clock, work, claim, claimNow, report, states, ended, queue, planner } = stage();
  const unwanted = new Set<string>();
  planner.unwanted = async (scopes) => scopes.filter((scope) => unwanted.has(scope));
  for (const scope of ['x', 'y', 'z']) work.add(scope);
  const claimed = claim('a', 2);
  await clock.pass(5_000);
  const [x, y] = (await claimed) as [ClaimedJob, ClaimedJob];
  report('a', y, { state: 'failed', message: 'no' });
  assert.deepEqual(states(), ['x running', 'z waiting', 'y failing']);
  for (const scope of ['x', 'y']) {
    unwanted.add(scope);
    work.delete(scope);
  }
  assert.equal(report('a', x), true, 'it is not known yet');
  await clock.pass(5_000);
  assert.deepEqual(states(), ['z waiting']);
  assert.equal(report('a', x), false);
  assert.deepEqual(ended.slice(1), ['sweep cancelled']);
  // Nothing is left of what went before: neither the job nor the pause after the failure.
  unwanted.clear();
  work.add('y');
  queue.planSoon('sweep');
  await clock.pass(100);
  assert.deepEqual(states(), ['z waiting', 'y waiting']);
  assert.equal((await claimNow('b', 2)).length, 2);
});

test('many wishes for a plan are few plans', async () => {
  const { clock, queue, planCount } = stage();
  await clock.pass(0);
  const before = planCount();
  for (let at = 0; at < 1000; at++) queue.planSoon('sweep');
  await clock.pass(100);
  assert.equal(planCount(), before + 1);
  queue.planSoon('sweep');
  queue.close('over');
  await clock.pass(1_000);
  assert.equal(planCount(), before + 1);
});

test('without a claim nothing is planned, and no timer runs', async () => {
  const clock = new HandClock();
  const planners: JobPlanner[] = [
    {
      kind: 'sweep',
      openMax: 1,
      retry: { firstMs: 1, maxMs: 1 },
      plan: () => assert.fail('planned'),
    },
  ];
  const metrics = { planned() {}, ended() {} };
  const agents = { cpuLoadOf: () => 0 };
  new JobQueue({ planners, clock, log: silentLog, agents, metrics, term: 1 });
  assert.equal(clock.waiting, 0);
});

test('work that is left is planned as soon as a job is done', async () => {
  const { clock, work, claim, report, queue } = stage();
  work.add('x');
  const first = claim('a');
  await clock.pass(5_000);
  const [job] = await first;
  const next = claim('a');
  report('a', job!, { state: 'done' });
  await settle();
  assert.equal((await next).length, 1);
  assert.equal(queue.list().jobs[0]!.jobId, 'sweep-7-2');
});

test('an agent gets as many jobs as it has slots, of the kinds that it runs, and a claim ends in time', async () => {
  const { clock, work, claim, claimNow, queue } = stage();
  for (const scope of ['1', '2', '3']) work.add(scope);
  await clock.pass(5_000);
  const other = claim('a', 9, ['other']);
  assert.deepEqual(
    (await claimNow('b', 2)).map(({ scope }) => scope),
    ['1', '2'],
  );
  assert.deepEqual(
    (await claimNow('c', 2)).map(({ scope }) => scope),
    ['3'],
  );
  assert.deepEqual(queue.list().takers, [{ kind: 'sweep', agentCount: 2, pausedCount: 0 }]);
  await clock.pass(20_000);
  assert.deepEqual(await other, []);
});

test('no more jobs of a kind are open than it allows', async () => {
  const { clock, work, states } = stage({ openMax: 2 });
  for (const scope of ['1', '2', '3']) work.add(scope);
  await clock.pass(20_000);
  assert.deepEqual(states(), ['1 waiting', '2 waiting']);
});

test('the job of an agent that falls silent goes to another one, which continues where it was', async () => {
  const { clock, work, claimNow, claim, report, ended } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  report('a', job!, { checkpoint: Buffer.from('half') });
  const second = claim('b');
  await clock.pass(jobLeaseMs + 1_000);
  const [again] = await second;
  assert.deepEqual([again!.jobId, String(again!.checkpoint)], [job!.jobId, 'half']);
  assert.deepEqual(ended, ['sweep lost']);
  assert.equal(report('a', job!, { state: 'done' }), false, 'the first agent has lost it');
  assert.equal(report('b', again!), true);
});

test('the job of an agent that is gone does not wait for its lease', async () => {
  const { clock, work, loads, claimNow, claim } = stage();
  work.add('x');
  await clock.pass(5_000);
  await claimNow('a');
  loads.delete('a');
  const second = claim('b');
  await clock.pass(1_000);
  assert.equal((await second).length, 1);
});

test('reports keep a job', async () => {
  const { clock, work, claimNow, passReporting, states } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  await passReporting(5 * jobLeaseMs, 'a', job!);
  assert.deepEqual(states(), ['x running']);
});

test('a job that is given back, or whose agent leaves, runs elsewhere at once', async () => {
  const { clock, work, claimNow, claim, report, queue } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  const second = claim('b');
  report('a', job!, { state: 'givenBack', checkpoint: Buffer.from('1') });
  assert.equal(String((await second)[0]!.checkpoint), '1');
  const third = claim('c');
  queue.forget('b');
  assert.equal((await third)[0]!.jobId, job!.jobId);
});

test('several jobs are reported by one call, answered in the order of the reports', async () => {
  const { clock, work, claimNow, queue, states } = stage();
  for (const scope of ['x', 'y', 'z']) work.add(scope);
  await clock.pass(5_000);
  const [x, y] = await claimNow('a', 2);
  const [z] = await claimNow('b');
  const progress = { doneCount: 1, totalCount: 2, lastError: 'e'.repeat(5_000) };
  const reports = [z!, y!, x!, { jobId: 'none' }].map(
    ({ jobId }): JobReport => ({
      agentId: 'a',
      jobId,
      state: jobId === y!.jobId ? 'failed' : 'running',
      progress,
      checkpoint: null,
      message: '',
    }),
  );
  assert.deepEqual(await queue.reportMany(reports), [false, false, true, false]);
  assert.deepEqual(states(), ['x running', 'z running', 'y failing']);
  const [listed] = queue.list().jobs;
  assert.equal(listed!.progress.lastError!.length, metadataLimits.jobMessageCharsMax);
  // Only the lease of what it has was renewed.
  await clock.pass(jobLeaseMs - 1_000);
  await queue.reportMany(reports.slice(2, 3));
  await clock.pass(2_000);
  assert.deepEqual(states().slice(0, 2), ['x running', 'z waiting']);
  queue.close('over');
  assert.throws(() => queue.reportMany(reports), NotLeader);
});

test('failures pause for longer each time, and after some the job counts as stopped', async () => {
  const { clock, work, claimNow, report, queue } = stage();
  work.add('x');
  await clock.pass(5_000);
  const pauses: number[] = [];
  for (let failures = 1; failures <= stoppedAfterFailures + 1; failures++) {
    let job: ClaimedJob | undefined;
    let passedMs = 0;
    for (; job === undefined; passedMs += 5_000) {
      [job] = await claimNow('a');
      if (job === undefined) await clock.pass(5_000);
    }
    pauses.push(passedMs - 5_000);
    report('a', job, { state: 'failed', message: `no permission ${failures}`, checkpoint: Buffer.from('1') });
    const [listed] = queue.list().jobs;
    const isStopped = failures >= stoppedAfterFailures;
    assert.deepEqual(
      [listed!.state, listed!.failureCount, listed!.message],
      [isStopped ? 'stopped' : 'failing', failures, `no permission ${failures}`],
    );
    assert.ok(listed!.retryMs! > clock.nowMs());
  }
  assert.deepEqual(pauses, [0, 10_000, 20_000, 40_000, 60_000, 60_000]);
  // It recovers, and the next failure is a first one again.
  await clock.pass(60_000);
  const [job] = await claimNow('a');
  assert.equal(String(job!.checkpoint), '1', 'it continues where it failed');
  report('a', job!, { state: 'done' });
  await clock.pass(5_000);
  assert.equal(queue.list().jobs[0]!.failureCount, 0);
});

test('a job that needs an operator is stopped at once and retried after the longest pause', async () => {
  const { clock, work, claim, claimNow, report, queue, states } = stage();
  work.add('x');
  const claimed = claim('a');
  await clock.pass(5_000);
  const [job] = await claimed;
  report('a', job!, { state: 'failed', message: 'which database is it?', needsOperator: true });
  const [listed] = queue.list().jobs;
  assert.deepEqual(
    [listed!.state, listed!.failureCount, listed!.message],
    ['stopped', 1, 'which database is it?'],
  );
  assert.equal(listed!.retryMs! - clock.nowMs(), 60_000);
  await clock.pass(55_000);
  assert.deepEqual(await claimNow('a'), []);
  await clock.pass(10_000);
  const [again] = await claimNow('a');
  report('a', again!, { state: 'done' });
  assert.deepEqual(states().at(-1), 'x done');
});

test('a planner learns of jobs that were done or failed, and of no others', async () => {
  const { clock, work, claim, report, planner } = stage();
  const seen: string[] = [];
  Object.assign(planner, {
    onEnd: ({ scope, state, message, endedMs }: ListedJob) =>
      seen.push(`${scope} ${state}: ${message}, ${endedMs === clock.nowMs()}`),
  });
  for (const scope of ['w', 'x', 'y', 'z']) work.add(scope);
  const claimed = claim('a', 4);
  await clock.pass(5_000);
  const [w, x, y, z] = await claimed;
  report('a', w!, { state: 'done', message: '3 rooms' });
  report('a', x!, { state: 'failed', message: 'no broom' });
  report('a', y!, { state: 'failed', message: 'which room?', needsOperator: true });
  report('a', z!, { state: 'givenBack' });
  assert.deepEqual(seen, [
    'w done: 3 rooms, true',
    'x failing: no broom, true',
    'y stopped: which room?, true',
  ]);
});

test('a job that ends its agents fails in the end', async () => {
  const { clock, work, claimNow, states, queue } = stage();
  work.add('x');
  await clock.pass(5_000);
  for (const agentId of ['a', 'b', 'c']) {
    assert.equal((await claimNow(agentId)).length, 1);
    await clock.pass(jobLeaseMs + 1_000);
  }
  assert.deepEqual(states(), ['x failing']);
  assert.match(queue.list().jobs[0]!.message, /agents were lost 3 times/);
});

test('an agent that failed at a job gets it only if no other waits', async () => {
  const { clock, work, claimNow, claim, report } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  const claims = { a: claim('a'), b: claim('b') };
  report('a', job!, { state: 'givenBack' });
  assert.equal((await claims.b).length, 1);
});

test('a planner that fails is called again', async () => {
  const { clock, work, planner, states } = stage();
  work.add('x');
  const { plan } = planner;
  Object.assign(planner, { plan: () => Promise.reject(new Error('not now')) });
  await clock.pass(6_000);
  assert.deepEqual(states(), []);
  Object.assign(planner, { plan });
  await clock.pass(5_000);
  assert.deepEqual(states(), ['x waiting']);
});

test('what agents report is bounded', async () => {
  const { clock, work, claimNow, report, queue } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  report('a', job!, { checkpoint: Buffer.from('small') });
  report('a', job!, { checkpoint: Buffer.alloc(metadataLimits.jobCheckpointBytesMax + 1) });
  report('a', job!, { state: 'failed', message: 'x'.repeat(100_000) });
  assert.equal(queue.list().jobs[0]!.message.length, metadataLimits.jobMessageCharsMax);
  await clock.pass(10_000);
  const [again] = await claimNow('b');
  assert.equal(String(again!.checkpoint), 'small');
});

test('few of the jobs that were done are listed', async () => {
  const { clock, work, claimNow, report, queue } = stage();
  for (let n = 0; n < metadataLimits.recentJobsMax + 20; n++) {
    work.clear();
    work.add(`x${n}`);
    await clock.pass(5_000);
    const [job] = await claimNow('a');
    work.clear();
    report('a', job!, { state: 'done' });
  }
  const { jobs } = queue.list();
  assert.equal(jobs.length, metadataLimits.recentJobsMax);
  assert.equal(jobs[0]!.scope, `x${metadataLimits.recentJobsMax + 19}`, 'the latest is first');
});

test('the end of the term ends claims and reports', async () => {
  const { clock, work, claim, claimNow, report, queue } = stage();
  work.add('x');
  await clock.pass(5_000);
  const [job] = await claimNow('a');
  const waiting = claim('b');
  queue.close('over');
  assert.deepEqual(await waiting, []);
  await assert.rejects(claim('b'), NotLeader);
  assert.throws(() => report('a', job!), NotLeader);
  assert.equal(clock.waiting, 0, 'no timer is left');
});

test('whatever agents do, a scope has one holder, and all work is done in the end', async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant('claim' as const), agentId: fc.constantFrom('a', 'b', 'c') }),
    fc.record({
      do: fc.constantFrom('running', 'done', 'failed', 'givenBack'),
      agentId: fc.constantFrom('a', 'b', 'c'),
    }),
    fc.record({ do: fc.constant('pass' as const), agentId: fc.constantFrom('1', '20', '70') }),
    fc.record({ do: fc.constant('leave' as const), agentId: fc.constantFrom('a', 'b', 'c') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const { clock, work, queue, claimNow, report } = stage();
      for (const scope of ['1', '2', '3']) work.add(scope);
      await clock.pass(5_000);
      const held: { agentId: string; job: ClaimedJob }[] = [];
      const finish = (agentId: string, job: ClaimedJob, state: JobReport['state']) => {
        const isHolder = queue.list().jobs.some((row) => row.jobId === job.jobId && row.agentId === agentId);
        if (isHolder && state === 'done') work.delete(job.scope);
        report(agentId, job, { state });
      };
      for (const step of actions) {
        if (step.do === 'claim')
          for (const job of await claimNow(step.agentId, 2)) held.push({ agentId: step.agentId, job });
        else if (step.do === 'pass') await clock.pass(Number(step.agentId) * 1_000);
        else if (step.do === 'leave') queue.forget(step.agentId);
        else
          for (const { agentId, job } of held)
            if (agentId === step.agentId) finish(agentId, job, step.do as JobReport['state']);
        const running = queue.list().jobs.filter(({ state }) => state === 'running' || state === 'waiting');
        assert.equal(new Set(running.map(({ scope }) => scope)).size, running.length);
      }
      for (let round = 0; round < 200 && work.size > 0; round++) {
        for (const job of await claimNow('a', 9)) finish('a', job, 'done');
        await clock.pass(5_000);
      }
      assert.equal(work.size, 0);
      queue.close('over');
    }),
    { numRuns: 60 },
  );
});
