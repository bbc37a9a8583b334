import type { OutputOf } from '@weir/api/client';
import { useContextOfCaller } from './context.ts';

type Context = Pick<OutputOf<'get_context'>, 'workspaces'>;

/** What a person lacks who may not change a cluster, and who can give it; `undefined` if nothing is missing. */
export function missingRight(context: Context | undefined, clusterId: string): string | undefined {
  const workspace = context?.workspaces.find(({ virtual_clusters }) =>
    virtual_clusters.some(({ id }) => id === clusterId),
  );
  if (workspace?.grant !== 'read_only') return undefined;
  return `Needs a role with admin in the workspace ${workspace.name}; an administrator of the account can give it`;
}

export function useMissingRight(clusterId: string): string | undefined {
  return missingRight(useContextOfCaller().data, clusterId);
}
