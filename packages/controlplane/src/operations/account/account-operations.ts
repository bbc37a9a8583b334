import { randomUUID } from 'node:crypto';
import { runnablePipelineTypes } from '@weir/api';
import type { TenantAccess } from '@weir/cluster/outbound';
import { type Random, silentLog, systemRandom } from '@weir/core';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { ClusterCloning } from '../../clones/cluster-cloning.ts';
import { Regions } from '../../regions.ts';
import { TablePipelines } from '../../tables/table-pipelines.ts';
import type { WorkloadIdentityBinding } from '../../workload-identity/binding.ts';
import type { QuestionsPort } from '../cluster/ask-tables.ts';
import { alertChannelHandlers } from './alert-channels.ts';
import { alertHandlers } from './alerts.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { auditHandlers } from './audit.ts';
import { eventViewHandlers } from './event-views.ts';
import { mcpConfigurationHandlers } from './mcp-configuration.ts';
import { type MigrationsPort, migrationHandlers } from './migrations.ts';
import { type PipelinesPort, pipelineHandlers } from './pipelines.ts';
import { type SecretHandlersOptions, secretHandlers } from './secrets.ts';
import { sessionHandlers } from './sessions.ts';
import { ssoHandlers } from './sso.ts';
import { tableQuestionHandlers } from './table-questions.ts';
import { type TablesPort, tableHandlers } from './tables.ts';
import { userRoleHandlers } from './user-roles.ts';
import { userHandlers } from './users.ts';
import { virtualClusterHandlers } from './virtual-clusters.ts';
import { workloadIdentityHandlers } from './workload-identities.ts';
import { workspaceHandlers } from './workspaces.ts';

export interface AccountOperationsOptions {
  readonly accounts: AccountsDatabase;
  /** The URL of the console; links of invitations and of single sign-on begin with it. */
  readonly publicUrl: () => string;
  /** Called when the key of an agent of a cluster is revoked, or a federation that admits its agents. */
  readonly onAgentsRevoked?: ((clusterId: string) => void) | undefined;
  /** The bindings of workload identities in the operator's file, of all clusters. */
  readonly fileBindings?: (() => readonly WorkloadIdentityBinding[]) | undefined;
  /** Makes clones of clusters; absent if the control plane does not know their bucket. */
  readonly cloning?: Pick<ClusterCloning, 'clone' | 'clonesOf'> | undefined;
  /** The regions of the installation; none if absent. */
  readonly regions?: Regions | undefined;
  /** The leader of a cluster, which knows how its pipelines run; absent if no engine runs any. */
  readonly portOf?:
    | ((clusterId: string) => PipelinesPort & TablesPort & QuestionsPort & MigrationsPort)
    | undefined;
  /** What pipelines say of tables; shared with the planner of their jobs. */
  readonly tablePipelines?: Pick<TablePipelines, 'configured'> | undefined;
  /** What configurations of pipelines and channels of alerts may name; `usualTenantAccess` if absent. */
  readonly tenantAccess?: TenantAccess | undefined;
  readonly exportersUsing?: SecretHandlersOptions['exportersUsing'];
  /** For ids of questions. */
  readonly freshUuid?: () => string;
  /** For generated names, which are not secret. */
  readonly random?: Random;
}

/** The handlers of all operations on users, keys and ownership. */
export function accountOperations({
  accounts,
  publicUrl,
  onAgentsRevoked = () => {},
  fileBindings = () => [],
  cloning,
  regions = new Regions(undefined, () => []),
  portOf,
  tablePipelines = new TablePipelines(accounts, silentLog),
  tenantAccess,
  exportersUsing,
  freshUuid = randomUUID,
  random = systemRandom,
}: AccountOperationsOptions) {
  return {
    ...workspaceHandlers(accounts),
    ...userRoleHandlers(accounts),
    ...userHandlers(accounts, publicUrl),
    ...apiKeyHandlers(accounts, onAgentsRevoked),
    ...mcpConfigurationHandlers(accounts, publicUrl, random),
    ...sessionHandlers(accounts),
    ...auditHandlers(accounts),
    ...virtualClusterHandlers(accounts, { cloning, regions }),
    ...ssoHandlers(accounts, publicUrl),
    ...workloadIdentityHandlers(accounts, fileBindings, onAgentsRevoked),
    ...eventViewHandlers(accounts),
    ...alertChannelHandlers(accounts, { publicUrl, tenantAccess }),
    ...alertHandlers(accounts),
    ...secretHandlers(accounts, { exportersUsing }),
    ...tableHandlers({ tables: accounts.tables, tablePipelines, portOf }),
    ...tableQuestionHandlers({ tables: accounts.tables, secrets: accounts.secrets, portOf, freshUuid }),
    ...migrationHandlers(accounts, { portOf, tenantAccess, freshUuid }),
    ...pipelineHandlers(accounts, { runnableTypes: runnablePipelineTypes, portOf, tenantAccess }),
  };
}
