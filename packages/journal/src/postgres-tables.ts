import { NewerFormat } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { snapshotHeadBytes } from '@weir/machine';
import { PostgresPool, type PostgresSql } from '@weir/sql/postgres-pool';
import { checkedClustersMax, checkFormat, journalFormat, rowHeadBytes } from './format.ts';
import {
  type Chunk,
  type ChunkHead,
  type Head,
  type HeadRow,
  headOf,
  type JournalTables,
  type LeaseTaking,
  type LeaseToRenew,
  type MemberRow,
  noHead,
  type SnapshotRow,
} from './tables.ts';

/** The number of rows that one step of pruning deletes. */
const prunedRowsMax = 1_000;
/**
 * The minimum interval of notifications. A NOTIFY serialises commits of the whole server, so it must not be part of
 * every append; for a standby, 50 ms is soon enough.
 */
const notifyIntervalMs = 50;
const channel = 'weir_journal';
/** An arbitrary fixed number: processes that start together create the schema one after the other. */
const schemaLock = 7_305_011;

const schema = `
  CREATE TABLE IF NOT EXISTS weir_journal_heads (
    cluster_id text PRIMARY KEY, next_position bigint NOT NULL,
    epoch bigint NOT NULL, renewal bigint NOT NULL, ttl_ms bigint NOT NULL, holder_id text, holder_url text
  ) WITH (fillfactor = 20);
  CREATE TABLE IF NOT EXISTS weir_journal_chunks (
    cluster_id text NOT NULL, first_position bigint NOT NULL, count integer NOT NULL, epoch bigint NOT NULL,
    packed bytea NOT NULL, PRIMARY KEY (cluster_id, first_position)
  );
  CREATE TABLE IF NOT EXISTS weir_journal_snapshots (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, cluster_id text NOT NULL, position bigint NOT NULL,
    slice_count integer, bytes bigint
  );
  CREATE INDEX IF NOT EXISTS weir_journal_snapshots_by_cluster ON weir_journal_snapshots (cluster_id, position);
  CREATE TABLE IF NOT EXISTS weir_journal_slices (
    snapshot_id bigint NOT NULL REFERENCES weir_journal_snapshots (id) ON DELETE CASCADE, slice integer NOT NULL,
    bytes bytea NOT NULL, PRIMARY KEY (snapshot_id, slice)
  );
  CREATE TABLE IF NOT EXISTS weir_journal_notes (cluster_id text PRIMARY KEY, note bytea NOT NULL);
  CREATE TABLE IF NOT EXISTS weir_journal_members (id text PRIMARY KEY, url text NOT NULL, beat bigint NOT NULL);
  ALTER TABLE weir_journal_members ADD COLUMN IF NOT EXISTS region text;
  CREATE TABLE IF NOT EXISTS weir_journal_format (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), format integer NOT NULL);
`;

/** Journals in a PostgreSQL database, or a compatible one. */
export class PostgresTables implements JournalTables {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pool: PostgresPool;
  #ready: Promise<void> | undefined;
  #onNews: ((clusterId: string | undefined) => void) | undefined;
  readonly #unsent = new Set<string>();
  #stopNotifying: (() => void) | undefined;

