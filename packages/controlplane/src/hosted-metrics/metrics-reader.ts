import { isId } from '@weir/api';
import { isAllowed } from '../accounts/access/permissions.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { Authorize, Verdict } from '../agent-keys.ts';
import { type KeySources, provenBy } from '../api-server/caller.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';
import type { ProvenKey } from '../workload-identity/token-keys.ts';

export interface MetricsReadersOptions extends KeySources {
  readonly accounts: Pick<AccountsDatabase, 'keyVerifier' | 'virtualClusters'>;
  /** Agent keys from the settings rather than the database. */
  readonly agentKeys?: Authorize | undefined;
  /** Shared with the API: a wrong key counts wherever it is tried. */
  readonly limits: RateLimits;
}

/**
 * Authorizes scrapes of a cluster: by an application key of its workspace, or its own agent key or agent token,
 * read-only ones included. An account key does not read clusters. `undefined` if it cannot be decided now; too many
 * attempts throw an `ApiError`.
 */
export function metricsReaders(options: MetricsReadersOptions): Authorize {
  const { accounts, agentKeys, limits } = options;
  return async (clusterId, secret, remoteAddress = '') => {
    const found = await limits.verify<ProvenKey | 'settings'>(secret, remoteAddress, async (text) => {
      const verdict: Verdict = (await agentKeys?.(clusterId, text, remoteAddress)) ?? false;
      return verdict ? 'settings' : provenBy(text, options);
    });
    if (found === undefined) return false;
    if (found === 'settings') return true;
    limits.countCall(found.id);
    // The same answer after the same work, whether the cluster belongs to another account or does not exist.
    const cluster = isId('cluster', clusterId) ? await accounts.virtualClusters.find(clusterId) : undefined;
    if (cluster === undefined) return false;
    const { accountId, workspaceId } = cluster;
    const need = { scope: 'cluster', access: 'read', accountId, workspaceId, clusterId } as const;
    return isAllowed({ ...found, kind: 'api_key' }, need);
  };
}
