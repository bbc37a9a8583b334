import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimedJob, jobLeaseMs, pipelineKind, readPipelineTask } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ClusterMachine } from '@weir/machine';
import { jobEnds } from './job-ends.ts';
import { JobQueue } from './job-queue.ts';
import { type ManagedPipeline, pipelinePlanner } from './pipeline-planner.ts';

const groups: Readonly<Record<string, string>> = { a: '', b: '', c: 'fast' };

/** A leader whose pipelines and agents the test plays. */
function stage(...wanted: ManagedPipeline[]) {
  const clock = new HandClock();
  const alive = new Set(['a', 'b', 'c']);
  const stored = new Map<string, Buffer>();
  const ends = jobEnds(
    pipelineKind,
    async (question) => question({ kv: { of: () => stored } } as unknown as ClusterMachine, 0),
    async ({ changes }) => {
      for (const { key, value } of changes)
        if (value === null) stored.delete(key);
        else stored.set(key, Buffer.from(value));
      return { message: null };
    },
  );
  let term = 0;
  const lead = (earlierAgents: readonly string[]) =>
    new JobQueue({
      planners: [pipelinePlanner(async () => wanted, ends)],
      clock,
      log: silentLog,
      agents: {
        cpuLoadOf: (agentId) => (alive.has(agentId) ? 0.5 : undefined),
        groupOf: (agentId) => groups[agentId],
      },
      metrics: { planned() {}, ended() {} },
      term: ++term,
      earlierAgents,
    });
  let queue = lead([]);
  /** The leader changes; agents turn to the next one. */
  const change = (...earlierAgents: string[]) => {
    queue.close('gone');
    queue = lead(earlierAgents);
  };
  /** How often a claim of an agent ended without a job. */
  const nudges: string[] = [];
  /** What each agent runs. */
  const held = new Map<string, ClaimedJob[]>();
  /** An agent that claims again and again, as long as it has room. */
  const attend = (agentId: string, slots = 8) => {
    const jobs = held.get(agentId) ?? [];
    held.set(agentId, jobs);
    const claim = async (): Promise<void> => {
      if (!alive.has(agentId)) return;
      const free = slots - jobs.length;
      if (free === 0) return;
      const got = await queue.claim({
        agentId,
        runner: 'pipelines',
        kinds: [pipelineKind],
        slots: free,
        waitMs: 20_000,
        held: jobs.map(({ jobId, kind, scope }) => ({ jobId, kind, scope })),
      });
      if (got.length === 0) nudges.push(agentId);
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
      kind: job.kind,
      scope: job.scope,
      runner: 'pipelines',
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
  const listed = () => queue.list().jobs.map(({ scope, state }) => `${scope} ${state}`);
  return {
    clock,
    alive,
    list: () => queue.list(),
    listed,
    held,
    wanted,
    attend,
    pass,
    report,
    end,
    places,
    change,
    nudges,
    planSoon: () => queue.planSoon(pipelineKind, 'schema_linking'),
  };
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

test('a change is planned at once, and the agent whose instance has to stop learns it', async () => {
  const { attend, clock, held, wanted, places, end, nudges, planSoon } = stage(pipeline('p'));
  attend('a');
  await clock.pass(200);
  assert.deepEqual(places(), { a: ['p 0 v1'] });
  wanted[0] = pipeline('p', 1, { task: { ...wanted[0]!.task, configurationId: 'v2' } });
  planSoon();
  await clock.pass(200);
  assert.deepEqual(nudges, ['a']);
  // It drains for a while, without further claims that end.
  planSoon();
  await clock.pass(2_000);
  assert.deepEqual(nudges, ['a']);
  end('a', held.get('a')![0]!, 'givenBack');
  await clock.pass(0);
  assert.deepEqual(places(), { a: ['p 0 v2'] });
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
  const { attend, pass, places, listed } = stage(pipeline('p', 1, { agentGroup: 'fast' }));
  attend('a');
  await pass(10);
  assert.deepEqual(places(), { a: [] });
  assert.deepEqual(listed(), ['p 0 v1 waiting']);
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
  const { attend, pass, places, held, end, list } = stage(pipeline('p'), pipeline('q'));
  attend('a');
  await pass(10);
  const [p, q] = held.get('a')!;
  end('a', p!, 'failed', 'broken');
  end('a', q!, 'done', 'the input ended');
  const failing = list().jobs.find(({ scope }) => scope === 'p 0 v1')!;
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

test('a new leader lets instances run on, and runs none again that ended', async () => {
  const { attend, pass, held, end, change, listed } = stage(pipeline('p', 2), pipeline('q'));
  attend('a');
  attend('b');
  await pass(10);
  const [agentId, q] = [...held]
    .flatMap(([agent, jobs]) => jobs.map((job) => [agent, job] as const))
    .find(([, { scope }]) => scope === 'q 0 v1')!;
  await end(agentId, q, 'done', 'the input ended');
  const running = () => [...held.values()].flat().map(({ jobId }) => jobId);
  const before = running();
  assert.equal(before.length, 2);
  for (let times = 0; times < 2; times++) {
    change('a', 'b');
    await pass(60);
    assert.deepEqual(running(), before);
    assert.deepEqual(listed(), ['p 0 v1 running', 'p 1 v1 running', 'q 0 v1 done']);
  }
});

test('an instance that ends while the leader changes has ended', async () => {
  const { attend, pass, held, end, change, listed } = stage(pipeline('p'));
  attend('a');
  await pass(10);
  change('a');
  await end('a', held.get('a')![0]!, 'done', 'the input ended');
  await pass(60);
  assert.deepEqual(listed(), ['p 0 v1 done']);
});

test('what an agent runs that has no room to claim is not given to another by a new leader', async () => {
  const { attend, pass, held, change, places } = stage(pipeline('p'));
  attend('a', 1);
  await pass(10);
  const [job] = held.get('a')!;
  change('a', 'b');
  attend('b');
  await pass(60);
  assert.deepEqual([places(), held.get('a')], [{ a: ['p 0 v1'], b: [] }, [job]]);
});

test('a new leader hands out what an agent ran that is gone, and does not wait for it long', async () => {
  const { attend, pass, change, places, alive } = stage(pipeline('p'));
  attend('a');
  await pass(10);
  alive.delete('a');
  change('a', 'b');
  attend('b');
  await pass(3);
  assert.deepEqual(places(), { b: ['p 0 v1'] });
});

test('a configuration that was deployed while the leader changed starts when the one before has ended', async () => {
  const { attend, pass, held, end, change, places, wanted, clock, report } = stage(pipeline('p'));
  attend('a');
  await pass(10);
  const [job] = held.get('a')!;
  wanted[0] = pipeline('p', 1, { task: { ...wanted[0]!.task, configurationId: 'v2' } });
  change('a', 'b');
  attend('b');
  for (let second = 0; second < 60; second++) {
    await clock.pass(1_000);
    await report('a', job!, 'running');
  }
  assert.equal(await report('a', job!, 'running'), false);
  assert.deepEqual(places(), { a: ['p 0 v1'], b: [] }, 'it drains');
  await end('a', job!, 'givenBack');
  await pass(10);
  assert.deepEqual(places(), { a: [], b: ['p 0 v2'] });
});
