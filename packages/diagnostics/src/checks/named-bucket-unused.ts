import { defineCheck } from '../check.ts';
import { clusterKinds, livingAgents } from '../diagnostic-snapshot.ts';

export const namedBucketUnused = defineCheck({
  name: 'named_bucket_unused',
  type: 'storage',
  source: 'agent',
  severity: 'high',
  title: 'Agents do not write to the bucket that the cluster names',
  observes: 'Whether each agent uses the bucket of service.bucket.url, and why it does not.',
  explanation:
    'The agent goes on writing to the bucket before, so that no record is lost, but files do not go where they should. If the operator of the agent does not allow the bucket, its consumers get errors for what other agents wrote there.',
  fix: 'List the bucket in -allowedBucketURLs of the agents, or give them the right to put, get, list and delete objects there; they try again every few seconds. Or set service.bucket.url back.',
  kinds: clusterKinds,
  damping: { failAfterRuns: 1, recoverAfterRuns: 1 },
  run(snapshot) {
    const agents = livingAgents(snapshot);
    if (agents.every(({ bucketProblem }) => bucketProblem === undefined))
      return { missing: 'reports of agents' };
    return agents.flatMap(({ agentId, host, bucketProblem }) =>
      bucketProblem === undefined || bucketProblem === ''
        ? []
        : [
            {
              entity: { kind: 'agent', name: agentId } as const,
              message: `${agentId} at ${host} keeps the bucket before: ${bucketProblem}.`,
              weight: 1,
            },
          ],
    );
  },
});
