import { caps } from '@weir/core';
import { changeAccount } from './change-account.ts';
import { freshId } from './ids.ts';
import { revokeKeysOfCluster } from './keys.ts';
import { checkedName } from './names.ts';
import { notFound, Refusal } from './refusal.ts';
import type { Database, DatabaseTransaction, VirtualClusterRow } from './schema.ts';
import type { AccountsSurroundings } from './surroundings.ts';
import { forgetWorkspace, requireWorkspace } from './workspaces.ts';

/** How long a deleted cluster can be brought back. */
export const restorableMs = 30 * 24 * 3_600_000;

/** Clusters that are forgotten in one go. */
const forgottenPerListMax = 100;

export type ClusterKind = VirtualClusterRow['kind'];

const kinds = {
  byoc: { idPrefix: 'vci', namePrefix: 'vcn_' },
  byoc_schema_registry: { idPrefix: 'vci_sr', namePrefix: 'vcn_sr_' },
  byoc_data_lake: { idPrefix: 'vci_dl', namePrefix: 'vcn_dl_' },
} as const satisfies Record<ClusterKind, object>;

export type ClusterPlace = { readonly region: string } | { readonly regionGroup: string };

export interface VirtualCluster {
  /** `vci_…`, `vci_sr_…`, `vci_dl_…` */
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** `vcn_…`, `vcn_sr_…`, `vcn_dl_…` */
  readonly name: string;
  readonly kind: ClusterKind;
  readonly tier: string;
  readonly cloudProvider: string;
  readonly place: ClusterPlace;
  readonly tags: Readonly<Record<string, string>>;
  readonly isDeletionProtected: boolean;
  readonly createdMs: number;
  readonly deletedMs: number | undefined;
}

export interface NewVirtualCluster {
  /** Of a cluster that is there already; otherwise it gets a new one. */
  readonly id?: string;
  /** Without its prefix. */
  readonly name: string;
  readonly kind: ClusterKind;
  readonly tier: string;
  readonly cloudProvider: string;
  readonly place: ClusterPlace;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface VirtualClusterChange {
  /** Without its prefix. */
  readonly name?: string;
  readonly tier?: string;
  /** All of them. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly isDeletionProtected?: boolean;
}

/** Which virtual clusters there are, and whose. What is in a cluster is the matter of its machine. */
export class VirtualClusters {
  readonly #database: Database;
  readonly #surroundings: AccountsSurroundings;

  constructor(database: Database, surroundings: AccountsSurroundings) {
    this.#database = database;
    this.#surroundings = surroundings;
  }

  /** The oldest first; all of the account, or those of one workspace. */
  async list(accountId: string, workspaceId?: string): Promise<VirtualCluster[]> {
    let query = this.#database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_ms', 'is', null);
    if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
    return (await query.orderBy('created_ms').orderBy('id').execute()).map(clusterOf);
  }

  /** Those that can be brought back, the last deleted first. */
  async listDeleted(accountId: string, workspaceId?: string): Promise<VirtualCluster[]> {
    let query = this.#database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('deleted_ms', '>', this.#surroundings.clock.nowMs() - restorableMs);
    if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId);
    return (await query.orderBy('deleted_ms', 'desc').orderBy('id').execute()).map(clusterOf);
  }

  async get(accountId: string, clusterId: string): Promise<VirtualCluster | undefined> {
    const cluster = await this.find(clusterId);
    return cluster?.accountId === accountId ? cluster : undefined;
  }

  /** By its id alone, for whoever has to learn whose it is. Deleted ones are not found. */
  async find(clusterId: string): Promise<VirtualCluster | undefined> {
    const row = await this.#database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('id', '=', clusterId)
      .where('deleted_ms', 'is', null)
      .executeTakeFirst();
    return row === undefined ? undefined : clusterOf(row);
  }

  create(accountId: string, workspaceId: string, cluster: NewVirtualCluster): Promise<VirtualCluster> {
    return changeAccount(this.#database, accountId, async (transaction) => {
      const { clock, random } = this.#surroundings;
      await requireWorkspace(transaction, accountId, workspaceId);
      await refuseTooMany(transaction, accountId);
      const row: VirtualClusterRow = {
        id: cluster.id ?? freshId(kinds[cluster.kind].idPrefix, random),
        account_id: accountId,
        workspace_id: workspaceId,
        name: await freeName(transaction, workspaceId, prefixed(cluster.kind, cluster.name)),
        kind: cluster.kind,
        tier: cluster.tier,
        cloud_provider: cluster.cloudProvider,
        region: 'region' in cluster.place ? cluster.place.region : null,
        region_group: 'regionGroup' in cluster.place ? cluster.place.regionGroup : null,
        tags: tagsText(cluster.tags ?? {}),
        is_deletion_protected: 0,
        created_ms: clock.nowMs(),
        deleted_ms: null,
      };
      // An id that somebody gives may be taken in another account.
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('weir_virtual_clusters')
        .values(row)
        .onConflict((same) => same.column('id').doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n)
        throw new Refusal('conflict', `The id ${row.id} is taken.`);
      return clusterOf(row);
    });
  }

