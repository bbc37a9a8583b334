import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { duration } from '../number-texts.ts';

const ageMsMax = 5 * 60_000;

export const metadataBackupBehind = defineCheck({
  name: 'metadata_backup_behind',
  type: 'storage',
  source: 'control_plane',
  severity: 'high',
  title: 'Metadata backup is stale',
  observes: `The metric metadata_backup_age_seconds, against ${duration(ageMsMax)}, if the metadata backup is enabled.`,
  explanation:
    'If the control plane database is lost, a restore from the bucket loses all metadata written since the last complete backup.',
  fix: 'Check the control plane log for "failed to back up metadata". The control plane needs permission to get, put, list and delete objects in the bucket of -bucketURL.',
  kinds: clusterKinds,
  run({ cluster, metadataBackupAgeMs: ageMs }) {
    if (ageMs === undefined || ageMs < ageMsMax) return [];
    return [
      {
        entity: { kind: 'cluster', name: cluster.clusterId },
        message: `Last complete metadata backup: ${duration(ageMs)} ago.`,
        weight: ageMs,
      },
    ];
  },
});
