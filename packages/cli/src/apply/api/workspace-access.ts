import type { Client, OutputOf } from '@weir/api';
import type { DesiredCluster } from '../desired.ts';
import type { DocumentProblem } from '../document/problem.ts';

export interface AccessOptions {
  /** A client with another key for the same control plane. */
  readonly clientWith: (key: string) => Client;
  /** Returns a unique part for the name of this run's key. */
  readonly freshWord: () => string;
  readonly nowMs: number;
}

/** A key that was created for this run and has to be deleted after it. */
export interface MadeKey {
  readonly id: string;
  readonly name: string;
}

interface WorkspaceAccess {
  readonly client: Client;
  readonly madeKey?: MadeKey | undefined;
  /** Workspaces that the documents name and the account does not have. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Returns a client that works inside workspaces. An account key can only create such keys, so a key is created for the
 * workspaces of the documents. The key can write even for a dry run, because a read-only key does not see agent keys.
 */
export async function workspaceAccess(
  client: Client,
  wanted: readonly DesiredCluster[],
  { clientWith, freshWord, nowMs }: AccessOptions,
): Promise<WorkspaceAccess> {
  if (!isOfAccount(await client.call('get_context', {}))) return { client, problems: [] };
  await deleteLeftovers(client, nowMs);
  const { workspaces } = await client.call('list_workspaces', {});
  const there = new Set(workspaces.map(({ id }) => id));
  const problems = wanted.flatMap(({ workspaceId, place }) =>
    workspaceId === undefined || there.has(workspaceId)
      ? []
      : [{ place, message: `workspace_id: workspace ${workspaceId} not found` }],
  );
  const named = new Set(wanted.flatMap(({ workspaceId }) => workspaceId ?? []));
  const isAnywhere = wanted.some(({ workspaceId }) => workspaceId === undefined);
  const reached = isAnywhere ? [...there] : [...named];
  if (problems.length > 0 || reached.length === 0) return { client, problems };
  const { id, name, key } = await client.call('create_api_key', {
    name: `weir_apply_${freshWord()}`,
    access_grants: reached.map((workspace_id) => ({
      principal_kind: 'app' as const,
      resource_kind: '*' as const,
      resource_id: '*' as const,
      workspace_id,
    })),
  });
  return { client: clientWith(key), madeKey: { id, name }, problems };
}

/** No run takes this long, so a key of this age belongs to a run that was killed. */
const leftoverMs = 6 * 3_600_000;

/** Keys do not expire, so each run deletes the keys of runs that were killed. */
async function deleteLeftovers(client: Client, nowMs: number): Promise<void> {
  const { api_keys } = await client.call('list_api_keys', {});
  for (const { id, name, created_at } of api_keys) {
    if (!/^akn_weir_apply_[0-9a-f]{8}$/.test(name) || nowMs - Date.parse(created_at) < leftoverMs) continue;
    try {
      await client.call('delete_api_key', { api_key_id: id });
    } catch {
      // A concurrent run deletes it, or the next run will.
    }
  }
}

/** Whether the key administers the account and has no access to workspaces. */
function isOfAccount({ actor, is_account_admin, workspaces }: OutputOf<'get_context'>): boolean {
  return actor.kind === 'api_key' && is_account_admin && workspaces.length === 0;
}