  constructor(url: string, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#pool = new PostgresPool({
      server: url,
      keepsConnections: true,
      clock,
      onReplaced: () => this.#onReplaced(),
    });
  }

  heads(clusterIds: readonly string[]): Promise<Head[]> {
    return this.#run(async (sql) => {
      const found = await sql<(HeadRow & { readonly cluster_id: string })[]>`
        SELECT * FROM weir_journal_heads
        WHERE cluster_id IN (SELECT json_array_elements_text(${JSON.stringify(clusterIds)}::text::json))`;
      const byId = new Map(found.map((row) => [row.cluster_id, headOf(row)]));
      return clusterIds.map((clusterId) => byId.get(clusterId) ?? noHead);
    });
  }

  /**
   * One statement, so one round trip and one transaction. The update waits for the row lock and then reads the newest
   * version of the row; so an append either ends before another process takes the lease, or sees the new epoch and does
   * nothing.
   */
  append(clusterId: string, epoch: number, firstPosition: number, count: number, packed: Buffer) {
    return this.#run(async (sql) => {
      const stored = await sql`
        WITH moved AS (
          UPDATE weir_journal_heads SET next_position = next_position + ${count}
          WHERE cluster_id = ${clusterId} AND epoch = ${epoch} AND next_position = ${firstPosition}
          RETURNING cluster_id
        )
        INSERT INTO weir_journal_chunks (cluster_id, first_position, count, epoch, packed)
        SELECT cluster_id, ${firstPosition}, ${count}, ${epoch}, ${packed} FROM moved`;
      return stored.count === 1;
    });
  }

  chunks(clusterId: string, fromPosition: number, bytesMax: number): Promise<Chunk[]> {
    return this.#run(async (sql) => {
      const found = await sql<Chunk[]>`
        SELECT first_position AS "firstPosition", count, packed FROM (
          SELECT *, sum(octet_length(packed)) OVER (ORDER BY first_position) - octet_length(packed) AS bytes_before
          FROM (
            SELECT * FROM weir_journal_chunks WHERE cluster_id = ${clusterId} AND first_position >= coalesce(
              (SELECT max(first_position) FROM weir_journal_chunks
               WHERE cluster_id = ${clusterId} AND first_position <= ${fromPosition}), ${fromPosition})
            ORDER BY first_position LIMIT 1000
          ) AS near
        ) AS summed
        WHERE bytes_before < ${bytesMax} AND first_position + count > ${fromPosition} ORDER BY first_position`;
      return [...found];
    });
  }

  chunkAt(clusterId: string, firstPosition: number) {
    return this.#run(async (sql) => {
      const [found] = await sql<ChunkHead[]>`
        SELECT epoch, count FROM weir_journal_chunks
        WHERE cluster_id = ${clusterId} AND first_position = ${firstPosition}`;
      return found;
    });
  }

  takeLease({ clusterId, epoch, renewal, holder, ttlMs }: LeaseTaking): Promise<boolean> {
    return this.#changes(async (sql) => {
      if (epoch === noHead.epoch)
        await sql`INSERT INTO weir_journal_heads VALUES (${clusterId}, 0, 0, 0, 0, NULL, NULL) ON CONFLICT DO NOTHING`;
      return sql`
        UPDATE weir_journal_heads
        SET epoch = epoch + 1, renewal = 0, holder_id = ${holder.id}, holder_url = ${holder.url}, ttl_ms = ${ttlMs}
        WHERE cluster_id = ${clusterId} AND epoch = ${epoch} AND renewal = ${renewal}`;
    });
  }

  /**
   * Locks the rows in the order of their ids, so that two processes that both think they hold the same leases cannot
   * deadlock. Waits for the disk: a watcher outlives a crash of the server, and would take a counter that was rolled
   * back for one that was never raised.
   */
  renewLeases(leases: readonly LeaseToRenew[]): Promise<boolean[]> {
    return this.#run(async (sql) => {
      const wanted = JSON.stringify(leases.map(({ clusterId, epoch }) => ({ cluster_id: clusterId, epoch })));
      const renewed = await sql`
        WITH held AS (
          SELECT heads.cluster_id FROM weir_journal_heads AS heads
          JOIN json_to_recordset(${wanted}::text::json) AS wanted (cluster_id text, epoch bigint)
            ON heads.cluster_id = wanted.cluster_id AND heads.epoch = wanted.epoch
          WHERE heads.holder_url IS NOT NULL ORDER BY heads.cluster_id FOR UPDATE OF heads
        )
        UPDATE weir_journal_heads AS heads SET renewal = renewal + 1 FROM held
        WHERE heads.cluster_id = held.cluster_id RETURNING heads.cluster_id, heads.epoch`;
      const epochOf = new Map(renewed.map((row) => [row.cluster_id, row.epoch]));
      return leases.map(({ clusterId, epoch }) => epochOf.get(clusterId) === epoch);
    });
  }

  async releaseLease(clusterId: string, epoch: number): Promise<void> {
    await this.#changes(
      (sql) => sql`
        UPDATE weir_journal_heads SET epoch = epoch + 1, holder_url = NULL
        WHERE cluster_id = ${clusterId} AND epoch = ${epoch}`,
    );
  }

  beginSnapshot(clusterId: string, position: number): Promise<number> {
    return this.#run(async (sql) => {
      const [made] = await sql<{ id: number }[]>`
        INSERT INTO weir_journal_snapshots (cluster_id, position) VALUES (${clusterId}, ${position}) RETURNING id`;
      return made!.id;
    });
  }

  async addSlice(snapshotId: number, index: number, bytes: Buffer): Promise<void> {
    await this.#changes(
      (sql) => sql`
        INSERT INTO weir_journal_slices
        SELECT id, ${index}, ${bytes} FROM weir_journal_snapshots WHERE id = ${snapshotId} FOR KEY SHARE`,
    );
  }

  async finishSnapshot(snapshotId: number, sliceCount: number, bytes: number): Promise<void> {
    await this.#changes(
      (sql) => sql`
        UPDATE weir_journal_snapshots SET slice_count = ${sliceCount}, bytes = ${bytes} WHERE id = ${snapshotId}`,
    );
  }

  snapshots(clusterId: string): Promise<SnapshotRow[]> {
    return this.#run(async (sql) => {
      const found = await sql<SnapshotRow[]>`
        SELECT id, position, slice_count AS "sliceCount", bytes FROM weir_journal_snapshots
        WHERE cluster_id = ${clusterId} AND slice_count IS NOT NULL ORDER BY position DESC, id DESC`;
      return [...found];
    });
  }

  slice(snapshotId: number, index: number): Promise<Uint8Array> {
    return this.#run(async (sql) => {
      const [found] = await sql<{ bytes: Buffer }[]>`
        SELECT bytes FROM weir_journal_slices WHERE snapshot_id = ${snapshotId} AND slice = ${index}`;
      return found?.bytes ?? new Uint8Array();
    });
  }

  prune(clusterId: string, snapshotIdMin: number, retainedSnapshotId: number, position: number) {
    return this.#run(async (sql) => {
      await sql`
        DELETE FROM weir_journal_snapshots
        WHERE cluster_id = ${clusterId} AND id < ${snapshotIdMin} AND id <> ${retainedSnapshotId}`;
      const chunks = await sql`
        DELETE FROM weir_journal_chunks WHERE cluster_id = ${clusterId} AND first_position IN (
          SELECT first_position FROM weir_journal_chunks
          WHERE cluster_id = ${clusterId} AND first_position < ${position} AND first_position + count <= ${position}
          ORDER BY first_position LIMIT ${prunedRowsMax})`;
      return chunks.count === prunedRowsMax;
    });
  }

  /** Segments belong to one process, and a server to many. */
  async segmentMark(): Promise<undefined> {}

  setSegmentMark(): Promise<void> {
    return Promise.reject(new Error('journal: PostgreSQL: journals on a server have no segments'));
  }

  hasClusters(): Promise<boolean> {
    return this.#run(async (sql) => {
      const [row] = await sql`SELECT EXISTS (SELECT 1 FROM weir_journal_heads) AS found`;
      return row!.found === true;
    });
  }

  removeCluster(clusterId: string): Promise<void> {
    return this.#run(async (sql) => {
      await sql`DELETE FROM weir_journal_notes WHERE cluster_id = ${clusterId}`;
      await sql`DELETE FROM weir_journal_heads WHERE cluster_id = ${clusterId}`;
    });
  }

  async putNote(clusterId: string, epoch: number, note: Buffer): Promise<void> {
    await this.#changes(
      (sql) => sql`
        INSERT INTO weir_journal_notes
        SELECT cluster_id, ${note} FROM weir_journal_heads WHERE cluster_id = ${clusterId} AND epoch = ${epoch}
        ON CONFLICT (cluster_id) DO UPDATE SET note = excluded.note`,
    );
  }

  note(clusterId: string): Promise<Uint8Array | undefined> {
    return this.#run(async (sql) => {
      const [found] = await sql<{ note: Buffer }[]>`
        SELECT note FROM weir_journal_notes WHERE cluster_id = ${clusterId}`;
      return found?.note;
    });
  }

  async beat(memberId: string, url: string, region: string | undefined): Promise<void> {
    await this.#changes(
      (sql) => sql`
        INSERT INTO weir_journal_members (id, url, beat, region) VALUES (${memberId}, ${url}, 1, ${region ?? null})
        ON CONFLICT (id) DO UPDATE
        SET url = excluded.url, beat = weir_journal_members.beat + 1, region = excluded.region`,
    );
  }

  beats(): Promise<MemberRow[]> {
    return this.#run(async (sql) => [
      ...(await sql<MemberRow[]>`SELECT id, url, beat, region FROM weir_journal_members ORDER BY id`),
    ]);
  }

  async removeMember(memberId: string, beat: number | null): Promise<void> {
    await this.#changes((sql) =>
      beat === null
        ? sql`DELETE FROM weir_journal_members WHERE id = ${memberId}`
        : sql`DELETE FROM weir_journal_members WHERE id = ${memberId} AND beat = ${beat}`,
    );
  }

  notify(clusterId: string): void {
    this.#unsent.add(clusterId);
    this.#stopNotifying ??= this.#clock.after(notifyIntervalMs, () => {
      this.#stopNotifying = undefined;
      const changed = JSON.stringify([...this.#unsent]);
      this.#unsent.clear();
      this.#run(
        (sql) =>
          sql`SELECT pg_notify(${channel}, id) FROM json_array_elements_text(${changed}::text::json) AS id`,
      ).catch(() => {});
    });
  }

  listen(onNews: (clusterId: string | undefined) => void): void {
    this.#onNews = onNews;
    this.#subscribe();
  }

  #subscribe(): void {
    // The driver subscribes again by itself after a lost connection; notifications in between are lost.
    this.#pool.sql
      .listen(
        channel,
        (clusterId) => this.#onNews?.(clusterId),
        () => this.#onNews?.(undefined),
      )
      .catch(() => {});
  }

  check(): Promise<void> {
    return this.#run(async () => {});
  }

  async close(): Promise<void> {
    this.#stopNotifying?.();
    this.#onNews = undefined;
    await this.#pool.close();
  }

  #changes(statement: (sql: PostgresSql) => PromiseLike<{ readonly count: number }>): Promise<boolean> {
    return this.#run(async (sql) => (await statement(sql)).count > 0);
  }

  async #run<Result>(work: (sql: PostgresSql) => PromiseLike<Result>): Promise<Result> {
    if (this.#pool.isClosed) throw new Error('journal: PostgreSQL: it was closed');
    try {
      return await this.#pool.run(async () => {
        await this.#prepared();
        return work(this.#pool.sql);
      });
    } catch (error) {
      if (error instanceof NewerFormat) throw error;
      throw new Error(`journal: PostgreSQL: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Creates the schema; after a failure the next call retries. */
  #prepared(): Promise<void> {
    this.#ready ??= this.#makeSchema().then(
      // Several connections are needed at once for the first time when this process takes over from another.
      () => this.#pool.connectAll(),
      (error) => {
        this.#ready = undefined;
        throw error;
      },
    );
    return this.#ready;
  }

  async #makeSchema(): Promise<void> {
    await this.#pool.sql.begin(async (sql) => {
      await sql`SELECT pg_advisory_xact_lock(${schemaLock})`;
      const [table] = await sql<{ name: string | null }[]>`
        SELECT to_regclass('weir_journal_format')::text AS name`;
      if (table?.name !== null) {
        const [found] = await sql<{ format: number }[]>`SELECT format FROM weir_journal_format`;
        checkFormat({ format: found?.format ?? 0, rows: [], snapshots: [] });
      }
      await sql.unsafe(schema);
      const heads = await sql<{ newest_row: Buffer | null; newest_snapshot: Buffer | null }[]>`
        SELECT
          (SELECT substring(packed FROM 1 FOR ${rowHeadBytes}::int) FROM weir_journal_chunks AS chunks
           WHERE chunks.cluster_id = heads.cluster_id ORDER BY first_position DESC LIMIT 1) AS newest_row,
          (SELECT substring(slices.bytes FROM 1 FOR ${snapshotHeadBytes}::int) FROM weir_journal_snapshots AS snapshots
           JOIN weir_journal_slices AS slices ON slices.snapshot_id = snapshots.id AND slices.slice = 0
           WHERE snapshots.cluster_id = heads.cluster_id AND snapshots.slice_count IS NOT NULL
           ORDER BY position DESC, snapshots.id DESC LIMIT 1) AS newest_snapshot
        FROM weir_journal_heads AS heads LIMIT ${checkedClustersMax}`;
      checkFormat({
        format: journalFormat,
        rows: heads.map(({ newest_row: row }) => row),
        snapshots: heads.map(({ newest_snapshot: snapshot }) => snapshot),
      });
      await sql`
        INSERT INTO weir_journal_format (format) VALUES (${journalFormat})
        ON CONFLICT (only_row) DO UPDATE SET format = excluded.format`;
    });
  }

  /** The server was silent although the connection stood. Callers get an error, and may retry on a new connection. */
  #onReplaced(): void {
    this.#log.warn('lost database connection, reconnecting', { silentMs: this.#pool.silenceMsMax });
    this.#subscribe();
  }
}
