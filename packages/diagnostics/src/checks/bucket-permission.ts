import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const bucketPermission = defineCheck({
  name: 'bucket_permission',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'Agents lack bucket permissions',
  observes: 'Requests that the object store refused with access denied.',
  explanation:
    'Without PUT agents cannot write and without GET they cannot read. Without LIST and DELETE they cannot remove unreferenced files, and the bucket grows without limit.',
  fix: 'Grant the identity of the agents permission to put, get, list and delete objects under the prefix of the bucket URL, and to abort multipart uploads.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 3 },
  run({ buckets }) {
    if (buckets === undefined) return { missing: 'bucket stats' };
    return buckets.flatMap(({ name, deniedOperations }) => {
      const denied = deniedOperations.filter((row) => row.count > 0);
      if (denied.length === 0) return [];
      const parts = denied.map((row) => `${row.operation} ${counted(row.count, 'time')}`);
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `Bucket ${name} denied ${parts.join(', ')} since the last run.`,
          weight: denied.reduce((sum, row) => sum + row.count, 0),
        },
      ];
    });
  },
});
