import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClaimedJob,
  type JobReport,
  type ReportedTable,
  readTableRemovalTask,
  readTableTask,
  tableIngestionKind,
  tableMaintenanceKind,
  tableRemovalKind,
  tableReplayKind,
} from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { JobQueue } from './job-queue.ts';
import { type RemovedTable, tablePlanners, type WantedTable } from './table-planner.ts';

const minuteMs = 60_000;

function tableOf(tableUuid: string, configurationId = 'c1'): WantedTable {
  return {
    task: {
      pipelineId: 'p',
      pipelineName: 'P',
      configurationId,
      tableUuid,
      tableName: `k__${tableUuid}`,
      yaml: '{}',
    },
  };
}

/** A leader whose tables and agents the test plays. */
function stage(...tables: WantedTable[]) {
  const clock = new HandClock();
  const state = {
    wanted: tables,
    removed: [] as RemovedTable[],
    forgotten: [] as string[],
    ended: [] as string[],
    reports: [] as ReportedTable[],
  };
  const queue = new JobQueue({
    planners: tablePlanners(
      {
        wanted: async () => state.wanted,
        removed: async () => state.removed,
        async endReplay(tableUuid, requestedMs) {
          state.ended.push(`${tableUuid} ${requestedMs}`);
          state.wanted = state.wanted.map((table) =>
            table.task.tableUuid === tableUuid && table.replayRequestedMs === requestedMs
              ? { ...table, replayRequestedMs: undefined }
              : table,
          );
        },
        async forget(tableUuid) {
          state.forgotten.push(tableUuid);
          state.removed = state.removed.filter(({ task }) => task.tableUuid !== tableUuid);
        },
      },
      { list: () => state.reports },
      { next: () => 0, below: () => 0 },
    ),
    clock,
    log: silentLog,
    agents: { cpuLoadOf: () => 0.5 },
    metrics: { planned() {}, ended() {} },
    term: 1,
  });
  const held = new Map<string, ClaimedJob>();
  const holders = new Map<string, string>();
  const attend = (agentId: string, slots = 64) => {
    const claim = async (): Promise<void> => {
      const kinds = [tableIngestionKind, tableMaintenanceKind, tableReplayKind, tableRemovalKind];
      const got = await queue.claim({ agentId, kinds, slots, waitMs: 20_000 });
      for (const job of got) {
        held.set(job.jobId, job);
        holders.set(job.jobId, agentId);
      }
      return claim();
    };
    // The end of the leader ends it.
    claim().catch(() => undefined);
  };
  const report = async (job: ClaimedJob, reported: JobReport['state']) => {
    const agentId = holders.get(job.jobId)!;
    const progress = { doneCount: 0, totalCount: -1 };
    const rest = { progress, checkpoint: null, message: '' };
    const isStillIts = await queue.report({ agentId, jobId: job.jobId, state: reported, ...rest });
    if (!isStillIts && reported !== 'running') held.delete(job.jobId);
    return isStillIts;
  };
  /** Time passes, and agents report what they run; those that have to stop end. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 2_000) {
      await clock.pass(Math.min(left, 2_000));
      for (const job of [...held.values()])
        if (!(await report(job, 'running'))) await report(job, 'givenBack');
    }
  };
  const jobsOf = (kind: string) => [...held.values()].filter((job) => job.kind === kind);
  const done = async (kind: string) => {
    for (const job of jobsOf(kind)) await report(job, 'done');
  };
  return { clock, state, queue, attend, pass, jobsOf, done, held, holders };
}

const reportOf = (tableUuid: string, changes: Partial<ReportedTable> = {}): ReportedTable => ({
  tableUuid,
  tableName: `k__${tableUuid}`,
  topic: tableUuid,
  configurationId: 'c1',
  hasConfiguration: true,
  partitions: [],
  partitionCount: 1,
  stoppedPartitionCount: 0,
  lagRecords: 0,
  rowCount: 1,
  keptRecordCount: 0,
  droppedRecordCount: 0,
  isFailing: false,
  agentId: 'a',
  reportedMs: 0,
  ...changes,
});

test('each table has one job, and they spread over agents', async () => {
  const { attend, pass, jobsOf, holders, queue } = stage(
    ...Array.from({ length: 300 }, (_, n) => tableOf(`t${n}`)),
  );
  attend('a');
  attend('b');
  await pass(30_000);
  assert.equal(jobsOf(tableIngestionKind).length, 300, 'more than the jobs of other kinds that may be open');
  const counts = ['a', 'b'].map((id) => [...holders.values()].filter((agentId) => agentId === id).length);
  assert.ok(Math.min(...counts) >= 100, String(counts));
  assert.equal(
    new Set(jobsOf(tableIngestionKind).map(({ task }) => readTableTask(task).tableUuid)).size,
    300,
  );
  queue.close('');
});

test('another configuration starts when the job before has ended, and a table that is not wanted stops', async () => {
  const { attend, clock, state, jobsOf, held, queue, holders } = stage(tableOf('t'), tableOf('u'));
  attend('a');
  await clock.pass(1_000);
  assert.equal(held.size, 2);
  const [first] = jobsOf(tableIngestionKind);
  state.wanted = [tableOf('t', 'c2')];
  queue.planSoon(tableIngestionKind);
  await clock.pass(1_000);
  assert.equal(held.size, 2, 'the job before runs still');
  const report = (job: ClaimedJob, reported: JobReport['state']) =>
    queue.report({
      agentId: holders.get(job.jobId)!,
      jobId: job.jobId,
      state: reported,
      progress: { doneCount: 0, totalCount: -1 },
      checkpoint: null,
      message: '',
    });
  for (const job of [...held.values()]) {
    assert.equal(await report(job, 'running'), false);
    await report(job, 'givenBack');
    held.delete(job.jobId);
  }
  await clock.pass(6_000);
  assert.deepEqual(
    jobsOf(tableIngestionKind).map(({ task }) => readTableTask(task).configurationId),
    ['c2'],
  );
  assert.notEqual(jobsOf(tableIngestionKind)[0]!.jobId, first!.jobId);
  queue.close('');
});

test('secrets are opened once for the tables of a pipeline, for jobs that are handed out', async () => {
  let opened = 0;
  const openSecrets = async () => {
    opened++;
    return { password: 'x' };
  };
  const { attend, pass, jobsOf, queue } = stage(
    ...['t', 'u', 'v'].map((id) => ({ ...tableOf(id), openSecrets })),
  );
  attend('a');
  await pass(10_000);
  assert.deepEqual(
    jobsOf(tableIngestionKind).map(({ task }) => readTableTask(task).secrets),
    Array(3).fill({ password: 'x' }),
  );
  assert.equal(opened, 1);
  queue.close('');
});

test('maintenance comes sooner to a table of many small files, and counts large ones once', async () => {
  const { attend, pass, clock, jobsOf, done, state, queue } = stage(
    ...['many', 'few'].map((id) => tableOf(id)),
  );
  attend('a');
  let runs = 0;
  let files = 0;
  // Fifty files a minute: after the first ten minutes, in which a new leader begins anyway.
  for (let minute = 0; minute < 40; minute++) {
    files += 50;
    const reportedMs = clock.nowMs();
    const common = { reportedMs, lastCommitMs: reportedMs };
    state.reports = [
      reportOf('many', { ...common, fileCount: files }),
      reportOf('few', { ...common, fileCount: minute }),
    ];
    await pass(minuteMs);
    for (const { task } of jobsOf(tableMaintenanceKind))
      if (readTableTask(task).tableUuid === 'many') {
        runs++;
        // Half of them were merged.
        if (minute < 20) files = Math.ceil(files / 2);
      }
    await done(tableMaintenanceKind);
  }
  // Every two to four minutes, with a tenth of ten minutes of chance.
  assert.ok(runs >= 8 && runs <= 20, `${runs} runs`);
  queue.close('');
});

test('maintenance comes after ten minutes with new rows, else after an hour', async () => {
  const { attend, pass, clock, jobsOf, done, state, queue } = stage(
    ...['new', 'idle', 'empty', 'silent'].map((id) => tableOf(id)),
  );
  attend('a');
  const refresh = () => {
    const reportedMs = clock.nowMs();
    state.reports = [
      reportOf('new', { reportedMs, lastCommitMs: reportedMs }),
      reportOf('idle', { reportedMs, lastCommitMs: 1 - 24 * 60 * minuteMs }),
      reportOf('empty', { reportedMs, rowCount: undefined }),
    ];
  };
  const times = new Map<string, number[]>();
  for (let minute = 0; minute <= 65; minute++) {
    refresh();
    await pass(minuteMs);
    for (const { task } of jobsOf(tableMaintenanceKind)) {
      const { tableUuid } = readTableTask(task);
      times.set(tableUuid, [...(times.get(tableUuid) ?? []), minute]);
    }
    await done(tableMaintenanceKind);
  }
  assert.deepEqual([...times.keys()].sort(), ['idle', 'new']);
  assert.equal(times.get('new')!.length, 6);
  assert.equal(times.get('idle')!.length, 1);
  queue.close('');
});

test('the files of a deleted table are deleted when nothing writes it, and then it is forgotten', async () => {
  const { attend, pass, clock, jobsOf, done, state, queue } = stage(tableOf('t'));
  attend('a');
  await pass(5_000);
  const task = { tableUuid: 't', tableName: 'k__t', bucketUrl: 's3://b' };
  state.removed = [{ task, removedMs: clock.nowMs() }];
  await pass(2 * minuteMs);
  assert.deepEqual(jobsOf(tableRemovalKind), [], 'its ingestion runs');
  state.wanted = [];
  state.removed = [{ task, removedMs: clock.nowMs() }];
  await pass(30_000);
  assert.deepEqual(
    [jobsOf(tableIngestionKind), jobsOf(tableRemovalKind)],
    [[], []],
    'agents have time to stop',
  );
  await pass(minuteMs);
  assert.deepEqual(
    jobsOf(tableRemovalKind).map((job) => readTableRemovalTask(job.task)),
    [task],
  );
  assert.deepEqual(state.forgotten, []);
  await done(tableRemovalKind);
  await pass(10_000);
  assert.deepEqual(state.forgotten, ['t']);
  assert.deepEqual(jobsOf(tableRemovalKind), []);
  queue.close('');
});

test('a replay runs once for each time that a user asks for it', async () => {
  const asked = { ...tableOf('t'), replayRequestedMs: 5 };
  const { attend, pass, jobsOf, done, state, queue } = stage(asked, tableOf('other'));
  attend('a');
  await pass(10_000);
  const [job, ...others] = jobsOf(tableReplayKind);
  assert.deepEqual([readTableTask(job!.task).tableUuid, others], ['t', []]);
  // Asked for again while it runs: what was kept meanwhile is replayed too.
  state.wanted = [{ ...asked, replayRequestedMs: 6 }, tableOf('other')];
  await pass(10_000);
  const [second] = jobsOf(tableReplayKind);
  assert.notEqual(second!.jobId, job!.jobId, 'the first one stopped');
  await done(tableReplayKind);
  await pass(10_000);
  assert.deepEqual([state.ended, jobsOf(tableReplayKind)], [['t 6'], []]);
  await pass(60_000);
  assert.deepEqual([state.ended, jobsOf(tableReplayKind)], [['t 6'], []]);
  queue.close('');
});
