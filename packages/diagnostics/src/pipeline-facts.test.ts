import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JobState, type ListedJob, linkingScope, pipelineScope } from '@weir/cluster';
import { pipelineFacts } from './pipeline-facts.ts';

const job = (scope: string, state: JobState, facts: Partial<ListedJob> = {}): ListedJob => ({
  jobId: `job of ${scope}`,
  kind: 'pipeline',
  scope,
  state,
  agentId: null,
  plannedMs: 1,
  startedMs: null,
  endedMs: null,
  progress: { doneCount: 0, totalCount: -1 },
  failureCount: 0,
  retryMs: null,
  message: '',
  ...facts,
});

const of = (configurationId: string, instance: number, pipelineId = 'pi_1') =>
  pipelineScope({ pipelineId, configurationId, instance });

const wanted = {
  pipelineId: 'pi_1',
  name: 'clean',
  type: 'bento',
  configurationId: 'pci_2',
  instanceCount: 2,
  groupIds: [],
} as const;

test('the first job of each instance of the deployed configuration counts', () => {
  const progress = { doneCount: 7, totalCount: -1, errorCount: 2, lastError: 'x', lastErrorStage: 'output' };
  const { agentCount, instances } = pipelineFacts(wanted, {
    jobs: [
      job(of('pci_1', 0), 'running'),
      job(of('pci_2', 0), 'running', { progress }),
      job(of('pci_2', 0), 'done'),
      job(`${of('pci_2', 1)} digest`, 'failing', { failureCount: 3, message: 'no' }),
      job(of('pci_2', 5, 'pi_2'), 'running'),
      job(of('pci_2', 6), 'running', { kind: 'file_compaction' }),
    ],
    takers: [
      { kind: 'file_compaction', agentCount: 9, pausedCount: 0 },
      { kind: 'pipeline', agentCount: 4, pausedCount: 0 },
    ],
  });
  assert.equal(agentCount, 4);
  assert.deepEqual(
    instances.map(({ instance, state, doneCount, errorCount, lastErrorStage, failureCount, message }) => {
      return [instance, state, doneCount, errorCount, lastErrorStage, failureCount, message];
    }),
    [
      [0, 'running', 7, 2, 'output', 0, ''],
      [1, 'failing', 0, 0, '', 3, 'no'],
    ],
  );
});

test('a sync of schema linking is an instance', () => {
  const scope = linkingScope({ pipelineId: 'pi_1', configurationId: 'pci_2' });
  const { agentCount, instances } = pipelineFacts(
    { ...wanted, type: 'schema_linking' },
    {
      jobs: [job(`${scope} digest`, 'failing', { kind: 'schema_linking', failureCount: 3 })],
      takers: [{ kind: 'schema_linking', agentCount: 1, pausedCount: 0 }],
    },
  );
  assert.deepEqual([agentCount, instances.map(({ failureCount }) => failureCount)], [1, [3]]);
});
