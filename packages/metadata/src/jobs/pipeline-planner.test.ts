import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimedJob, jobLeaseMs, pipelineKind, readPipelineTask } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { JobQueue } from './job-queue.ts';
import { type ManagedPipeline, pipelinePlanner } from './pipeline-planner.ts';

const groups: Readonly<Record<string, string>> = { a: '', b: '', c: 'fast' };

/** A leader whose pipelines and agents the test plays. */
function stage(...wanted: ManagedPipeline[]) {
  const clock = new HandClock();
  const alive = new Set(['a', 'b', 'c']);
  const queue = new JobQueue({
    planners: [pipelinePlanner(async () => wanted)],
    clock,
    log: silentLog,
    agents: {
      cpuLoadOf: (agentId) => (alive.has(agentId) ? 0.5 : undefined),
      groupOf: (agentId) => groups[agentId],
    },
    metrics: { planned() {}, ended() {} },
    term: 1,
  });
  /** What each agent runs. */
  const held = new Map<string, ClaimedJob[]>();
  /** An agent that claims again and again, as long as it has room. */
  const attend = (agentId: string, slots = 8) => {
    const jobs = held.get(agentId) ?? [];
    held.set(agentId, jobs);
    const claim = async (): Promise<void> => {
      if (!alive.has(agentId)) return;
      const free = slots - jobs.length;
      const got = await queue.claim({
        agentId,
        runner: 'pipelines',
        kinds: [pipelineKind],
        slots: free,
        waitMs: 20_000,
      });
      jobs.push(...got);
      return claim();
    };
    void claim();
  };
  const report = (
    agentId: string,
    job: ClaimedJob,
    state: 'running' | 'givenBack' | 'failed' | 'done',
    message = '',
  ) =>
    queue.report({
      agentId,
      jobId: job.jobId,
      state,
      progress: { doneCount: 0, totalCount: -1 },
      checkpoint: null,
      message,
    });
  const end = (
    agentId: string,
    job: ClaimedJob,
    state: 'givenBack' | 'failed' | 'done',
    message?: string,
  ) => {
    held.set(agentId, held.get(agentId)!);
    const jobs = held.get(agentId)!;
    jobs.splice(jobs.indexOf(job), 1);
    return report(agentId, job, state, message);
  };
  /** Passes time; agents report, and give back what they have to stop. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.pass(1_000);
      for (const [agentId, jobs] of held)
        if (alive.has(agentId))
          for (const job of [...jobs]) if (!report(agentId, job, 'running')) end(agentId, job, 'givenBack');
    }
  };
  /** Instances by agent, as `pipeline instance configuration`. */
  const places = () =>
    Object.fromEntries(
      Array.from(held, ([agentId, jobs]) => [agentId, jobs.map(({ scope }) => scope).toSorted()]).filter(
        ([agentId]) => alive.has(agentId as string),
      ),
    );
  return { clock, alive, queue, held, wanted, attend, pass, report, end, places };
}

const pipeline = (id: string, instanceCount = 1, more: Partial<ManagedPipeline> = {}): ManagedPipeline => ({
  task: { pipelineId: id, pipelineName: id, configurationId: 'v1', yaml: 'x' },
  instanceCount,
  agentGroup: undefined,
  ...more,
});

test('instances of a pipeline spread over agents', async () => {
  const { attend, pass, places } = stage(pipeline('p', 2), pipeline('q', 2));
  attend('a');
  attend('b');
  await pass(10);
  assert.deepEqual(places(), { a: ['p 0 v1', 'q 0 v1'], b: ['p 1 v1', 'q 1 v1'] });
});

test('instances move to an agent that comes, one after the other, and from one that goes', async () => {
  const { attend, pass, places, alive } = stage(pipeline('p', 4));
  attend('a');
  await pass(10);
  assert.equal(places().a!.length, 4);
  attend('b');
  await pass(30);
  assert.deepEqual([places().a!.length, places().b!.length], [2, 2]);
  const settled = places();
  await pass(60);
  assert.deepEqual(places(), settled, 'nothing moves without a reason');
  alive.delete('a');
  await pass(30);
  assert.deepEqual(places(), { b: ['p 0 v1', 'p 1 v1', 'p 2 v1', 'p 3 v1'] });
});

