import { defineCheck } from '../check.ts';
import { bytes, counted, duration } from '../number-texts.ts';

/** Deletion runs every few seconds; a file that waits this much longer than it should is stuck. */
const lateMs = 3_600_000;

export const deadFilesGrowing = defineCheck({
  name: 'dead_files_growing',
  type: 'storage',
  source: 'control_plane',
  severity: 'medium',
  title: 'Unreferenced files are not deleted',
  observes: 'Unreferenced files in the bucket, and how long their deletion is overdue.',
  explanation:
    'Retention, deleted records and deleted topics leave unreferenced files, which background jobs delete after service.file.delete.delay.ms. If they do not, the bucket grows without limit.',
  fix: 'Run an agent with the jobs role, with deadscanner in its -jobSelector and without -disableFileDeletion, and grant it permission to delete objects; list_jobs shows why jobs fail. If files must stay, as in an immutable bucket, mute this diagnostic.',
  kinds: ['kafka', 'data_lake'],
  run({ atMs, cluster, deadFiles }) {
    if (deadFiles === undefined) return { missing: 'file totals' };
    const { fileCount, byteCount, oldestDeadMs, deleteDelayMs, isDeletionOn, deletingAgentCount } = deadFiles;
    if (fileCount === 0 || oldestDeadMs === undefined) return [];
    const waitedMs = atMs - oldestDeadMs;
    // A cluster that keeps its files on purpose is shown at once what that keeps.
    if (isDeletionOn && waitedMs <= deleteDelayMs + lateMs) return [];
    const reason = !isDeletionOn
      ? 'service.file.delete.enable is false'
      : deletingAgentCount === 0
        ? 'no agent runs file deletion jobs'
        : 'file deletion jobs fail or are too slow';
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        severity: isDeletionOn ? undefined : 'low',
        message: `${counted(fileCount, 'file')} (${bytes(byteCount)}) not deleted, the oldest overdue for ${duration(waitedMs)}: ${reason}.`,
        weight: fileCount,
        sinceMs: oldestDeadMs,
      },
    ];
  },
});
