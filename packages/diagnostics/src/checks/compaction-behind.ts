import { defineCheck, type Finding } from '../check.ts';
import type { CompactionFacts } from '../diagnostic-snapshot.ts';
import { bytes, counted, duration } from '../number-texts.ts';

export const compactionBehind = defineCheck({
  name: 'compaction_behind',
  type: 'storage',
  source: 'control_plane',
  severity: 'medium',
  title: 'Compaction backlog',
  observes:
    'Files whose merge is at least an hour overdue, by level, and compacted topics whose log compaction is at least an hour overdue by min.cleanable.dirty.ratio or max.compaction.lag.ms.',
  explanation:
    'More files mean more requests per read of old records and more memory in the control plane, and deleted records use storage until their file is rewritten. Compacted topics keep superseded values.',
  fix: 'Check that agents with the jobs role have compaction in their -jobSelector. If merges are too slow, add agents or raise -jobsRunnerSlotsAmplification; list_jobs shows why jobs fail. With a file:// bucket or one in memory, merges wait until clients write less than 5 MB/s for a minute: if that never happens, use an object store or mute this diagnostic.',
  kinds: ['kafka', 'data_lake'],
  run({ atMs, cluster, compaction }) {
    if (compaction === undefined) return { missing: 'compaction backlog' };
    const { lateTopics, lateLevels: late } = compaction;
    const findings = lateTopics.map(({ name, partitionCount, dueMs }): Finding => {
      return {
        entity: { kind: 'topic', name },
        message: `${counted(partitionCount, 'partition')} of topic ${name}: compaction overdue for ${duration(Math.max(0, atMs - dueMs))}.`,
        weight: atMs - dueMs,
        sinceMs: dueMs,
      };
    });
    if (late.length === 0) return findings;
    const oldestMs = Math.min(...late.map((level) => level.oldestMs));
    const levels = late.map(
      ({ level, files, bytes: amount }) => `${counted(files, 'file')} of level ${level} (${bytes(amount)})`,
    );
    const { reason, severity } = reasonOf(compaction);
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        severity,
        message: `Merge overdue: ${levels.join(' and ')}, oldest ${duration(Math.max(0, atMs - oldestMs))}: ${reason}.`,
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
  // Files on a disk or in memory are read well as they are.
  if (mergingAgentCount === 0 && pausedAgentCount > 0)
    return {
      reason: 'agents postpone merges until clients write less',
      severity: 'low',
    };
  if (mergingAgentCount === 0) return { reason: 'no agent runs compaction jobs' };
  if (problem !== undefined) return { reason: `compaction jobs fail: ${problem.replace(/\.$/, '')}` };
  return { reason: 'merges are slower than new files arrive' };
}
