import type { Log } from '@weir/core';
import type { AuditActor } from '../accounts/audit/audit-log.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import type { ForbiddenCall } from '../agent-listener.ts';
import { controlPlaneLimits } from '../limits.ts';

interface ForbiddenCallAuditOptions {
  readonly accounts: Pick<AccountsDatabase, 'keyVerifier' | 'refusals'>;
  readonly clusterOf: (clusterId: string) => Pick<VirtualCluster, 'accountId' | 'workspaceId'> | undefined;
  readonly log: Log;
}

/**
 * Records calls that an agent key does not allow in the audit log of the cluster's account. Agents make none, so such a
 * call means that the key is stolen.
 */
export function forbiddenCallAudit({ accounts, clusterOf, log }: ForbiddenCallAuditOptions) {
  /** A key of the account is identified by its name; a token, or the key of the settings, by the agent's id. */
  async function actorOf({ key, agentId = '' }: ForbiddenCall): Promise<AuditActor> {
    const known = await accounts.keyVerifier.verify(key);
    return known === undefined
      ? { kind: 'agent', id: agentId.slice(0, controlPlaneLimits.auditTextCharsMax), name: '' }
      : { kind: 'api_key', id: known.id, name: known.name };
  }

  return async (call: ForbiddenCall): Promise<void> => {
    const { clusterId, method, remoteAddress } = call;
    const cluster = clusterOf(clusterId);
    if (cluster === undefined) return;
    try {
      await accounts.refusals.record({
        accountId: cluster.accountId,
        actor: await actorOf(call),
        remoteAddress,
        userAgent: '',
        operation: `agent_rpc/${method}`,
        workspaceId: cluster.workspaceId,
        targets: [clusterId],
        result: 'forbidden',
        message: 'An agent key does not allow this; use the API.',
      });
    } catch (error) {
      log.error('failed to write a refused call of an agent into the audit log', {
        clusterId,
        method,
        error: (error as Error).message,
      });
    }
  };
}
