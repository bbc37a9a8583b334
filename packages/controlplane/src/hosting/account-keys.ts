import { mayConnectAgents } from '../accounts/access/permissions.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { isKeySecret } from '../accounts/secrets/secrets.ts';
import type { Authorize } from '../agent-keys.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';
import type { ClusterHost } from './cluster-host.ts';

interface AccountKeysOptions {
  readonly keyVerifier: Pick<AccountsDatabase['keyVerifier'], 'verify'>;
  readonly host: Pick<ClusterHost, 'cluster' | 'refresh'>;
  /** Shared with the API, so that guesses count in both. */
  readonly limits: Pick<RateLimits, 'verify'>;
}

/**
 * Admits agents by the keys of accounts. A revoked key is refused after a second, and its connections end soon after.
 */
export function authorizeByAccountKeys({ keyVerifier, host, limits }: AccountKeysOptions): Authorize {
  return async (clusterId, secret, remoteAddress = '') => {
    if (!isKeySecret(secret)) return false;
    const key = await limits.verify(secret, remoteAddress, (text) => keyVerifier.verify(text));
    if (key === undefined) return false;
    // The key of a new cluster may be known before the cluster is.
    if (host.cluster(clusterId) === undefined) await host.refresh();
    const cluster = host.cluster(clusterId);
    if (cluster === undefined) return false;
    return mayConnectAgents({ ...key, kind: 'api_key' }, cluster.accountId, clusterId);
  };
}
