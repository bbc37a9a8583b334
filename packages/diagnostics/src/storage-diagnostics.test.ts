import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fileCompactionKind, fileDeletionKind } from '@weir/cluster';
import { oneBatchFile, startLeader, until } from '@weir/controlplane/testing';
import { systemClock } from '@weir/core';
import { agentOf } from '../testing/diagnostic-snapshot.ts';
import { noHistory } from './history.ts';
import { type CheckName, checks } from './registry.ts';
import { RegistryLevels } from './registry-levels.ts';
import { runChecks } from './run-checks.ts';
import { takeDiagnosticSnapshot } from './take-diagnostic-snapshot.ts';

const hourMs = 3_600_000;
let ids = 0;

/** A leader with files of one topic, and what its diagnostics find, also at a later time. */
async function stage(
  t: TestContext,
  fileCount: number,
  configs: Readonly<Record<string, string>> = {},
  fileAgeMs = 0,
) {
  const node = await startLeader(t);
  const [made] = await node.createTopics([{ name: 'orders', partitionCount: 1, configs }], {
    validateOnly: false,
  });
  const { topicId } = made!.topic!;
  const files = Array.from({ length: fileCount }, () => {
    const time = (systemClock.nowMs() - fileAgeMs).toString(16).padStart(12, '0');
    const fileId = `${time}0${(++ids).toString(16).padStart(19, '0')}`;
    return { ...oneBatchFile(1, topicId, 0, 1), fileId };
  });
  await node.commitFiles(files);
  const fileIds = files.map(({ fileId }) => fileId);
  const snapshotAt = (laterMs: number) =>
    takeDiagnosticSnapshot(node, {
      kind: 'kafka',
      nowMs: () => systemClock.nowMs() + laterMs,
      registryLevels: new RegistryLevels(),
      signal: new AbortController().signal,
    });
  return {
    node,
    topicId,
    fileIds,
    snapshotAt,
    async found(name: CheckName, laterMs = 0) {
      const snapshot = await snapshotAt(laterMs);
      const { results, errors } = runChecks(checks, snapshot, noHistory);
      assert.deepEqual(errors, []);
      const { result } = results.find((one) => one.name === name)!;
      assert.ok(!('missing' in result), name);
      return result.map(({ severity, message }) =>
        severity === undefined ? message : `${severity} ${message}`,
      );
    },
    /** Claims jobs for an agent; the claim ends when the leader does. */
    claim: (kinds: readonly string[], pausedKinds: readonly string[] = []) =>
      void node.claimJobs({ agentId: 'a', kinds, pausedKinds, slots: 1, waitMs: 60_000 }).catch(() => []),
  };
}

test('compaction_behind: files that nothing merges, and why', async (t) => {
  const { node, topicId, found, claim } = await stage(t, 40);
  assert.deepEqual(await found('compaction_behind'), []);
  const late = async () => {
    const [line, ...more] = await found('compaction_behind', 2 * hourMs);
    assert.deepEqual(more, []);
    return line;
  };
  assert.match(
    (await late())!,
    /^Merge overdue: 40 files of level 0 \(.*\), oldest .*: no agent runs compaction jobs\.$/,
  );
  await node.heartbeat(agentOf('a'));
  claim([fileDeletionKind], [fileCompactionKind]);
  assert.match(
    (await late())!,
    /^low Merge overdue: 40 files .*: agents postpone merges until clients write less\.$/,
  );
  claim([fileDeletionKind, fileCompactionKind]);
  assert.match((await late())!, /^Merge overdue: 40 files .*: merges are slower than new files arrive\.$/);
  await node.removeTopics([{ topicId }]);
  assert.equal(await late(), undefined);
});

test('compaction_behind: fewer files than a merge takes can wait', async (t) => {
  const { found } = await stage(t, 31);
  assert.deepEqual(await found('compaction_behind', 2 * hourMs), []);
});

test('compaction_behind: keys that nothing compacts', async (t) => {
  const { found } = await stage(t, 1, { 'cleanup.policy': 'compact' });
  assert.deepEqual(await found('compaction_behind'), []);
  assert.deepEqual(await found('compaction_behind', 2 * hourMs), [
    '1 partition of topic orders: compaction overdue for 60 minutes.',
  ]);
});

test('dead_files_growing: dead files that nothing deletes', async (t) => {
  const { node, topicId, fileIds, found } = await stage(t, 3);
  assert.deepEqual(await found('dead_files_growing', 2 * hourMs), []);
  await node.removeTopics([{ topicId }]);
  assert.deepEqual(await found('dead_files_growing'), []);
  const [line] = await found('dead_files_growing', 2 * hourMs);
  assert.match(line!, /^3 files \(.*\) not deleted, .*: no agent runs file deletion jobs\.$/);
  await node.forgetDeadFiles(fileIds);
  assert.deepEqual(await found('dead_files_growing', 2 * hourMs), []);
});

test('no_jobs_agent: agents without the role jobs', async (t) => {
  const { node, found } = await stage(t, 0);
  assert.deepEqual(await found('no_jobs_agent'), []);
  await node.heartbeat(agentOf('a', { roles: ['proxy'] }));
  assert.deepEqual(await found('no_jobs_agent'), ['1 agent runs; roles: proxy.']);
  await node.heartbeat(agentOf('b'));
  assert.deepEqual(await found('no_jobs_agent'), []);
});

test('waiting_jobs: jobs that no agent takes', async (t) => {
  const { node, found, snapshotAt, claim } = await stage(t, 40, {}, 60_000);
  await node.heartbeat({ ...agentOf('a'), roles: ['jobs'] });
  claim([fileDeletionKind]);
  await until(async () => (await node.listJobs()).jobs.some(({ state }) => state === 'waiting'));
  assert.deepEqual(await found('waiting_jobs'), []);
  const { waitingJobs } = await snapshotAt(0);
  const oldestMs = waitingJobs?.[0]?.oldestMs;
  const facts = { kind: fileCompactionKind, jobCount: 1, oldestMs, agentCount: 0, pausedCount: 0 };
  assert.deepEqual(waitingJobs, [facts]);
});
