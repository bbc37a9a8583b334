import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClaimedJob,
  migrationCopyKind,
  migrationTopicsKind,
  readMigrationCopyTask,
  readMigrationTask,
} from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { JobQueue } from './job-queue.ts';
import { migrationPlanners, type WantedMigration } from './migration-planner.ts';

const task = { pipelineId: 'pi_1', pipelineName: 'move', configurationId: 'pc_1', yaml: 'a: b' };
const kinds = [migrationTopicsKind, migrationCopyKind];

/** A leader whose migrations and agents the test plays. */
function stage(wanted: WantedMigration[]) {
  const clock = new HandClock();
  const queue = new JobQueue({
    planners: migrationPlanners(async () => wanted),
    clock,
    log: silentLog,
    agents: { cpuLoadOf: () => 0.5, groupOf: () => '' },
    metrics: { planned() {}, ended() {} },
    term: 1,
    earlierAgents: [],
  });
  const held: ClaimedJob[] = [];
  const claim = async () => {
    const claimed = queue.claim({
      agentId: 'a',
      kinds,
      slots: 16,
      waitMs: 2_000,
      held: held.map(({ jobId, kind, scope }) => ({ jobId, kind, scope })),
    });
    await clock.pass(3_000);
    held.push(...(await claimed));
  };
  /** The agent reports, and gives back what it has to stop. */
  const attend = () => {
    for (const job of [...held]) {
      const report = (state: 'running' | 'givenBack') =>
        queue.report({
          agentId: 'a',
          jobId: job.jobId,
          kind: job.kind,
          scope: job.scope,
          state,
          progress: { doneCount: 0, totalCount: -1 },
          checkpoint: null,
          message: '',
        });
      if (report('running')) continue;
      held.splice(held.indexOf(job), 1);
      report('givenBack');
    }
  };
  const round = async () => {
    queue.planSoon(...kinds);
    await clock.pass(1_000);
    attend();
    await claim();
  };
  const scopes = () => held.map(({ kind, scope }) => `${kind} ${scope}`).toSorted();
  return { clock, queue, held, round, scopes };
}

test('a migration has one job for its topics and one for each slot, with its secrets', async () => {
  let opened = 0;
  const openSecrets = async () => {
    opened++;
    return { password: 'open sesame' };
  };
  const { held, round, scopes, queue } = stage([{ task, slotCount: 2, openSecrets }]);
  await round();
  await round();
  assert.deepEqual(scopes(), [
    'migration_copy pi_1 0/2 pc_1',
    'migration_copy pi_1 1/2 pc_1',
    'migration_topics pi_1 pc_1',
  ]);
  for (const { kind, task: bytes } of held) {
    const read = kind === migrationTopicsKind ? readMigrationTask(bytes) : readMigrationCopyTask(bytes);
    assert.equal(read.secrets?.password, 'open sesame');
  }
  assert.equal(opened, 2, 'secrets are opened for jobs that are handed out');
  assert.ok(!JSON.stringify(queue.list()).includes('sesame'));
  queue.close('done');
});

test('slots of another configuration wait until all slots of the one before have ended', async () => {
  const wanted: WantedMigration[] = [{ task, slotCount: 2 }];
  const { round, scopes, queue, clock } = stage(wanted);
  await round();
  await round();
  wanted[0] = { task: { ...task, configurationId: 'pc_2' }, slotCount: 3 };
  queue.planSoon(...kinds);
  await clock.pass(1_000);
  // The agent has not reported yet, so that the jobs before still count.
  const open = queue.list().jobs.filter(({ state }) => state === 'waiting');
  assert.deepEqual(open, []);
  await round();
  await round();
  await round();
  assert.deepEqual(scopes(), [
    'migration_copy pi_1 0/3 pc_2',
    'migration_copy pi_1 1/3 pc_2',
    'migration_copy pi_1 2/3 pc_2',
    'migration_topics pi_1 pc_2',
  ]);
  wanted.length = 0;
  await round();
  await round();
  assert.deepEqual(scopes(), [], 'a migration that was paused stops');
  queue.close('done');
});
