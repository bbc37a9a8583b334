import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';

export const namedBucketUnused = defineCheck({
  name: 'named_bucket_unused',
  type: 'storage',
  source: 'agent',
  severity: 'high',
  title: 'Agents do not use the configured bucket',
  observes: 'Whether every agent writes to the bucket of service.bucket.url.',
  explanation:
    'The agent keeps writing to the previous bucket: no records are lost, but new files are in the wrong bucket. If the agent may not use the new bucket, its consumers get errors for records that other agents wrote there.',
  fix: 'Add the bucket to -allowedBucketURLs of the agents and grant them permission to put, get, list and delete objects in it; they retry every few seconds. Or revert service.bucket.url.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run(snapshot) {
    const agents = livingAgents(snapshot);
    if (agents.every(({ bucketProblem }) => bucketProblem === undefined)) return { missing: 'agent reports' };
    return agents.flatMap(({ agentId, host, bucketProblem }) =>
      bucketProblem === undefined || bucketProblem === ''
        ? []
        : [
            {
              entity: { kind: 'agent', name: agentId } as const,
              message: `Agent ${agentId} on ${host} still uses the previous bucket: ${bucketProblem}.`,
              weight: 1,
            },
          ],
    );
  },
});
