import { ApiError, type ClusterType, clusterTypes } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { freshClusterId } from '../common/ids.ts';
import { checkedPrefixedName } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { virtualClusterTable, workspaceTable } from '../database/account-table.ts';
import type { DatabaseTransaction, VirtualClusterRow } from '../database/schema.ts';
import { revokeKeysOfCluster } from './key-revocation.ts';
import { forgetWorkspace } from './workspaces.ts';

export const restorableMs = apiLimits.clusterRestorableDays * 24 * 3_600_000;

/** Clusters that are removed at a time. */
const forgottenPerListMax = 100;

type ClusterPlace = { readonly region: string } | { readonly regionGroup: string };

export interface VirtualCluster {
  /** `vci_…`, `vci_sr_…`, `vci_dl_…` */
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** `vcn_…`, `vcn_sr_…`, `vcn_dl_…` */
  readonly name: string;
  readonly type: ClusterType;
  readonly tier: string;
  readonly cloudProvider: string;
  readonly place: ClusterPlace;
  readonly tags: Readonly<Record<string, string>>;
  readonly isDeletionProtected: boolean;
  readonly createdMs: number;
  readonly deletedMs: number | undefined;
}

export interface NewVirtualCluster {
  /** The id of an existing cluster; by default a new one. */
  readonly id?: string;
  /** With or without its prefix. */
  readonly name: string;
  readonly type: ClusterType;
  readonly tier: string;
  readonly cloudProvider: string;
  readonly place: ClusterPlace;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface VirtualClusterChange {
  /** With or without its prefix. */
  readonly name?: string;
  readonly tier?: string;
  /** Replaces all tags. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly isDeletionProtected?: boolean;
}

/** The registry of virtual clusters and their owners. The contents of a cluster are in its state machine. */
export class VirtualClusters extends AccountStore {
  /** Lists the clusters of the account, or of one workspace, the oldest first. */
  async list(accountId: string, workspaceId?: string): Promise<VirtualCluster[]> {
    const where = workspaceId === undefined ? {} : { workspace_id: workspaceId };
    return (await virtualClusterTable.list(this.database, accountId, where)).map(clusterOf);
  }

  /** Lists the clusters of all accounts, to serve them. */
  async listAll(): Promise<VirtualCluster[]> {
    const rows = await this.database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('deleted_ms', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map(clusterOf);
  }

  /** Lists those that can be restored, the last deleted first. */
  async listDeleted(accountId: string, workspaceId?: string): Promise<VirtualCluster[]> {
    let query = this.database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_ms', '>', this.deps.clock.nowMs() - restorableMs);
    if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
    return (await query.orderBy('deleted_ms', 'desc').orderBy('id').execute()).map(clusterOf);
  }

  async get(accountId: string, clusterId: string): Promise<VirtualCluster | undefined> {
    const cluster = await this.find(clusterId);
    return cluster?.accountId === accountId ? cluster : undefined;
  }

  /** Finds a cluster by its id alone, to find its account. Deleted ones are not found. */
  async find(clusterId: string): Promise<VirtualCluster | undefined> {
    const row = await this.database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('id', '=', clusterId)
      .where('deleted_ms', 'is', null)
      .executeTakeFirst();
    return row === undefined ? undefined : clusterOf(row);
  }

  /** Whether there is a cluster with the id, deleted ones that can be restored included. */
  async isKnown(clusterId: string): Promise<boolean> {
    const row = await this.database
      .selectFrom('weir_virtual_clusters')
      .select('id')
      .where('id', '=', clusterId)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Deletes the row of a cluster that was not made completely. */
  async abandon(accountId: string, clusterId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      await transaction
        .deleteFrom('weir_virtual_clusters')
        .where('account_id', '=', accountId)
        .where('id', '=', clusterId)
        .execute();
    });
  }

  create(accountId: string, workspaceId: string, cluster: NewVirtualCluster): Promise<VirtualCluster> {
    return this.changeAccount(accountId, async (transaction) => {
      const { clock, random } = this.deps;
      await workspaceTable.require(transaction, accountId, workspaceId);
      const many = 'virtual clusters, recently deleted ones included';
      await virtualClusterTable.requireRoom(transaction, accountId, apiLimits.virtualClustersMax, many);
      const row: VirtualClusterRow = {
        id: cluster.id ?? freshClusterId(cluster.type, random),
        account_id: accountId,
        workspace_id: workspaceId,
        name: await freeName(transaction, workspaceId, prefixed(cluster.type, cluster.name)),
        type: cluster.type,
        tier: cluster.tier,
        cloud_provider: cluster.cloudProvider,
        region: 'region' in cluster.place ? cluster.place.region : null,
        region_group: 'regionGroup' in cluster.place ? cluster.place.regionGroup : null,
        tags: tagsText(cluster.tags ?? {}),
        is_deletion_protected: 0,
        created_ms: clock.nowMs(),
        deleted_ms: null,
      };
      // A given id may be taken in another account.
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('weir_virtual_clusters')
        .values(row)
        .onConflict((same) => same.column('id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n) throw new ApiError('conflict', `The id ${row.id} is taken.`);
      return clusterOf(row);
    });
  }

  change(accountId: string, clusterId: string, change: VirtualClusterChange): Promise<VirtualCluster> {
    return this.changeAccount(accountId, async (transaction) => {
      const row = await virtualClusterTable.require(transaction, accountId, clusterId);
      const { name, tier, tags, isDeletionProtected } = change;
      const changed: VirtualClusterRow = {
        ...row,
        ...(name === undefined ? {} : { name: await this.#renamed(transaction, row, name) }),
        ...(tier === undefined ? {} : { tier }),
        ...(tags === undefined ? {} : { tags: tagsText(tags) }),
        ...(isDeletionProtected === undefined ? {} : { is_deletion_protected: isDeletionProtected ? 1 : 0 }),
      };
      await transaction
        .updateTable('weir_virtual_clusters')
        .set(changed)
        .where('id', '=', clusterId)
        .execute();
      return clusterOf(changed);
    });
  }

  /** The cluster can be restored for 30 days. Its agent keys remain and grant no access meanwhile. */
  async delete(accountId: string, clusterId: string): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      const row = await virtualClusterTable.require(transaction, accountId, clusterId);
      if (row.is_deletion_protected === 1)
        throw new ApiError('deletion_protected', `${row.name} has deletion protection enabled`);
      await transaction
        .updateTable('weir_virtual_clusters')
        .set({ deleted_ms: this.deps.clock.nowMs() })
        .where('id', '=', clusterId)
        .execute();
    });
  }

  /** Restores under its own name, or under another if that was taken meanwhile. */
  restore(accountId: string, clusterId: string, newName?: string): Promise<VirtualCluster> {
    return this.changeAccount(accountId, async (transaction) => {
      const row = await transaction
        .selectFrom('weir_virtual_clusters')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', clusterId)
        .where('deleted_ms', '>', this.deps.clock.nowMs() - restorableMs)
        .executeTakeFirst();
      if (row === undefined) throw notFound('recently deleted virtual cluster');
      await workspaceTable.require(transaction, accountId, row.workspace_id);
      const wanted = newName === undefined ? row.name : prefixed(row.type, newName);
      const restored = { name: await freeName(transaction, row.workspace_id, wanted), deleted_ms: null };
      await transaction
        .updateTable('weir_virtual_clusters')
        .set(restored)
        .where('id', '=', clusterId)
        .execute();
      return clusterOf({ ...row, ...restored });
    });
  }

  /** Lists clusters that cannot be restored any more, some at a time, to remove their data. */
  async listForgotten(): Promise<VirtualCluster[]> {
    const rows = await this.database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('deleted_ms', '<=', this.deps.clock.nowMs() - restorableMs)
      .orderBy('deleted_ms')
      .orderBy('id')
      .limit(forgottenPerListMax)
      .execute();
    return rows.map(clusterOf);
  }

  /**
   * Deletes the row of such a cluster, with its agent keys, and its workspace if that was deleted and this was its last
   * cluster.
   */
  async forget({ accountId, id, workspaceId }: VirtualCluster): Promise<void> {
    await this.changeAccount(accountId, async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('weir_virtual_clusters')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('deleted_ms', '<=', this.deps.clock.nowMs() - restorableMs)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      await revokeKeysOfCluster(transaction, accountId, id);
      await forgetWorkspace(transaction, workspaceId);
    });
  }

  #renamed(transaction: DatabaseTransaction, row: VirtualClusterRow, name: string): Promise<string> | string {
    const wanted = prefixed(row.type, name);
    return wanted === row.name ? wanted : freeName(transaction, row.workspace_id, wanted);
  }
}

function clusterOf(row: VirtualClusterRow): VirtualCluster {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    name: row.name,
    type: row.type,
    tier: row.tier,
    cloudProvider: row.cloud_provider,
    place: row.region === null ? { regionGroup: row.region_group! } : { region: row.region },
    tags: JSON.parse(row.tags) as Record<string, string>,
    isDeletionProtected: row.is_deletion_protected === 1,
    createdMs: row.created_ms,
    deletedMs: row.deleted_ms ?? undefined,
  };
}

function prefixed(type: ClusterType, name: string): string {
  return checkedPrefixedName('virtual cluster', clusterTypes[type].namePrefix, name);
}

function tagsText(tags: Readonly<Record<string, string>>): string {
  const entries = Object.entries(tags);
  if (entries.length > apiLimits.clusterTagsMax)
    throw new ApiError('invalid_request', `A virtual cluster has at most ${apiLimits.clusterTagsMax} tags.`);
  for (const [key, value] of entries) {
    if (
      key === '' ||
      key.length > apiLimits.clusterTagCharsMax ||
      value.length > apiLimits.clusterTagCharsMax
    )
      throw new ApiError(
        'invalid_request',
        `Keys and values of tags have at most ${apiLimits.clusterTagCharsMax} characters.`,
      );
  }
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

async function freeName(
  transaction: DatabaseTransaction,
  workspaceId: string,
  name: string,
): Promise<string> {
  const holder = await transaction
    .selectFrom('weir_virtual_clusters')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .where('deleted_ms', 'is', null)
    .executeTakeFirst();
  if (holder !== undefined)
    throw new ApiError(
      'duplicate_name',
      `The workspace already has a virtual cluster named "${name}"; choose another name.`,
    );
  return name;
}
