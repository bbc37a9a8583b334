import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const bucketUnavailable = defineCheck({
  name: 'bucket_unavailable',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'Bucket missing or not writable',
  observes:
    'Requests that failed because the bucket does not exist, and agents whose writes keep failing, so that their GET /v1/ready returns not ready.',
  explanation:
    'Committed records are intact as long as the objects of the bucket exist. Until the bucket is available again, producers and consumers get KAFKA_STORAGE_ERROR and retry.',
  fix: 'Remount the disk or directory of a file:// bucket, free disk space, or restore the deleted bucket with its objects. Agents recover automatically; they never recreate a deleted bucket. To use another bucket, restart the agents with its URL.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 2 },
  run(snapshot) {
    const { buckets } = snapshot;
    if (buckets === undefined) return { missing: 'bucket stats' };
    const missing = buckets
      .filter(({ missingCount }) => missingCount > 0)
      .map(({ name, missingCount }) => ({
        entity: { kind: 'bucket', name } as const,
        message: `Bucket ${name} does not exist: ${counted(missingCount, 'request')} failed since the last run.`,
        weight: missingCount,
      }));
    const unwritable = livingAgents(snapshot).flatMap(({ agentId, host, writeProblem }) =>
      writeProblem === undefined
        ? []
        : [
            {
              entity: { kind: 'agent', name: agentId } as const,
              message: `Agent ${agentId} on ${host} is not ready: ${writeProblem}.`,
              weight: 1,
            },
          ],
    );
    return [...missing, ...unwritable];
  },
});
