import { ApiError } from '@weir/api';
import { coreLimits } from '@weir/core';
import { freshUuid } from '../common/ids.ts';
import { byName } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { tableTable, virtualClusterTable } from '../database/account-table.ts';
import type { Database, DatabaseTransaction, TableRow } from '../database/schema.ts';

/** A table, as a configuration names it. */
export interface ConfiguredTable {
  readonly pipelineId: string;
  /** `<source cluster>__<topic>`. */
  readonly name: string;
  readonly sourceCluster: string;
  readonly topic: string;
  /** The bucket of the agents if absent. */
  readonly bucketUrl: string | undefined;
  /** The catalog that has it, as JSON, with references to secrets; the bucket itself if absent. */
  readonly catalog?: string | undefined;
}

/** A table of a data lake cluster. */
export interface Table extends ConfiguredTable {
  readonly uuid: string;
  readonly createdMs: number;
  /** When a user asked for a replay of its kept records, until that has ended. */
  readonly replayRequestedMs?: number | undefined;
}

/** A table whose files are to be deleted. */
interface DeletedTable extends Table {
  readonly deletedMs: number;
}

/** Where tables are. In another cluster or account they are not found. */
export interface TablesPlace {
  readonly accountId: string;
  readonly clusterId: string;
}

/** The tables of data lake clusters. One that a user deleted stays in `deleted` until it is forgotten. */
export class Tables extends AccountStore {
  /** By name. */
  async list({ accountId, clusterId }: TablesPlace): Promise<Table[]> {
    const rows = await tableTable.list(this.database, accountId, { cluster_id: clusterId });
    return rows.map((row) => this.#tableOf(row)).sort(byName);
  }

  async get({ accountId, clusterId }: TablesPlace, uuid: string): Promise<Table> {
    return this.#tableOf(await tableTable.require(this.database, accountId, uuid, { cluster_id: clusterId }));
  }

  async getByName({ accountId, clusterId }: TablesPlace, name: string): Promise<Table> {
    const [row] = await tableTable.list(this.database, accountId, { cluster_id: clusterId, name });
    if (row === undefined) throw notFound('table');
    return this.#tableOf(row);
  }

  /** The one that was deleted longest ago first. */
  async deleted(place: TablesPlace): Promise<DeletedTable[]> {
    const rows = await deletedRows(this.database, place).orderBy('deleted_ms').orderBy('id').execute();
    return rows.map((row) => ({ ...this.#tableOf(row), deletedMs: row.deleted_ms! }));
  }

  /**
   * Returns the tables that configurations name, and creates those that there are not. If several pipelines name a
   * table, the one that has it keeps it. One of another topic with the same name is not that table. Beyond the limit of
   * a cluster, tables are not created.
   */
  async ensure(place: TablesPlace, configured: readonly ConfiguredTable[]): Promise<Table[]> {
    if (configured.length === 0) return [];
    const found = settle(await this.list(place), configured);
    if (found.changed.length === 0 && (found.absent.length === 0 || found.room === 0))
      return [...found.tables];
    return this.changeAccount(place.accountId, async (transaction) => {
      await virtualClusterTable.require(transaction, place.accountId, place.clusterId);
      const rows = await tableTable.list(transaction, place.accountId, { cluster_id: place.clusterId });
      const { tables, changed, absent, room } = settle(
        rows.map((row) => this.#tableOf(row)),
        configured,
      );
      for (const { uuid, pipelineId, bucketUrl, catalog } of changed)
        await transaction
          .updateTable('weir_tables')
          .set({
            pipeline_id: pipelineId,
            bucket_url: this.#sealed(bucketUrl, uuid),
            catalog: catalog ?? null,
          })
          .where('id', '=', uuid)
          .execute();
      const made: Table[] = [];
      for (const table of absent.slice(0, room)) made.push(await this.#insert(transaction, place, table));
      return [...tables, ...made];
    });
  }

  /** Its files are deleted later. */
  async delete({ accountId, clusterId }: TablesPlace, uuid: string): Promise<Table> {
    return this.changeAccount(accountId, async (transaction) => {
      const row = await tableTable.require(transaction, accountId, uuid, { cluster_id: clusterId });
      await transaction
        .updateTable('weir_tables')
        .set({ deleted_ms: this.deps.clock.nowMs() })
        .where('id', '=', uuid)
        .execute();
      return this.#tableOf(row);
    });
  }

  /** Asks for a replay of its kept records, another one if one was asked for before. */
  async requestReplay({ accountId, clusterId }: TablesPlace, uuid: string): Promise<Table> {
    return this.changeAccount(accountId, async (transaction) => {
      const row = await tableTable.require(transaction, accountId, uuid, { cluster_id: clusterId });
      const replay_ms = Math.max(this.deps.clock.nowMs(), (row.replay_ms ?? 0) + 1);
      await transaction.updateTable('weir_tables').set({ replay_ms }).where('id', '=', uuid).execute();
      return this.#tableOf({ ...row, replay_ms });
    });
  }

  /** The replay that was asked for at that time has ended. */
  async endReplay({ accountId, clusterId }: TablesPlace, uuid: string, requestedMs: number): Promise<void> {
    await this.database
      .updateTable('weir_tables')
      .set({ replay_ms: null })
      .where('account_id', '=', accountId)
      .where('cluster_id', '=', clusterId)
      .where('id', '=', uuid)
      .where('replay_ms', '=', requestedMs)
      .execute();
  }

  /** The files of a deleted table are gone. */
  async forget({ accountId, clusterId }: TablesPlace, uuid: string): Promise<void> {
    await this.database
      .deleteFrom('weir_tables')
      .where('account_id', '=', accountId)
      .where('cluster_id', '=', clusterId)
      .where('id', '=', uuid)
      .where('deleted_ms', 'is not', null)
      .execute();
  }

  async #insert(
    transaction: DatabaseTransaction,
    { accountId, clusterId }: TablesPlace,
    { pipelineId, name, sourceCluster, topic, bucketUrl, catalog }: ConfiguredTable,
  ): Promise<Table> {
    const { clock, random } = this.deps;
    const id = freshUuid(random);
    const row: TableRow = {
      id,
      account_id: accountId,
      cluster_id: clusterId,
      name,
      pipeline_id: pipelineId,
      source_cluster: sourceCluster,
      topic,
      bucket_url: this.#sealed(bucketUrl, id),
      created_ms: clock.nowMs(),
      deleted_ms: null,
      replay_ms: null,
      catalog: catalog ?? null,
    };
    await transaction.insertInto('weir_tables').values(row).execute();
    return this.#tableOf(row);
  }

  /** URLs of buckets in databases have passwords. */
  #sealed(url: string | undefined, id: string): string | null {
    if (url === undefined) return null;
    const { secretBox } = this.deps;
    return secretBox === undefined ? url : sealedPrefix + secretBox.seal(url, purposeOf(id));
  }

  #opened(url: string, id: string): string {
    if (!url.startsWith(sealedPrefix)) return url;
    const { secretBox } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    return secretBox.open(url.slice(sealedPrefix.length), purposeOf(id));
  }

  #tableOf(row: TableRow): Table {
    const { id, name, pipeline_id, source_cluster, topic, bucket_url, created_ms, replay_ms, catalog } = row;
    return {
      uuid: id,
      name,
      pipelineId: pipeline_id,
      sourceCluster: source_cluster,
      topic,
      bucketUrl: bucket_url === null ? undefined : this.#opened(bucket_url, id),
      ...(catalog === null ? {} : { catalog }),
      createdMs: created_ms,
      ...(replay_ms === null ? {} : { replayRequestedMs: replay_ms }),
    };
  }
}

/** No URL of a bucket begins like this. */
const sealedPrefix = 'sealed:';

function purposeOf(id: string): string {
  return `bucket of table ${id}`;
}

function deletedRows(database: Database, { accountId, clusterId }: TablesPlace) {
  return database
    .selectFrom('weir_tables')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('cluster_id', '=', clusterId)
    .where('deleted_ms', 'is not', null);
}

interface Settled {
  /** Those that there are, as they are configured. */
  readonly tables: readonly Table[];
  /** Those of them whose pipeline, bucket or catalog is another one now. */
  readonly changed: readonly Table[];
  readonly absent: readonly ConfiguredTable[];
  /** How many more there may be. */
  readonly room: number;
}

function settle(known: readonly Table[], configured: readonly ConfiguredTable[]): Settled {
  const knownByName = new Map(known.map((table) => [table.name, table]));
  const chosen = new Map<string, ConfiguredTable>();
  for (const one of configured) {
    const table = knownByName.get(one.name);
    if (table !== undefined && !isSameSource(table, one)) continue;
    if (!chosen.has(one.name) || one.pipelineId === table?.pipelineId) chosen.set(one.name, one);
  }
  const tables: Table[] = [];
  const changed: Table[] = [];
  const absent: ConfiguredTable[] = [];
  for (const [name, one] of chosen) {
    const table = knownByName.get(name);
    if (table === undefined) {
      absent.push(one);
      continue;
    }
    const { pipelineId, bucketUrl, catalog } = one;
    const { catalog: _, ...rest } = table;
    const now = { ...rest, pipelineId, bucketUrl, ...(catalog === undefined ? {} : { catalog }) };
    tables.push(now);
    const isSame =
      pipelineId === table.pipelineId && bucketUrl === table.bucketUrl && catalog === table.catalog;
    if (!isSame) changed.push(now);
  }
  return { tables, changed, absent, room: Math.max(0, coreLimits.tablesPerClusterMax - known.length) };
}

/** `a` and `b__c` have the same name as `a__b` and `c`. */
function isSameSource(a: ConfiguredTable, b: ConfiguredTable): boolean {
  return a.sourceCluster === b.sourceCluster && a.topic === b.topic;
}
