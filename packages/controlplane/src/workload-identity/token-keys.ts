import { ApiError, isId } from '@weir/api';
import type { ApiKey } from '../accounts/keys/keys.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { clusterNamedIn } from './agent-tokens.ts';
import type { TokenExchange } from './token-exchange.ts';

/** A caller that has proven to hold a key, or what is as good as one. */
export type ProvenKey = Pick<ApiKey, 'id' | 'accountId' | 'name' | 'grants'>;

/** Whose a token is; nothing for what is none. It is rejected when that cannot be told just now. */
export type TokenKeys = (token: string) => Promise<ProvenKey | undefined>;

interface TokenKeysOptions {
  readonly tokens: Pick<TokenExchange, 'bindingBehind'>;
  readonly virtualClusters: Pick<AccountsDatabase['virtualClusters'], 'find'>;
}

/**
 * Tokens of workload identities as keys: one opens what an agent key of its cluster opens, and one that only reads what
 * such a key that only reads does. So programs that have an identity and no secret may read what the API tells of a
 * cluster.
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
