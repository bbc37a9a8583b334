import type { PipelineType } from '@weir/api';
import { readPipelineTask } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { systemClock } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import type { AccountsDatabase } from '../../packages/controlplane/src/accounts/open.ts';
import { checkedConfiguration } from '../../packages/controlplane/src/pipelines/check-configuration.ts';
import type { TestAccount } from '../../packages/controlplane/testing/two-accounts.ts';

/** Pipelines of the seeded cluster. The errors of the first are among the events. */

const toLake = (topics: string) => `
input:
  kafka_franz_service: { topics: [${topics}], consumer_group: to_lake }
pipeline:
  processors:
    - mapping: |
        root = this
        root.seen_at = now()
output:
  http_client:
    url: https://lake:hunter2@lake.example/ingest
    headers: { X-Api-Key: hunter2 }
`;

const toSearch = `
input:
  kafka_franz_service: { topics: [orders], consumer_group: to_search }
pipeline:
  processors:
    - mapping: root = this
output:
  http_client:
    url: https://search.example/index
`;

const withVariable = `
input:
  kafka_franz_service: { topics: [refunds], consumer_group: refunds_to_lake }
output:
  http_client:
    url: https://lake.example/ingest
    headers: { X-Api-Key: "\${WEIR_PIPELINE_LAKE_KEY}" }
`;

const migration = `
source_bootstrap_brokers: [{ hostname: old-kafka, port: 9092 }]
source_cluster_credentials: { sasl_username_env: WEIR_PIPELINE_OLD_USER, sasl_password_env: WEIR_PIPELINE_OLD_PASSWORD, sasl_mechanism: plain }
topic_mappings: [{ source_regex: 'payments.*' }]
`;

interface Seeded {
  readonly name: string;
  readonly type: PipelineType;
  readonly configurations: readonly string[];
  readonly isDeployed: boolean;
  readonly isRunning?: boolean;
}

const seeded: readonly Seeded[] = [
  {
    name: 'orders_to_lake',
    type: 'bento',
    configurations: [toLake('orders'), toLake('orders, refunds')],
    isDeployed: true,
  },
  { name: 'from_old_kafka', type: 'orbit', configurations: [migration], isDeployed: false },
  { name: 'spare', type: 'bento', configurations: [], isDeployed: false },
  {
    name: 'orders_to_search',
    type: 'bento',
    configurations: [toSearch],
    isDeployed: true,
    isRunning: true,
  },
  {
    name: 'refunds_to_lake',
    type: 'bento',
    configurations: [withVariable],
    isDeployed: true,
    isRunning: true,
  },
];

export async function seedPipelines(
  { pipelines }: AccountsDatabase,
  { accountId, a: { clusterId } }: TestAccount,
): Promise<void> {
  for (const { name, type, configurations, isDeployed, isRunning = false } of seeded) {
    const { id: pipelineId } = await pipelines.create(accountId, clusterId, name, type);
    const place = { accountId, clusterId, pipelineId };
    for (const yaml of configurations) {
      const { id } = await pipelines.addConfiguration(
        place,
        checkedConfiguration(type, { yaml }, usualTenantAccess),
      );
      if (isDeployed) await pipelines.change(place, { deployedConfigurationId: id });
    }
    if (isRunning) await pipelines.change(place, { state: 'running' });
  }
}

/** Plays the agent that runs pipelines: one has an output that is down, one is refused. */
export async function playPipelines(node: ClusterNode): Promise<void> {
  const claim = { agentId: 'agent-b', runner: 'pipelines', kinds: ['pipeline'], slots: 8, waitMs: 1_000 };
  let open = seeded.filter(({ isRunning }) => isRunning).length;
  while (open > 0) {
    for (const { jobId, task } of await node.claimJobs(claim)) {
      open--;
      const { pipelineName } = readPipelineTask(task);
      const report = { agentId: 'agent-b', jobId, checkpoint: null, message: '' };
      if (pipelineName === 'orders_to_search')
        await node.reportJob({
          ...report,
          state: 'running',
          progress: {
            doneCount: 120,
            totalCount: -1,
            messagesPerSecond: 0,
            receivedMessagesPerSecond: 3,
            failedCount: 7,
            errorCount: 7,
            lastError: 'failed to write to the output: connect ECONNREFUSED search.example:443',
            lastErrorStage: 'output',
            lastErrorMs: systemClock.nowMs(),
          },
        });
      else
        await node.reportJob({
          ...report,
          state: 'failed',
          progress: { doneCount: 0, totalCount: -1 },
          message: 'line 7, column 28: the variable WEIR_PIPELINE_LAKE_KEY is not set',
          needsOperator: true,
        });
    }
  }
}
