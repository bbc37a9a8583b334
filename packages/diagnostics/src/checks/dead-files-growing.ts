import { defineCheck } from '../check.ts';
import { bytes, counted, duration } from '../number-texts.ts';

/** Deletion runs every few seconds; a file that waits this much longer than it should is stuck. */
const lateMs = 3_600_000;

export const deadFilesGrowing = defineCheck({
  name: 'dead_files_growing',
  type: 'storage',
  source: 'control_plane',
  severity: 'medium',
  title: 'Files that nothing needs any more stay in the bucket',
  observes: 'Files without a reference, and for how long they have been waiting for their deletion.',
  explanation:
    'Retention, deleted records and deleted topics leave files that nothing refers to. Background jobs of agents delete them after service.file.delete.delay.ms. Where that does not happen, the bucket grows without end.',
  fix: 'Let an agent with the role jobs run without -disableFileDeletion and with deadscanner in its -jobSelector, and allow it to delete objects; list_jobs shows why jobs fail. If the files are to stay, as in an immutable bucket, mute this diagnostic.',
  kinds: ['kafka', 'data_lake'],
  run({ atMs, cluster, deadFiles }) {
    if (deadFiles === undefined) return { missing: 'totals of files' };
    const { fileCount, byteCount, oldestDeadMs, deleteDelayMs, isDeletionOn, deletingAgentCount } = deadFiles;
    if (fileCount === 0 || oldestDeadMs === undefined) return [];
    const waitedMs = atMs - oldestDeadMs;
    // A cluster that keeps its files on purpose is shown at once what that keeps.
    if (isDeletionOn && waitedMs <= deleteDelayMs + lateMs) return [];
    const reason = !isDeletionOn
      ? 'service.file.delete.enable is false'
      : deletingAgentCount === 0
        ? 'no agent takes jobs that delete files'
        : 'the jobs that delete files fail or are too slow';
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        severity: isDeletionOn ? undefined : 'low',
        message: `${counted(fileCount, 'file')} with ${bytes(byteCount)} could be deleted, the oldest for ${duration(waitedMs)}: ${reason}.`,
        weight: fileCount,
        sinceMs: oldestDeadMs,
      },
    ];
  },
});
