import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { duration } from '../number-texts.ts';

const ageMsMax = 5 * 60_000;

export const metadataBackupBehind = defineCheck({
  name: 'metadata_backup_behind',
  type: 'storage',
  source: 'control_plane',
  severity: 'high',
  title: 'The metadata backup in the bucket is behind',
  observes: `The metric metadata_backup_age_seconds, against ${duration(ageMsMax)}. Without a backup there is nothing to check.`,
  explanation:
    'If the database of the control plane is lost, a restore from the bucket loses what was written since the backup was last complete.',
  fix: 'Look into the log of the control plane for "failed to back up metadata": it needs to read, write, list and delete objects in the bucket of -bucketURL.',
  kinds: clusterKinds,
  run({ cluster, metadataBackupAgeMs: ageMs }) {
    if (ageMs === undefined || ageMs < ageMsMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `The metadata backup was last complete ${duration(ageMs)} ago.`,
        weight: ageMs,
      },
    ];
  },
});
