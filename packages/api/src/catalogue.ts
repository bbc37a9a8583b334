import type * as z from 'zod';
import type { Operation } from './operation.ts';
import { aclOperations } from './operations/acls.ts';
import { agentOperations } from './operations/agents.ts';
import { alertChannelOperations } from './operations/alert-channels.ts';
import { alertOperations } from './operations/alerts.ts';
import { apiKeyOperations } from './operations/api-keys.ts';
import { auditOperations } from './operations/audit.ts';
import { clientMetricsOperations } from './operations/client-metrics.ts';
import { clientQuotaOperations } from './operations/client-quotas.ts';
import { clientOperations } from './operations/clients.ts';
import { clusterConfigurationOperations } from './operations/cluster-configuration.ts';
import { consumerGroupOperations } from './operations/consumer-groups.ts';
import { credentialOperations } from './operations/credentials.ts';
import { diagnosticOperations } from './operations/diagnostics.ts';
import { eventViewOperations } from './operations/event-views.ts';
import { eventOperations } from './operations/events.ts';
import { eventsStateOperations } from './operations/events-state.ts';
import { jobOperations } from './operations/jobs.ts';
import { mcpConfigurationOperations } from './operations/mcp-configuration.ts';
import { migrationOperations } from './operations/migrations.ts';
import { monitoringOperations } from './operations/monitoring.ts';
import { pipelineOperations } from './operations/pipelines.ts';
import { recordDataOperations } from './operations/read-records.ts';
import { recordOperations } from './operations/records.ts';
import { registryConfigOperations } from './operations/registry-config.ts';
import { schemaOperations } from './operations/schemas.ts';
import { secretOperations } from './operations/secrets.ts';
import { sessionOperations } from './operations/sessions.ts';
import { ssoOperations } from './operations/sso.ts';
import { storageCostOperations } from './operations/storage-costs.ts';
import { tableQuestionOperations } from './operations/table-questions.ts';
import { tableOperations } from './operations/tables.ts';
import { topicDetailOperations } from './operations/topic-details.ts';
import { topicOperations } from './operations/topics.ts';
import { userRoleOperations } from './operations/user-roles.ts';
import { userOperations } from './operations/users.ts';
import { virtualClusterOperations } from './operations/virtual-clusters.ts';
import { workloadIdentityOperations } from './operations/workload-identities.ts';
import { workspaceOperations } from './operations/workspaces.ts';

/** Every operation, in the order of the reference pages. */
export const areas = [
  { title: 'Virtual clusters', operations: virtualClusterOperations },
  { title: 'Cluster configuration', operations: clusterConfigurationOperations },
  { title: 'Events', operations: [...eventsStateOperations, ...eventOperations, ...eventViewOperations] },
  {
    title: 'Topics',
    operations: [...topicOperations, ...topicDetailOperations, ...recordOperations, ...recordDataOperations],
  },
  { title: 'Consumer groups', operations: consumerGroupOperations },
  { title: 'Schema registry', operations: [...schemaOperations, ...registryConfigOperations] },
  { title: 'ACLs', operations: aclOperations },
  { title: 'Credentials', operations: credentialOperations },
  { title: 'Workload identities', operations: workloadIdentityOperations },
  { title: 'Pipelines', operations: pipelineOperations },
  { title: 'Migrations', operations: migrationOperations },
  { title: 'Tables', operations: [...tableOperations, ...tableQuestionOperations] },
  { title: 'Secrets', operations: secretOperations },
  { title: 'Agents', operations: agentOperations },
  { title: 'Jobs', operations: jobOperations },
  { title: 'Costs', operations: storageCostOperations },
  { title: 'Clients', operations: clientOperations },
  { title: 'Diagnostics', operations: diagnosticOperations },
  { title: 'Alerts', operations: [...alertChannelOperations, ...alertOperations] },
  { title: 'Monitoring', operations: monitoringOperations },
  { title: 'Client metrics', operations: clientMetricsOperations },
  { title: 'Client quotas', operations: clientQuotaOperations },
  { title: 'Keys', operations: [...apiKeyOperations, ...mcpConfigurationOperations] },
  { title: 'Workspaces', operations: workspaceOperations },
  { title: 'Roles', operations: userRoleOperations },
  { title: 'Users', operations: userOperations },
  { title: 'Single sign-on', operations: ssoOperations },
  { title: 'Sessions', operations: sessionOperations },
  { title: 'Audit', operations: auditOperations },
] as const;

type KnownOperation = (typeof areas)[number]['operations'][number];

export type OperationName = KnownOperation['name'];

type OperationCalled<Name extends OperationName> = Extract<KnownOperation, { readonly name: Name }>;

/** The input that a caller sends. */
export type CallOf<Name extends OperationName> = z.input<OperationCalled<Name>['input']>;

/** The input that a handler gets: validated, with defaults. */
export type InputOf<Name extends OperationName> = z.output<OperationCalled<Name>['input']>;

/** The answer of a handler. */
export type OutputOf<Name extends OperationName> = z.output<OperationCalled<Name>['output']>;

/** Every operation, for generic code. */
export const operations: readonly Operation<OperationName>[] = areas.flatMap(
  ({ operations }): readonly Operation<OperationName>[] => operations,
);

/** Every operation by its name. */
export const catalogue = Object.fromEntries(operations.map((operation) => [operation.name, operation])) as {
  readonly [Name in OperationName]: OperationCalled<Name>;
};

export const operationNames: readonly OperationName[] = operations.map(({ name }) => name);

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(catalogue, name);
}
