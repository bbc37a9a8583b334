import { type Random, systemRandom } from '@weir/core';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { WorkloadIdentityBinding } from '../../workload-identity/binding.ts';
import { apiKeyHandlers } from './api-keys.ts';
import { auditHandlers } from './audit.ts';
import { mcpConfigurationHandlers } from './mcp-configuration.ts';
import { pipelineHandlers } from './pipelines.ts';
import { sessionHandlers } from './sessions.ts';
import { ssoHandlers } from './sso.ts';
import { userRoleHandlers } from './user-roles.ts';
import { userHandlers } from './users.ts';
import { virtualClusterHandlers } from './virtual-clusters.ts';
import { workloadIdentityHandlers } from './workload-identities.ts';
import { workspaceHandlers } from './workspaces.ts';

export interface AccountOperationsOptions {
  readonly accounts: AccountsDatabase;
  /** Where browsers reach the console; links of invitations and of single sign-on begin with it. */
  readonly publicUrl: () => string;
  /** Told when the key of an agent of a cluster is revoked, or what lets its agents in without one. */
  readonly onAgentsRevoked?: ((clusterId: string) => void) | undefined;
  /** The bindings of workload identities in the file of the operator, of all clusters. */
  readonly fileBindings?: (() => readonly WorkloadIdentityBinding[]) | undefined;
  /** For names that are made up, which are no secrets. */
  readonly random?: Random;
}

/** The handlers of all operations on people, keys and what belongs to whom. */
export function accountOperations({
  accounts,
  publicUrl,
  onAgentsRevoked = () => {},
  fileBindings = () => [],
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
    ...virtualClusterHandlers(accounts),
    ...ssoHandlers(accounts, publicUrl),
    ...workloadIdentityHandlers(accounts, fileBindings, onAgentsRevoked),
    ...pipelineHandlers(accounts),
  };
}
