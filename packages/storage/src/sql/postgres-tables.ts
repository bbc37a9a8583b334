import type { ObjectInfo } from '../store/object-store.ts';
import type {
  BucketTables,
  ContentRange,
  KeyRange,
  ListedContent,
  Placed,
  PlacedObject,
  ReadPieces,
} from './bucket-tables.ts';
import { PostgresConnections, type PostgresConnectionsDeps } from './postgres-connections.ts';
import type { PostgresPlace } from './sql-url.ts';

/** An arbitrary fixed number: processes that start together create the tables one after the other. */
const schemaLock = 7_305_012;

/** The number of chunks that one statement deletes: a megabyte is some five hundred rows of PostgreSQL itself. */
const discardedChunksMax = 128;

const leftoversMax = 64;

const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Chunks do not wait for the disk: the statement that makes them an object does, and the log is written in order. */
const withoutDisk = `set_config('synchronous_commit', 'off', true) IS NOT NULL`;

/** A server may be set up to answer before a commit is on disk. */
const withDisk = `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
  ELSE current_setting('synchronous_commit') END, true) IS NOT NULL`;

/**
 * The tables of a bucket in PostgreSQL. Every statement is one transaction and one round trip. What a statement looks
 * for is either locked by it or was committed before it began, so that it may be run beside any other.
 */
export class PostgresTables implements BucketTables {
  readonly #connections: PostgresConnections;
  readonly #subject: string;
  readonly #statements: ReturnType<typeof statementsOf>;
  #ready: Promise<void> | undefined;

  constructor(place: PostgresPlace, deps: PostgresConnectionsDeps) {
    this.#connections = new PostgresConnections(place, deps);
    this.#subject = `postgres://${place.host}:${place.port}/${place.database}`;
    this.#statements = statementsOf(place.table);
  }

  async putWhole(
    { key, content, bytes, chunkBytes }: PlacedObject,
    chunk: Uint8Array,
    onlyIfAbsent: boolean,
  ): Promise<Placed> {
    const { putWhole, putWholeIfAbsent } = this.#statements;
    const text = onlyIfAbsent ? putWholeIfAbsent : putWhole;
    const [placed] = await this.#run(text, [key, content, bytes, chunkBytes, chunk], key);
    return placed === undefined ? 'exists' : { replaced: placed.replaced ?? undefined };
  }

  async begin(content: string, key: string): Promise<void> {
    await this.#run(this.#statements.begin, [content, key], key);
  }

  async addChunk(content: string, number: number, chunk: Uint8Array): Promise<boolean> {
    const { addChunk } = this.#statements;
    const { count } = await this.#run(addChunk, [content, number, chunk], this.#subject);
    return count > 0;
  }

  async place(object: PlacedObject, onlyIfAbsent: boolean): Promise<Placed | 'incomplete'> {
    const { key, content, bytes, chunkBytes } = object;
    const { place, placeIfAbsent, objectContent } = this.#statements;
    const parameters = [key, content, bytes, chunkBytes, Math.ceil(bytes / chunkBytes)];
    const text = onlyIfAbsent ? placeIfAbsent : place;
    const [placed] = await this.#run(text, parameters, key);
    if (placed !== undefined) return { replaced: placed.replaced ?? undefined };
    // An earlier call may have done it, whose response was lost.
    const [found] = await this.#run(objectContent, [key], key);
    if (found?.content === content) return { replaced: undefined };
    return onlyIfAbsent && found !== undefined ? 'exists' : 'incomplete';
  }

  async remove(keys: readonly string[]): Promise<string[]> {
    const found = await this.#run(this.#statements.remove, [JSON.stringify(keys)], keys[0]!);
    return found.map(({ content }) => content);
  }