  change(accountId: string, clusterId: string, change: VirtualClusterChange): Promise<VirtualCluster> {
    return changeAccount(this.#database, accountId, async (transaction) => {
      const row = await requireCluster(transaction, accountId, clusterId);
      const { name, tier, tags, isDeletionProtected } = change;
      const changed: VirtualClusterRow = {
        ...row,
        ...(name === undefined ? {} : { name: await this.#renamed(transaction, row, name) }),
        ...(tier === undefined ? {} : { tier }),
        ...(tags === undefined ? {} : { tags: tagsText(tags) }),
        ...(isDeletionProtected === undefined
          ? {}
          : { is_deletion_protected: isDeletionProtected ? 1 : 0 }),
      };
      await transaction
        .updateTable('weir_virtual_clusters')
        .set(changed)
        .where('id', '=', clusterId)
        .execute();
      return clusterOf(changed);
    });
  }

  /** It can be brought back for 30 days. Its agent keys stay, and open nothing meanwhile. */
  async delete(accountId: string, clusterId: string): Promise<void> {
    await changeAccount(this.#database, accountId, async (transaction) => {
      const row = await requireCluster(transaction, accountId, clusterId);
      if (row.is_deletion_protected === 1)
        throw new Refusal('conflict', `${row.name} has deletion protection enabled`);
      await transaction
        .updateTable('weir_virtual_clusters')
        .set({ deleted_ms: this.#surroundings.clock.nowMs() })
        .where('id', '=', clusterId)
        .execute();
    });
  }

  restore(accountId: string, clusterId: string): Promise<VirtualCluster> {
    return changeAccount(this.#database, accountId, async (transaction) => {
      const row = await transaction
        .selectFrom('weir_virtual_clusters')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', clusterId)
        .where('deleted_ms', '>', this.#surroundings.clock.nowMs() - restorableMs)
        .executeTakeFirst();
      if (row === undefined) throw notFound('recently deleted virtual cluster');
      await requireWorkspace(transaction, accountId, row.workspace_id);
      await freeName(transaction, row.workspace_id, row.name);
      await transaction
        .updateTable('weir_virtual_clusters')
        .set({ deleted_ms: null })
        .where('id', '=', clusterId)
        .execute();
      return clusterOf({ ...row, deleted_ms: null });
    });
  }

  /** Those that cannot be brought back any more, some at a time, for whoever removes their data. */
  async listForgotten(): Promise<VirtualCluster[]> {
    const rows = await this.#database
      .selectFrom('weir_virtual_clusters')
      .selectAll()
      .where('deleted_ms', '<=', this.#surroundings.clock.nowMs() - restorableMs)
      .orderBy('deleted_ms')
      .orderBy('id')
      .limit(forgottenPerListMax)
      .execute();
    return rows.map(clusterOf);
  }

  /** Strikes one of those off, with its agent keys, and its workspace if that was deleted and this was the last one of it. */
  async forget({ accountId, id, workspaceId }: VirtualCluster): Promise<void> {
    await changeAccount(this.#database, accountId, async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('weir_virtual_clusters')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('deleted_ms', '<=', this.#surroundings.clock.nowMs() - restorableMs)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      await revokeKeysOfCluster(transaction, accountId, id);
      await forgetWorkspace(transaction, workspaceId);
    });
  }

  #renamed(transaction: DatabaseTransaction, row: VirtualClusterRow, name: string): Promise<string> | string {
    const wanted = prefixed(row.kind, name);
    return wanted === row.name ? wanted : freeName(transaction, row.workspace_id, wanted);
  }
}

function clusterOf(row: VirtualClusterRow): VirtualCluster {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    name: row.name,
    kind: row.kind,
    tier: row.tier,
    cloudProvider: row.cloud_provider,
    place: row.region === null ? { regionGroup: row.region_group! } : { region: row.region },
    tags: JSON.parse(row.tags) as Record<string, string>,
    isDeletionProtected: row.is_deletion_protected === 1,
    createdMs: row.created_ms,
    deletedMs: row.deleted_ms ?? undefined,
  };
}

function prefixed(kind: ClusterKind, name: string): string {
  return `${kinds[kind].namePrefix}${checkedName('virtual cluster', name)}`;
}

function tagsText(tags: Readonly<Record<string, string>>): string {
  const entries = Object.entries(tags);
  if (entries.length > caps.tagsPerClusterMax)
    throw new Refusal('invalid_request', `A virtual cluster has at most ${caps.tagsPerClusterMax} tags.`);
  for (const [key, value] of entries) {
    if (key === '' || key.length > caps.tagCharsMax || value.length > caps.tagCharsMax)
      throw new Refusal('invalid_request', `Keys and values of tags have at most ${caps.tagCharsMax} characters.`);
  }
  return JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

async function requireCluster(
  transaction: DatabaseTransaction,
  accountId: string,
  clusterId: string,
): Promise<VirtualClusterRow> {
  const row = await transaction
    .selectFrom('weir_virtual_clusters')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', clusterId)
    .where('deleted_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notFound('virtual cluster');
  return row;
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
    throw new Refusal('conflict', `There is a virtual cluster "${name}" in the workspace already.`);
  return name;
}

async function refuseTooMany(transaction: DatabaseTransaction, accountId: string): Promise<void> {
  const { count } = await transaction
    .selectFrom('weir_virtual_clusters')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (count >= caps.virtualClustersPerAccountMax)
    throw new Refusal(
      'conflict',
      `An account has at most ${caps.virtualClustersPerAccountMax} virtual clusters, recently deleted ones included.`,
    );
}
