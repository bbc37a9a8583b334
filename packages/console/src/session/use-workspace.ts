import { useContextOfCaller } from './context.ts';

/** The workspace of a cluster, as the caller sees it. */
export interface WorkspaceOfCluster {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

export function useWorkspaceOf(clusterId: string): WorkspaceOfCluster | undefined {
  const context = useContextOfCaller();
  const workspace = context.data?.workspaces.find(({ virtual_clusters }) =>
    virtual_clusters.some(({ id }) => id === clusterId),
  );
  return workspace && { id: workspace.id, name: workspace.name, isAdmin: workspace.grant === 'admin' };
}
