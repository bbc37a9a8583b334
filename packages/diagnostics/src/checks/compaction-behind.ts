import { defineCheck, type Finding } from '../check.ts';
import type { CompactionFacts } from '../diagnostic-snapshot.ts';
import { bytes, counted, duration } from '../number-texts.ts';

export const compactionBehind = defineCheck({
  name: 'compaction_behind',
  type: 'storage',
  source: 'control_plane',
  severity: 'medium',
  title: 'Compaction is behind',
  observes:
    'Files that should have been merged at least an hour ago, by level, and compacted topics whose keys should have been compacted an hour ago, by min.cleanable.dirty.ratio or max.compaction.lag.ms.',
  explanation:
    'Reading old records takes more requests the more files hold them, the control plane needs memory for each of them, and dead bytes in files are paid for until the files are rewritten. Compacted topics keep values that were replaced.',
  fix: 'Let agents with the role jobs have compaction in their -jobSelector, and more of them or a higher -jobsRunnerSlotsAmplification if merges are too slow; list_jobs shows why jobs fail. On a disk, merges wait until clients write less than 5 MB/s for a minute: if that never happens, use an object store or mute this diagnostic.',
  kinds: ['kafka', 'data_lake'],
  run({ atMs, cluster, compaction }) {
    if (compaction === undefined) return { missing: 'the backlog of compaction' };
    const { lateTopics, isInMemory } = compaction;
    const late = isInMemory ? [] : compaction.lateLevels;
    const findings = lateTopics.map(({ name, partitionCount, dueMs }): Finding => {
      return {
        entity: { kind: 'topic', name },
        message: `${counted(partitionCount, 'partition')} of ${name} should have been compacted ${duration(Math.max(0, atMs - dueMs))} ago or earlier.`,
        weight: atMs - dueMs,
        sinceMs: dueMs,
      };
    });
    if (late.length === 0) return findings;
    const oldestMs = Math.min(...late.map((level) => level.oldestMs));
    const levels = late.map(
      ({ level, files, bytes: amount }) =>
        `${counted(files, 'file')} of level ${level} with ${bytes(amount)}`,
    );
    const { reason, severity } = reasonOf(compaction);
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        severity,
        message: `${levels.join(' and ')} should have been merged, the oldest is ${duration(Math.max(0, atMs - oldestMs))} old: ${reason}.`,
        weight: late.reduce((sum, { files }) => sum + files, 0),
        sinceMs: oldestMs,
      },
      ...findings,
    ];
  },
});

function reasonOf({ mergingAgentCount, pausedAgentCount, problem }: CompactionFacts): {
  readonly reason: string;
  readonly severity?: 'low';
} {
  // Files on a disk are read well as they are.
  if (mergingAgentCount === 0 && pausedAgentCount > 0)
    return { reason: 'agents wait until clients write less to their disk', severity: 'low' };
  if (mergingAgentCount === 0) return { reason: 'no agent takes jobs that merge files' };
  if (problem !== undefined) return { reason: `jobs that merge files fail: ${problem.replace(/\.$/, '')}` };
  return { reason: 'merges are slower than new files come' };
}
