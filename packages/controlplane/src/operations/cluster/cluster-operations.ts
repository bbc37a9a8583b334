import {
  type ClusterType,
  catalogue,
  clusterTypeOf,
  type InputOf,
  type OperationName,
  type OutputOf,
} from '@weir/api';
import type { CallContext } from '../call-context.ts';
import type { OperationHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { aclOperations } from './acls.ts';
import { agentOperations } from './agents.ts';
import { clientMetricsOperations } from './client-metrics.ts';
import { clientQuotaOperations } from './client-quotas.ts';
import { clientOperations } from './clients.ts';
import { configurationOperations } from './configuration.ts';
import { consumerGroupOperations } from './consumer-groups.ts';
import { credentialOperations } from './credentials.ts';
import { diagnosticOperations } from './diagnostics.ts';
import { eventOperations } from './events.ts';
import { eventsStateOperations } from './events-state.ts';
import { explainAccessOperations } from './explain-access.ts';
import { jobOperations } from './jobs.ts';
import { metricSeriesOperations } from './metric-series.ts';
import { monitoringOperations } from './monitoring.ts';
import { offsetResetOperations } from './offset-resets.ts';
import { recordDataOperations } from './record-data.ts';
import { recordOperations } from './records.ts';
import { orUnavailable } from './refusals.ts';
import { schemaOperations } from './schemas.ts';
import type { ClusterServices } from './services.ts';
import { storageCostOperations } from './storage-costs.ts';
import { topicCloneOperations } from './topic-clones.ts';
import { topicDetailOperations } from './topic-details.ts';
import { topicOperations } from './topics.ts';

export type ClusterOperationName = keyof ReturnType<typeof allOperations>;

/** All operations inside a cluster. Permission and input are already checked. */
export function clusterOperations(services: ClusterServices): OperationHandlers<ClusterOperationName> {
  const plain = allOperations(services);
  const names = Object.keys(plain) as ClusterOperationName[];
  return Object.fromEntries(
    names.map((name) => [name, guarded(name, plain[name] as AnyHandler)]),
  ) as unknown as OperationHandlers<ClusterOperationName>;
}

function allOperations(services: ClusterServices) {
  return {
    ...topicOperations(services),
    ...topicCloneOperations(services),
    ...topicDetailOperations(services),
    ...recordOperations(services),
    ...recordDataOperations(services),
    ...configurationOperations(services),
    ...schemaOperations(services),
    ...aclOperations(services),
    ...explainAccessOperations(services),
    ...credentialOperations(services),
    ...consumerGroupOperations(services),
    ...offsetResetOperations(services),
    ...metricSeriesOperations(services),
    ...agentOperations(services),
    ...jobOperations(services),
    ...storageCostOperations(services),
    ...clientOperations(services),
    ...clientMetricsOperations(services),
    ...clientQuotaOperations(services),
    ...eventsStateOperations(services),
    ...eventOperations(services),
    ...monitoringOperations(services),
    ...diagnosticOperations(services),
  };
}

/** Schema registries have credentials and rules of their own, and data lakes have events. */
const servedBeyondKafka: { readonly [Name in OperationName]?: ClusterType } = {
  list_virtual_cluster_credentials: 'byoc_schema_registry',
  create_virtual_cluster_credentials: 'byoc_schema_registry',
  rotate_virtual_cluster_credentials: 'byoc_schema_registry',
  end_virtual_cluster_credentials_rotation: 'byoc_schema_registry',
  delete_virtual_cluster_credentials: 'byoc_schema_registry',
  'virtual_clusters/acls/list': 'byoc_schema_registry',
  'virtual_clusters/acls/create': 'byoc_schema_registry',
  'virtual_clusters/acls/delete': 'byoc_schema_registry',
  explain_access: 'byoc_schema_registry',
  update_events_state: 'byoc_data_lake',
};

type AnyInput = InputOf<ClusterOperationName>;
type AnyHandler = (input: AnyInput, context: CallContext) => Promise<OutputOf<OperationName>>;

/** The checks of all operations: the right type of cluster, and that it has a leader. */
function guarded(name: ClusterOperationName, handler: AnyHandler): AnyHandler {
  const errors: readonly string[] = catalogue[name].errors;
  const isForKafka = errors.includes('unsupported_cluster_type');
  const isForRegistry = errors.includes('no_schema_registry');
  return (input, context) => {
    const type = clusterTypeOf(input.virtual_cluster_id);
    if (isForKafka && type !== 'byoc' && (type === undefined || type !== servedBeyondKafka[name]))
      return Promise.reject(new OperationFailed('unsupported_cluster_type'));
    if (isForRegistry && type === 'byoc_data_lake')
      return Promise.reject(new OperationFailed('no_schema_registry'));
    return orUnavailable(() => handler(input, context));
  };
}
