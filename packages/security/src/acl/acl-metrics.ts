import type { AclResourceType, MetricRow, Metrics, NeededOperation } from '@weir/core';

export const deniedRow: MetricRow<'resource_type' | 'operation'> = {
  name: 'agent_acl_denied',
  kind: 'counter',
  help: 'Requests denied by ACLs, or that would have been denied in shadow mode.',
  labels: ['resource_type', 'operation'],
};

export interface AclMetrics {
  denied(resourceType: AclResourceType, operation: NeededOperation): void;
}

export function aclMetrics(metrics: Metrics): AclMetrics {
  return {
    denied: (resourceType, operation) =>
      metrics.series(deniedRow, { resource_type: resourceType, operation }).add(1),
  };
}
