import type { GrantName } from '../../accounts/access/grants.ts';
import { type Actor, grantIn, isAllowed } from '../../accounts/access/permissions.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { VirtualCluster } from '../../accounts/workspaces/virtual-clusters.ts';
import type { Workspace } from '../../accounts/workspaces/workspaces.ts';
import { OperationFailed } from '../operation-failed.ts';

/** The part of the caller that decides what is visible. */
export interface Caller {
  readonly actor: Actor;
  readonly accountId: string;
}

interface VisibleWorkspace extends Workspace {
  readonly grant: GrantName;
}

/** Returns the workspaces in which the caller has any permission, the oldest first. */
export async function visibleWorkspaces(
  { workspaces }: Pick<AccountsDatabase, 'workspaces'>,
  { actor, accountId }: Caller,
): Promise<VisibleWorkspace[]> {
  const all = await workspaces.list(accountId);
  return all.flatMap((workspace) => {
    const grant = grantIn(actor, accountId, workspace.id);
    return grant === undefined ? [] : [{ ...workspace, grant }];
  });
}

export function administersAccount({ actor, accountId }: Caller): boolean {
  return isAllowed(actor, { scope: 'account', access: 'write', accountId });
}

/** Whether the caller may know that the workspace exists. */
export function seesWorkspace({ actor, accountId }: Caller, workspaceId: string): boolean {
  return (
    grantIn(actor, accountId, workspaceId) !== undefined ||
    isAllowed(actor, { scope: 'account', access: 'read', accountId })
  );
}

export function mayOnCluster(
  { actor, accountId }: Caller,
  access: 'read' | 'write',
  { id: clusterId, workspaceId }: Pick<VirtualCluster, 'id' | 'workspaceId'>,
): boolean {
  return isAllowed(actor, { scope: 'cluster', access, accountId, workspaceId, clusterId });
}

/** The default workspace of a new object: the oldest one in which the caller may create it. */
export async function oldestWritable(
  accounts: Pick<AccountsDatabase, 'workspaces'>,
  caller: Caller,
  isWritable: (workspaceId: string) => boolean,
): Promise<string> {
  const all = await accounts.workspaces.list(caller.accountId);
  const found = all.find(({ id }) => isWritable(id));
  if (found === undefined)
    throw new OperationFailed('forbidden', 'You need the admin role in a workspace to do this.');
  return found.id;
}
