import { defineCheck } from '../check.ts';
import { clusterKinds } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const bucketPermission = defineCheck({
  name: 'bucket_permission',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'Agents may not do all that they have to do in the bucket',
  observes: 'Operations that the store refused because they are not allowed.',
  explanation:
    'Without put nothing can be written, without get nothing read; list and delete are for the removal of files that nothing needs any more, without which the bucket grows for ever.',
  fix: 'Allow the identity of the agents to put, get, list and delete objects below the prefix of the bucket URL, and to abort multipart uploads.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 3 },
  run({ buckets }) {
    if (buckets === undefined) return { missing: 'stats of buckets' };
    return buckets.flatMap(({ name, deniedOperations }) => {
      const denied = deniedOperations.filter((row) => row.count > 0);
      if (denied.length === 0) return [];
      const parts = denied.map((row) => `${row.operation} ${counted(row.count, 'time')}`);
      return [
        {
          entity: { kind: 'bucket', name } as const,
          message: `${name} refused ${parts.join(', ')} since the last look.`,
          weight: denied.reduce((sum, row) => sum + row.count, 0),
        },
      ];
    });
  },
});
