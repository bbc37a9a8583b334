import type { AccountsDatabase } from '../../accounts/open.ts';
import { type Actor, grantIn, isAllowed } from '../../accounts/permissions.ts';
import type { VirtualCluster } from '../../accounts/virtual-clusters.ts';
import type { Workspace } from '../../accounts/workspaces.ts';
import { OperationFailed } from '../operation-failed.ts';

/** Who asks, as far as it decides what he sees. */
export interface Asking {
  readonly actor: Actor;
  readonly accountId: string;
}

export interface VisibleWorkspace extends Workspace {
  readonly grant: 'admin' | 'read_only';
}

/** The workspaces in which the caller may do something, the oldest first. */
export async function visibleWorkspaces(
  { workspaces }: Pick<AccountsDatabase, 'workspaces'>,
  { actor, accountId }: Asking,
): Promise<VisibleWorkspace[]> {
  const all = await workspaces.list(accountId);
  return all.flatMap((workspace) => {
    const grant = grantIn(actor, accountId, workspace.id);
    return grant === undefined ? [] : [{ ...workspace, grant }];
  });
}

export function administersAccount({ actor, accountId }: Asking): boolean {
  return isAllowed(actor, { scope: 'account', access: 'write', accountId });
}

/** Whether it may be known to the caller that there is such a workspace. */
export function seesWorkspace({ actor, accountId }: Asking, workspaceId: string): boolean {
  return (
    grantIn(actor, accountId, workspaceId) !== undefined ||
    isAllowed(actor, { scope: 'account', access: 'read', accountId })
  );
}

export function mayOnCluster(
  { actor, accountId }: Asking,
  access: 'read' | 'write',
  { id: clusterId, workspaceId }: Pick<VirtualCluster, 'id' | 'workspaceId'>,
): boolean {
  return isAllowed(actor, { scope: 'cluster', access, accountId, workspaceId, clusterId });
}

/** Where something is made when nobody says where: in the oldest workspace in which the caller may. */
export async function oldestWritable(
  accounts: Pick<AccountsDatabase, 'workspaces'>,
  asking: Asking,
  isWritable: (workspaceId: string) => boolean,
): Promise<string> {
  const all = await accounts.workspaces.list(asking.accountId);
  const found = all.find(({ id }) => isWritable(id));
  if (found === undefined)
    throw new OperationFailed('forbidden', 'There is no workspace in which the caller may do this.');
  return found.id;
}
