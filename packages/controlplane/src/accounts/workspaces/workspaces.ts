import { ApiError } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { AccountsDeps } from '../common/deps.ts';
import { freshId } from '../common/ids.ts';
import { checkedName } from '../common/names.ts';
import { AccountStore } from '../database/account-store.ts';
import { workspaceTable } from '../database/account-table.ts';
import type { DatabaseTransaction, WorkspaceRow } from '../database/schema.ts';
import { revokeKeysOfWorkspace } from './key-revocation.ts';

export interface Workspace {
  /** `wi_…` */
  readonly id: string;
  readonly name: string;
  readonly createdMs: number;
}

/** Workspaces of an account: the scope of roles and application keys. */
export class Workspaces extends AccountStore {
  /** The oldest first. */
  async list(accountId: string): Promise<Workspace[]> {
    const rows = await workspaceTable.list(this.database, accountId);
    return rows.map(workspaceOf);
  }

  async get(accountId: string, workspaceId: string): Promise<Workspace | undefined> {
    const row = await workspaceTable.find(this.database, accountId, workspaceId);
    return row === undefined ? undefined : workspaceOf(row);
  }

  create(accountId: string, name: string): Promise<Workspace> {
    return this.changeAccount(accountId, (transaction) =>
      insertWorkspace(transaction, accountId, name, this.deps),
    );
  }

  async rename(accountId: string, workspaceId: string, name: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await workspaceTable.require(transaction, accountId, workspaceId);
      checkedName('workspace', name);
      const own = { name, what: 'workspace', ownId: workspaceId };
      await workspaceTable.requireFreeName(transaction, accountId, own);
      await transaction.updateTable('weir_workspaces').set({ name }).where('id', '=', workspaceId).execute();
    });
  }

  /** Only a workspace without clusters; its application keys are revoked, and roles lose their grants for it. */
  async delete(accountId: string, workspaceId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await workspaceTable.require(transaction, accountId, workspaceId);
      await refuseWithClusters(transaction, workspaceId);
      await transaction.deleteFrom('weir_role_grants').where('workspace_id', '=', workspaceId).execute();
      await revokeKeysOfWorkspace(transaction, accountId, workspaceId);
      await transaction
        .updateTable('weir_workspaces')
        .set({ deleted_ms: this.deps.clock.nowMs() })
        .where('id', '=', workspaceId)
        .execute();
      await forgetWorkspace(transaction, workspaceId);
    });
  }
}

/** Deletes the row of a deleted workspace, unless a deleted cluster of it can still be restored. */
export async function forgetWorkspace(transaction: DatabaseTransaction, workspaceId: string): Promise<void> {
  await transaction
    .deleteFrom('weir_workspaces')
    .where('id', '=', workspaceId)
    .where('deleted_ms', 'is not', null)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('weir_virtual_clusters as clusters')
            .select('clusters.id')
            .where('clusters.workspace_id', '=', workspaceId),
        ),
      ),
    )
    .execute();
}

function workspaceOf(row: WorkspaceRow): Workspace {
  return { id: row.id, name: row.name, createdMs: row.created_ms };
}

async function refuseWithClusters(transaction: DatabaseTransaction, workspaceId: string): Promise<void> {
  const cluster = await transaction
    .selectFrom('weir_virtual_clusters')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_ms', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (cluster !== undefined)
    throw new ApiError(
      'workspace_not_empty',
      `The workspace still has clusters, such as ${cluster.name}; delete them first.`,
    );
}

export async function insertWorkspace(
  transaction: DatabaseTransaction,
  accountId: string,
  name: string,
  { clock, random }: AccountsDeps,
): Promise<Workspace> {
  await workspaceTable.requireRoom(transaction, accountId, apiLimits.workspacesMax, 'workspaces');
  checkedName('workspace', name);
  await workspaceTable.requireFreeName(transaction, accountId, { name, what: 'workspace' });
  const workspace: Workspace = {
    id: freshId('workspace', random),
    name,
    createdMs: clock.nowMs(),
  };
  await transaction
    .insertInto('weir_workspaces')
    .values({
      id: workspace.id,
      account_id: accountId,
      name,
      created_ms: workspace.createdMs,
      deleted_ms: null,
    })
    .execute();
  return workspace;
}
