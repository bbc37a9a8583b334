import type { MetricRow, Metrics } from '@weir/core';
import type { BackupMetrics } from './cluster-backup.ts';

const ageRow: MetricRow<'cluster'> = {
  name: 'metadata_backup_age_seconds',
  kind: 'gauge',
  help: 'How long ago the metadata backup in the bucket had everything that the leader of the cluster had decided.',
  labels: ['cluster'],
};

const failuresRow: MetricRow<'cluster'> = {
  name: 'metadata_backup_failures_total',
  kind: 'counter',
  help: 'Attempts to extend the metadata backup that failed, and were repeated at the next interval.',
  labels: ['cluster'],
};

const bytesRow: MetricRow<'cluster'> = {
  name: 'metadata_backup_bytes_total',
  kind: 'counter',
  help: 'Bytes that this process wrote to the metadata backup.',
  labels: ['cluster'],
};

export const backupMetricRows: readonly MetricRow[] = [ageRow, failuresRow, bytesRow];

export function backupMetrics(metrics: Metrics, cluster: string): BackupMetrics {
  return {
    ageSeconds: metrics.series(ageRow, { cluster }),
    failures: metrics.series(failuresRow, { cluster }),
    bytes: metrics.series(bytesRow, { cluster }),
  };
}
