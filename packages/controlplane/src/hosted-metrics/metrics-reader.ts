import { isId } from '@weir/api';
import type { ApiKey } from '../accounts/keys.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { isAllowed } from '../accounts/permissions.ts';
import type { Authorize, Verdict } from '../agent-keys.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';

export interface MetricsReadersOptions {
  readonly accounts: Pick<AccountsDatabase, 'keyVerifier' | 'virtualClusters'>;
  /** Keys of agents that are in the settings rather than in the database. */
  readonly agentKeys?: Authorize | undefined;
  /** Shared with the API: a wrong key counts wherever it is tried. */
  readonly limits: RateLimits;
}

/**
 * Who may scrape a cluster: an application key of its workspace, an agent key of its own, those that only read included. An account key does
 * not look into clusters. What cannot be judged just now is `undefined`; whoever tries too often gets an `ApiError`.
 */
export function metricsReaders({ accounts, agentKeys, limits }: MetricsReadersOptions): Authorize {
  return async (clusterId, secret, remoteAddress = '') => {
    const found = await limits.verify<ApiKey | 'settings'>(secret, remoteAddress, async (text) => {
      const verdict: Verdict = (await agentKeys?.(clusterId, text, remoteAddress)) ?? false;
      return verdict ? 'settings' : accounts.keyVerifier.verify(text);
    });
    if (found === undefined) return false;
    if (found === 'settings') return true;
    limits.countCall(found.id);
    // The same answer after the same work, whether the cluster is somebody else's or nobody's.
    const cluster = isId('cluster', clusterId) ? await accounts.virtualClusters.find(clusterId) : undefined;
    if (cluster === undefined) return false;
    const { accountId, workspaceId } = cluster;
    const need = { scope: 'cluster', access: 'read', accountId, workspaceId, clusterId } as const;
    return isAllowed({ ...found, kind: 'api_key' }, need);
  };
}