test('only agents of its group run a pipeline', async () => {
  const { attend, pass, places, queue } = stage(pipeline('p', 1, { agentGroup: 'fast' }));
  attend('a');
  await pass(10);
  assert.deepEqual(places(), { a: [] });
  assert.deepEqual(
    queue.list().jobs.map(({ state }) => state),
    ['waiting'],
  );
  attend('c');
  await pass(10);
  assert.deepEqual(places(), { a: [], c: ['p 0 v1'] });
});

test('another configuration starts when the instance before has ended, and not sooner', async () => {
  const { attend, pass, places, wanted, clock, held, report, end } = stage(pipeline('p'));
  attend('a');
  attend('b');
  await pass(10);
  const [job] = held.get('a')!;
  wanted[0] = pipeline('p', 1, { task: { ...wanted[0]!.task, configurationId: 'v2' } });
  for (let second = 0; second < 60; second++) {
    await clock.pass(1_000);
    report('a', job!, 'running');
  }
  assert.equal(report('a', job!, 'running'), false, 'it is told to stop');
  assert.deepEqual(places(), { a: ['p 0 v1'], b: [] }, 'it drains');
  end('a', job!, 'givenBack');
  await pass(10);
  assert.deepEqual(Object.values(places()).flat(), ['p 0 v2']);
});

test('an agent that is silent while it drains does not delay the next configuration for ever', async () => {
  const { attend, pass, places, wanted, clock, alive } = stage(pipeline('p'));
  attend('a');
  await pass(10);
  wanted[0] = pipeline('p', 1, { task: { ...wanted[0]!.task, configurationId: 'v2' } });
  await clock.pass(10_000);
  alive.delete('a');
  attend('b');
  await clock.pass(jobLeaseMs);
  await pass(20);
  assert.deepEqual(places(), { b: ['p 0 v2'] });
});

test('an instance that failed starts again after growing pauses, and one that ended does not', async () => {
  const { attend, pass, places, held, end, queue } = stage(pipeline('p'), pipeline('q'));
  attend('a');
  await pass(10);
  const [p, q] = held.get('a')!;
  end('a', p!, 'failed', 'broken');
  end('a', q!, 'done', 'the input ended');
  const failing = queue.list().jobs.find(({ scope }) => scope === 'p 0 v1')!;
  assert.deepEqual([failing.state, failing.message, failing.failureCount], ['failing', 'broken', 1]);
  await pass(60);
  assert.deepEqual(places(), { a: ['p 0 v1'] });
});

test('a pipeline that ended runs again after it was paused', async () => {
  const { attend, pass, places, held, end, wanted } = stage(pipeline('p'));
  attend('a');
  await pass(10);
  end('a', held.get('a')![0]!, 'done');
  const [paused] = wanted.splice(0);
  await pass(10);
  wanted.push(paused!);
  await pass(10);
  assert.deepEqual(places(), { a: ['p 0 v1'] });
});

test('secrets are opened for instances that are handed out, and change what is wanted', async () => {
  let opened = 0;
  const openSecrets = async () => {
    opened++;
    return { token: 'hunter2' };
  };
  const task = { ...pipeline('p').task, secretsDigest: 'one' };
  const { attend, pass, places, held, wanted } = stage(pipeline('p', 1, { task, openSecrets }));
  await pass(20);
  assert.equal(opened, 0);
  attend('a');
  await pass(10);
  assert.equal(opened, 1);
  assert.deepEqual(readPipelineTask(held.get('a')![0]!.task).secrets, { token: 'hunter2' });
  wanted[0] = pipeline('p', 1, { task: { ...task, secretsDigest: 'two' }, openSecrets });
  await pass(20);
  assert.deepEqual(places(), { a: ['p 0 v1 two'] });
});
