import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';
import { counted } from '../number-texts.ts';

export const bucketUnavailable = defineCheck({
  name: 'bucket_unavailable',
  type: 'storage',
  source: 'agent',
  severity: 'critical',
  title: 'A bucket is missing, or cannot be written',
  observes:
    'Operations that found no bucket, and agents whose writes have failed for a while: they are not ready, as GET /v1/ready of the agent says.',
  explanation:
    'Records that were written before are in the bucket, if it still exists somewhere, and are not damaged. Until it is back, producers and consumers get KAFKA_STORAGE_ERROR and try again.',
  fix: 'Mount the disk or the directory of a file:// bucket again, free space on a full disk, or restore the deleted bucket with its objects. Agents go on by themselves; they never make a bucket again that was there. If the cluster is to use another bucket, start the agents with it.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 2 },
  run(snapshot) {
    const { buckets } = snapshot;
    if (buckets === undefined) return { missing: 'stats of buckets' };
    const missing = buckets
      .filter(({ missingCount }) => missingCount > 0)
      .map(({ name, missingCount }) => ({
        entity: { kind: 'bucket', name } as const,
        message: `${name} does not exist, as ${counted(missingCount, 'operation')} found since the last look.`,
        weight: missingCount,
      }));
    const unwritable = livingAgents(snapshot).flatMap(({ agentId, host, writeProblem }) =>
      writeProblem === undefined
        ? []
        : [
            {
              entity: { kind: 'agent', name: agentId } as const,
              message: `Agent ${agentId} at ${host} is not ready: ${writeProblem}.`,
              weight: 1,
            },
          ],
    );
    return [...missing, ...unwritable];
  },
});
