import { pipelineKind } from '@weir/cluster';
import { defineCheck } from '../check.ts';
import { livingAgents } from '../diagnostic-snapshot.ts';
import { counted, duration } from '../number-texts.ts';

/** A job that agents take starts within seconds, or after the jobs before it. */
const waitMsMax = 10 * 60_000;

export const waitingJobs = defineCheck({
  name: 'waiting_jobs',
  type: 'agents',
  source: 'control_plane',
  severity: 'medium',
  title: 'Background jobs wait and no agent takes them',
  observes:
    'How long background jobs of each kind have waited for an agent, and how many agents take the kind. Jobs that agents postpone while clients write are compaction_behind, and instances of pipelines are pipeline_not_running.',
  explanation:
    'Background jobs merge files, compact keys, delete unreferenced files and copy schemas. No data is lost while they wait, but files pile up, reads of old records need more requests, and the bucket grows.',
  fix: 'Give a running agent with the jobs role the category of these jobs in -jobSelector, and remove -disableFileDeletion for file_deletion. If all agents are busy, add agents or raise -jobsRunnerSlotsAmplification. list_jobs shows all jobs.',
  kinds: ['kafka', 'data_lake'],
  run(snapshot) {
    const { atMs, waitingJobs } = snapshot;
    if (waitingJobs === undefined) return { missing: 'jobs' };
    // Clusters without such agents are other diagnostics.
    if (!livingAgents(snapshot).some(({ roles }) => roles.includes('jobs'))) return [];
    return waitingJobs
      .filter(({ kind, oldestMs, agentCount, pausedCount }) => {
        if (kind === pipelineKind) return false;
        return atMs - oldestMs >= waitMsMax && (agentCount > 0 || pausedCount === 0);
      })
      .map(({ kind, jobCount, oldestMs, agentCount }) => ({
        entity: { kind: 'job', name: kind } as const,
        ...(agentCount === 0 ? {} : { severity: 'low' as const }),
        message: `${counted(jobCount, 'job')} of kind ${kind}: waiting for ${duration(atMs - oldestMs)}; ${
          agentCount === 0
            ? 'no agent takes this kind'
            : `${counted(agentCount, 'agent')} busy with other jobs`
        }.`,
        weight: atMs - oldestMs,
        sinceMs: oldestMs,
      }));
  },
});
