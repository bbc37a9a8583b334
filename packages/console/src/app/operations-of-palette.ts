import type { OperationName, OutputOf } from '@weir/api/client';
import { apiKeyHeader, apiPath } from '@weir/api/paths';
import { shellWord } from '../format/shell-word.ts';
import { missingRecordsRight, missingRight } from '../session/rights.ts';

/** An operation of the catalogue, as far as the palette needs it. */
export interface OperationEntry {
  readonly name: OperationName;
  readonly title: string;
  readonly summary: string;
  readonly access: 'read' | 'records' | 'write';
  readonly scope: 'public' | 'user' | 'account' | 'workspace' | 'cluster';
  readonly example: { readonly input: Readonly<Record<string, unknown>> };
}

interface Place {
  readonly context: Pick<OutputOf<'get_context'>, 'is_account_admin' | 'workspaces'>;
  readonly clusterId: string | undefined;
}

/** Those that a person calls: not the ones that sign in, and none twice under a newer name. */
export function isForPeople({ name, scope }: Pick<OperationEntry, 'name' | 'scope'>): boolean {
  return scope !== 'public' && !name.endsWith('_v2');
}

/** Why the person cannot call it here; `undefined` if nothing is in the way. */
export function whyNot({ scope, access }: OperationEntry, { context, clusterId }: Place): string | undefined {
  if (scope === 'account' && !context.is_account_admin)
    return 'Needs the admin role in all workspaces; ask an account administrator';
  if (scope === 'cluster') {
    if (clusterId === undefined) return 'Open a cluster first';
    if (access === 'write') return missingRight(context, clusterId);
    if (access === 'records') return missingRecordsRight(context, clusterId);
  }
  if (
    scope === 'workspace' &&
    access === 'write' &&
    !context.workspaces.some(({ grant }) => grant === 'admin')
  )
    return 'Needs the admin role in a workspace; ask an account administrator';
  return undefined;
}

/** The call as a command, with the ids of this place instead of those of the example. */
export function curlOf(
  { name, example }: OperationEntry,
  {
    origin,
    clusterId,
    workspaceId,
  }: { origin: string; clusterId?: string | undefined; workspaceId?: string | undefined },
): string {
  const input = {
    ...example.input,
    ...('virtual_cluster_id' in example.input && clusterId !== undefined
      ? { virtual_cluster_id: clusterId }
      : {}),
    ...('workspace_id' in example.input && workspaceId !== undefined ? { workspace_id: workspaceId } : {}),
  };
  return `curl -s ${origin}${apiPath}/${name} -H "${apiKeyHeader}: $WEIR_API_KEY" -H 'content-type: application/json' -d ${shellWord(JSON.stringify(input))}`;
}
