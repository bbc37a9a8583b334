import { clusterLimits } from '@weir/cluster/limits';
import { coreLimits, type MetricRow, scrapedName } from '@weir/core';
import type { SomeHandlers } from '../handler.ts';
import { readResourceCounts } from './cluster-reads.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

/** Labels of every series of a cluster. */
const commonTags = ['virtual_cluster_id', 'agent_version'];

export function monitoringOperations({ clusterPort, metricRows }: ClusterServices) {
  return {
    'monitoring/describe_quotas': async ({ virtual_cluster_id }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const [counts, agents, groups, deleted, subscriptions, groupConfigs, transactions] = await Promise.all([
        readResourceCounts(port, context),
        port.listAgents(),
        port.listGroups({ states: [], types: [] }),
        port.listDeletedTopics(),
        port.listConfigResources('clientMetrics'),
        port.listConfigResources('group'),
        port.listTransactions({ states: [], producerIds: [], openForMs: -1 }),
      ]);
      const deletedPartitions = deleted.reduce((sum, { topic }) => sum + topic.partitionCount, 0);
      const rows: [name: string, limit: number, used: number][] = [
        ['acls', coreLimits.aclsMax, counts.acls],
        ['agents', coreLimits.agentsPerClusterMax, agents.length],
        ['client_metrics_subscriptions', coreLimits.clientMetricsMax, subscriptions.length],
        ['client_quotas', coreLimits.clientQuotasMax, counts.clientQuotas],
        ['consumer_groups', coreLimits.groupsMax, groups.length],
        ['credentials', coreLimits.credentialsMax, counts.credentials],
        ['group_configs', clusterLimits.groupConfigsMax, groupConfigs.length],
        ['partitions', coreLimits.partitionsPerClusterMax, counts.partitions],
        [
          'partitions_with_deleted_topics',
          clusterLimits.partitionsHeldMax,
          counts.partitions + deletedPartitions,
        ],
        // A topic has at least one partition.
        ['topics', coreLimits.partitionsPerClusterMax, counts.topics],
        ['transactional_ids', clusterLimits.transactionalIdsMax, transactions.length],
      ];
      return { quotas: rows.map(([name, limit, used]) => ({ name, limit, used })) };
    },

    'monitoring/describe_cluster_metrics': async ({ virtual_cluster_id }) => {
      const rows = new Map(metricRows(virtual_cluster_id).map((row) => [row.name, row]));
      return { metrics: [...rows.values()].map(described).sort((a, b) => byText(a.name, b.name)) };
    },
  } satisfies SomeHandlers;
}

function described({ name, kind, help, labels }: MetricRow) {
  return {
    name: scrapedName(name),
    type: kind,
    unit: unitOf(name),
    description: help,
    tags: [...new Set([...commonTags, ...labels])],
  };
}

const units: Readonly<Record<string, string>> = {
  seconds: 'seconds',
  ms: 'milliseconds',
  ts: 'nanoseconds',
  bytes: 'bytes',
  records: 'records',
  ratio: 'ratio',
  pct: 'percent',
};

/** Names end in their unit, as Prometheus recommends. */
function unitOf(name: string): string {
  const last = name
    .replace(/_total$/, '')
    .split('_')
    .at(-1)!;
  return Object.hasOwn(units, last) ? units[last]! : '';
}
