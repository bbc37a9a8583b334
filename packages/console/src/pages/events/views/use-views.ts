import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallOf, OutputOf } from '@weir/api/client';
import { call } from '../../../api/client.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { useWorkspaceOf, type WorkspaceOfCluster } from '../../../session/use-workspace.ts';

export type View = OutputOf<'list_event_views'>['views'][number];

export interface Views {
  readonly workspace: WorkspaceOfCluster | undefined;
  readonly views: readonly View[];
  readonly error: unknown;
}

/** The saved searches of the workspace of a cluster. */
export function useViews(clusterId: string): Views {
  const workspace = useWorkspaceOf(clusterId);
  const listed = useOperation(
    'list_event_views',
    { workspace_id: workspace?.id ?? '' },
    { isEnabled: workspace !== undefined },
  );
  return {
    workspace,
    views: listed.data?.views ?? [],
    error: listed.error,
  };
}

type Change = 'create_event_view' | 'update_event_view' | 'delete_event_view';

/** A change of views. Only they are read again: searches that the page shows are not run a second time. */
export function useViewAction<Name extends Change>(name: Name) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: CallOf<Name>): Promise<OutputOf<Name>> => call(name, input),
    onSettled: () => queries.invalidateQueries({ queryKey: ['list_event_views'] }),
  });
}
