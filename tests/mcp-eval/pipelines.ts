import type { PipelineType } from '@weir/api';
import { usualTenantAccess } from '@weir/cluster/outbound';
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
];

export async function seedPipelines(
  { pipelines }: AccountsDatabase,
  { accountId, a: { clusterId } }: TestAccount,
): Promise<void> {
  for (const { name, type, configurations, isDeployed } of seeded) {
    const { id: pipelineId } = await pipelines.create(accountId, clusterId, name, type);
    const place = { accountId, clusterId, pipelineId };
    for (const yaml of configurations) {
      const { id } = await pipelines.addConfiguration(
        place,
        checkedConfiguration(type, { yaml }, usualTenantAccess),
      );
      if (isDeployed) await pipelines.change(place, { deployedConfigurationId: id });
    }
  }
}
