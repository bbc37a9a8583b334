import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { useContextOfCaller } from './context.ts';

type Context = Pick<OutputOf<'get_context'>, 'workspaces'>;

function workspaceOf(context: Context | undefined, clusterId: string) {
  return context?.workspaces.find(({ virtual_clusters }) =>
    virtual_clusters.some(({ id }) => id === clusterId),
  );
}

/** What a person lacks who may not change a cluster, and who can give it; `undefined` if nothing is missing. */
export function missingRight(context: Context | undefined, clusterId: string): string | undefined {
  const workspace = workspaceOf(context, clusterId);
  if (workspace === undefined || workspace.grant === 'admin') return undefined;
  return `Needs the admin role in workspace ${workspace.name}; ask an account administrator`;
}

/** What a person lacks who may not read the records of a cluster, where Kafka has logins without one. */
export function missingRecordsRight(context: Context | undefined, clusterId: string): string | undefined {
  const workspace = workspaceOf(context, clusterId);
  if (workspace?.grant !== 'read_only') return undefined;
  const otherwise = clusterKind(clusterId) === 'kafka' ? ', or use a Kafka login' : '';
  return `Needs the role Records reader in workspace ${workspace.name}; ask an account administrator${otherwise}`;
}

export function useMissingRecordsRight(clusterId: string): string | undefined {
  return missingRecordsRight(useContextOfCaller().data, clusterId);
}

export function useMissingRight(clusterId: string): string | undefined {
  return missingRight(useContextOfCaller().data, clusterId);
}

/** What a person lacks who may not change the account. */
export function useMissingAccountRight(): string | undefined {
  const { data } = useContextOfCaller();
  return data?.is_account_admin === false
    ? 'Needs the admin role in all workspaces; ask an account administrator'
    : undefined;
}

/** What a person lacks who administers no workspace, and so sees neither keys nor the audit log. */
export function useMissingWorkspaceRight(): string | undefined {
  const { data } = useContextOfCaller();
  const isAdmin =
    data === undefined || data.is_account_admin || data.workspaces.some(({ grant }) => grant === 'admin');
  return isAdmin ? undefined : 'Needs the admin role in a workspace; ask an account administrator';
}