  async discardSome(contents: readonly string[]): Promise<boolean> {
    const { mark, discardChunks, forget } = this.#statements;
    // One that has become an object meanwhile is not marked.
    const marked = await this.#run(mark, [JSON.stringify(contents)], this.#subject);
    if (marked.length === 0) return false;
    const ids = JSON.stringify(marked.map(({ id }) => id));
    if ((await this.#run(discardChunks, [ids], this.#subject)).count > 0) return true;
    await this.#run(forget, [ids], this.#subject);
    return false;
  }

  async leftovers(ageMs: number): Promise<string[]> {
    const found = await this.#run(this.#statements.leftovers, [ageMs], this.#subject);
    return found.map(({ id }) => id);
  }

  async find(key: string): Promise<ObjectInfo | undefined> {
    const [found] = await this.#run(this.#statements.find, [key], key);
    return found as ObjectInfo | undefined;
  }

  async read(key: string, start: number, end: number): Promise<ReadPieces | undefined> {
    const found = await this.#run(this.#statements.read, [key, start, end], key);
    const [first] = found;
    if (first === undefined) return undefined;
    const pieces = found.flatMap(({ piece }): Buffer[] => (piece === null ? [] : [piece]));
    return { content: first.content, objectBytes: first.object_bytes, pieces };
  }

  async list({ from, before, count }: KeyRange): Promise<ObjectInfo[]> {
    const found = await this.#run(this.#statements.list, [from, before, count], this.#subject);
    return [...(found as Iterable<ObjectInfo>)];
  }

  async listContents({ from, after, before, count }: ContentRange): Promise<ListedContent[]> {
    const parameters = [from, before, after?.key ?? null, after?.content ?? null, count];
    const found = await this.#run(this.#statements.listContents, parameters, this.#subject);
    return [...(found as Iterable<ListedContent>)];
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #run(text: string, parameters: readonly (string | number | Uint8Array | null)[], subject: string) {
    this.#ready ??= this.#makeTables().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
    return await this.#connections.run(text, parameters, subject);
  }

  /** A role that may not create tables can use those that exist. */
  async #makeTables(): Promise<void> {
    const { hasTables, schema } = this.#statements;
    const [found] = await this.#connections.run(hasTables, [], this.#subject);
    if (found?.name === null) await this.#connections.run(schema, [], this.#subject);
  }
}

function statementsOf(table: string) {
  const objects = `${table}_objects`;
  const contents = `${table}_contents`;
  const chunks = `${table}_chunks`;
  const texts = (parameter: string) =>
    `SELECT value FROM json_array_elements_text(${parameter}::text::json) AS value`;

  const onConflict = {
    replace: `ON CONFLICT (key) DO UPDATE SET content = excluded.content, bytes = excluded.bytes,
      chunk_bytes = excluded.chunk_bytes, modified_ms = excluded.modified_ms, replaced = ${objects}.content`,
    keep: 'ON CONFLICT (key) DO NOTHING',
  };
  /** Notes the content that was replaced, if one was. */
  const trash = `trash AS (
    INSERT INTO ${contents} (id, key, begun_ms, is_discarded)
    SELECT replaced, key, ${nowMs}, true FROM placed WHERE replaced IS NOT NULL)`;

  const putWhole = (conflict: string) => `
    WITH placed AS (
      INSERT INTO ${objects} (key, content, bytes, chunk_bytes, modified_ms)
      SELECT $1::text, $2::uuid, $3::bigint, $4::integer, ${nowMs} WHERE ${withDisk}
      ${conflict} RETURNING key, content, bytes, replaced),
    stored AS (
      INSERT INTO ${chunks} (content, number, bytes) SELECT content, 0, $5::bytea FROM placed WHERE bytes > 0),
    ${trash}
    SELECT replaced FROM placed`;

  const place = (conflict: string) => `
    WITH whole AS (
      SELECT id FROM ${contents} WHERE id = $2::uuid AND key = $1::text AND NOT is_discarded
        AND $3::bigint = (SELECT sum(octet_length(bytes)) FROM ${chunks} WHERE content = $2::uuid AND number < $5::integer)
      FOR UPDATE),
    placed AS (
      INSERT INTO ${objects} (key, content, bytes, chunk_bytes, modified_ms)
      SELECT $1::text, id, $3::bigint, $4::integer, ${nowMs} FROM whole WHERE ${withDisk}
      ${conflict} RETURNING key, content, replaced),
    finished AS (DELETE FROM ${contents} WHERE id IN (SELECT content FROM placed)),
    ${trash}
    SELECT replaced FROM placed`;

  return {
    hasTables: `SELECT to_regclass('${chunks}')::text AS name`,
    schema: `
      SELECT pg_advisory_xact_lock(${schemaLock});
      CREATE TABLE IF NOT EXISTS ${objects} (
        key text COLLATE "C" PRIMARY KEY, content uuid NOT NULL, bytes bigint NOT NULL, chunk_bytes integer NOT NULL,
        modified_ms bigint NOT NULL, replaced uuid
      );
      CREATE TABLE IF NOT EXISTS ${contents} (
        id uuid PRIMARY KEY, key text COLLATE "C" NOT NULL, begun_ms bigint NOT NULL, is_discarded boolean NOT NULL
      );
      CREATE TABLE IF NOT EXISTS ${chunks} (
        content uuid NOT NULL, number integer NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (content, number)
      );
      ALTER TABLE ${chunks} ALTER COLUMN bytes SET STORAGE EXTERNAL;`,
    putWhole: putWhole(onConflict.replace),
    putWholeIfAbsent: putWhole(onConflict.keep),
    begin: `
      INSERT INTO ${contents} (id, key, begun_ms, is_discarded)
      SELECT $1::uuid, $2::text, ${nowMs}, false WHERE ${withoutDisk}`,
    addChunk: `
      INSERT INTO ${chunks} (content, number, bytes)
      SELECT id, $2::integer, $3::bytea FROM ${contents}
      WHERE id = $1::uuid AND NOT is_discarded AND ${withoutDisk} FOR SHARE
      ON CONFLICT (content, number) DO UPDATE SET bytes = excluded.bytes`,
    place: place(onConflict.replace),
    placeIfAbsent: place(onConflict.keep),
    objectContent: `SELECT content FROM ${objects} WHERE key = $1::text`,
    remove: `
      WITH wanted AS (SELECT key FROM ${objects} WHERE key IN (${texts('$1')}) ORDER BY key FOR UPDATE),
      gone AS (DELETE FROM ${objects} WHERE key IN (SELECT key FROM wanted) AND ${withDisk} RETURNING key, content),
      trash AS (
        INSERT INTO ${contents} (id, key, begun_ms, is_discarded) SELECT content, key, ${nowMs}, true FROM gone)
      SELECT content FROM gone`,
    mark: `
      UPDATE ${contents} SET is_discarded = true
      WHERE id IN (SELECT value::uuid FROM (${texts('$1')}) AS wanted) RETURNING id`,
    discardChunks: `
      DELETE FROM ${chunks} WHERE (content, number) IN (
        SELECT content, number FROM ${chunks}
        WHERE content IN (SELECT value::uuid FROM (${texts('$1')}) AS wanted) LIMIT ${discardedChunksMax})`,
    forget: `
      DELETE FROM ${contents} WHERE is_discarded AND id IN (SELECT value::uuid FROM (${texts('$1')}) AS wanted)
        AND NOT EXISTS (SELECT FROM ${chunks} WHERE content = id)`,
    leftovers: `
      SELECT id FROM ${contents} WHERE is_discarded OR begun_ms < ${nowMs} - $1::bigint LIMIT ${leftoversMax}`,
    find: `SELECT key, bytes, modified_ms AS "modifiedMs" FROM ${objects} WHERE key = $1::text`,
    read: `
      SELECT o.content, o.bytes AS object_bytes, substring(c.bytes
        FROM greatest($2::bigint - c.number::bigint * o.chunk_bytes, 0)::integer + 1
        FOR (least($3::bigint - c.number::bigint * o.chunk_bytes, o.chunk_bytes)
          - greatest($2::bigint - c.number::bigint * o.chunk_bytes, 0))::integer) AS piece
      FROM ${objects} AS o LEFT JOIN ${chunks} AS c
        ON c.content = o.content AND $3::bigint > $2::bigint
        AND c.number BETWEEN $2::bigint / o.chunk_bytes AND ($3::bigint - 1) / o.chunk_bytes
      WHERE o.key = $1::text ORDER BY c.number`,
    list: `
      SELECT key, bytes, modified_ms AS "modifiedMs" FROM ${objects}
      WHERE key >= $1::text AND key < $2::text ORDER BY key LIMIT $3::integer`,
    listContents: `
      SELECT key, id AS content, begun_ms AS "begunMs" FROM ${contents}
      WHERE NOT is_discarded AND key >= $1::text AND key < $2::text
        AND ($3::text IS NULL OR (key, id) > ($3::text, $4::uuid))
      ORDER BY key, id LIMIT $5::integer`,
  };
}
