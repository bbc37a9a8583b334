import type { OutputOf } from '@weir/api/client';
import { useContextOfCaller } from './context.ts';

type Context = Pick<OutputOf<'get_context'>, 'workspaces'>;

/** What a person lacks who may not change a cluster, and who can give it; `undefined` if nothing is missing. */
export function missingRight(context: Context | undefined, clusterId: string): string | undefined {
  const workspace = context?.workspaces.find(({ virtual_clusters }) =>
    virtual_clusters.some(({ id }) => id === clusterId),
  );
  if (workspace?.grant !== 'read_only') return undefined;
  return `Needs the admin role in workspace ${workspace.name}; ask an account administrator`;
}

export function useMissingRight(clusterId: string): string | undefined {
  return missingRight(useContextOfCaller().data, clusterId);
}
