import { ApiError, isId } from '@weir/api';
import type { ApiKey } from '../accounts/keys/keys.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { clusterNamedIn } from './agent-tokens.ts';
import type { TokenExchange } from './token-exchange.ts';

/** A proven key, or an equivalent token. */
export type ProvenKey = Pick<ApiKey, 'id' | 'accountId' | 'name' | 'grants'>;

/** Returns the owner of a token; `undefined` for anything else. Rejects if it cannot be decided now. */
export type TokenKeys = (token: string) => Promise<ProvenKey | undefined>;

interface TokenKeysOptions {
  readonly tokens: Pick<TokenExchange, 'bindingBehind'>;
  readonly virtualClusters: Pick<AccountsDatabase['virtualClusters'], 'find'>;
}

/**
 * Treats tokens of workload identities as keys: a token permits what an agent key of its cluster permits, and a
 * read-only one what a read-only agent key does. So programs with an identity and no secret can read a cluster through
 * the API.
 */
export function tokenKeys({ tokens, virtualClusters }: TokenKeysOptions): TokenKeys {
  return async (token) => {
    const clusterId = clusterNamedIn(token);
    if (clusterId === undefined || !isId('cluster', clusterId)) return undefined;
    const cluster = await virtualClusters.find(clusterId);
    if (cluster === undefined) return undefined;
    const binding = await tokens.bindingBehind(clusterId, token);
    if (binding === undefined) throw new ApiError('unavailable', 'Failed to verify the token; try again.');
    if (binding === false) return undefined;
    const { accountId, workspaceId } = cluster;
    const grant = {
      principalKind: binding.isReadOnly ? ('agent_r' as const) : ('agent' as const),
      resourceKind: 'virtual_cluster',
      resourceId: clusterId,
      workspaceId,
    } as const;
    return { id: binding.name, name: binding.name, accountId, grants: [grant] };
  };
}
