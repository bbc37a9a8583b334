/**
 * A catalog server of the Iceberg REST protocol, such as Polaris, Lakekeeper, Nessie, Unity or Glue.
 *
 * Answers to a commit: 409 is a conflict, 500, 502, 504 and lost connections leave it unknown whether it happened, 503
 * and 429 are repeated.
 */
import { Failure } from '@weir/core';
import type { Json, JsonObject } from '../../json/exact-json.ts';
import { ObjectReader, readText } from '../../json/json-reader.ts';
import { readMetadata } from '../../metadata/metadata-json.ts';
import type { TableCommit, TableUpdate } from '../../metadata/updates.ts';
import { commitJson } from '../../metadata/updates-json.ts';
import { specJson } from '../../partitions/partition-spec.ts';
import { sortOrderJson } from '../../partitions/sort-order.ts';
import { schemaJson } from '../../schema/schema-json.ts';
import {
  CommitConflict,
  CommitUnknown,
  InvalidTable,
  TableExists,
  TableNotFound,
} from '../../table-errors.ts';
import { type Catalog, type LoadedTable, shownName, type TableName } from '../catalog.ts';
import { AnswerLost } from '../server-request.ts';
import {
  failureOn,
  type RestAnswer,
  type RestCall,
  RestConnection,
  type RestOptions,
} from './rest-connection.ts';

/** Pages of a list that are read; a server that never ends is not followed. */
const pagesMax = 10_000;

export class RestCatalog implements Catalog {
  readonly #connection: RestConnection;

  constructor(options: RestOptions) {
    this.#connection = new RestConnection(options);
  }

  async create(table: TableName, updates: readonly TableUpdate[]): Promise<LoadedTable> {
    const call: RestCall = {
      method: 'POST',
      path: tablesPath(table.namespace),
      body: createJson(table, updates),
    };
    let answer = await this.#send(table, call);
    if (answer.status === 404) {
      await this.#createNamespace(table);
      answer = await this.#send(table, call);
    }
    if (answer.status === 409) throw new TableExists(`${shownName(table)}: the table exists`);
    return loadedIn(table, answer);
  }

  async load(table: TableName): Promise<LoadedTable> {
    return loadedIn(table, await this.#send(table, { method: 'GET', path: tablePath(table) }));
  }

  async commit(table: TableName, commit: TableCommit): Promise<LoadedTable> {
    const body = { identifier: { namespace: table.namespace, name: table.name }, ...commitJson(commit) };
    const answer = await this.#send(table, { method: 'POST', path: tablePath(table), body });
    if (answer.status === 409)
      throw new CommitConflict(`${shownName(table)}: ${answer.problem}; load the table again`);
    return loadedIn(table, answer);
  }

  async drop(table: TableName, { purge = false }: { readonly purge?: boolean } = {}): Promise<void> {
    const query = { purgeRequested: String(purge) };
    const answer = await this.#send(table, { method: 'DELETE', path: tablePath(table), query });
    if (answer.status < 200 || answer.status > 299) throw problemOf(table, answer);
  }

  async list(namespace: readonly string[]): Promise<readonly TableName[]> {
    const tables: TableName[] = [];
    let pageToken = '';
    for (let page = 0; page < pagesMax; page++) {
      const shown = { namespace, name: '*' };
      const answer = await this.#send(shown, {
        method: 'GET',
        path: tablesPath(namespace),
        query: { pageToken },
      });
      if (answer.status === 404) return [];
      if (answer.status !== 200) throw problemOf(shown, answer);
      const reader = new ObjectReader(answer.json, 'tables');
      tables.push(...reader.list('identifiers', readName));
      pageToken = reader.textIfAny('next-page-token') ?? '';
      if (pageToken === '') return tables.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    }
    throw new Failure(`${namespace.join('.')}: the catalog lists tables without an end`);
  }

  async #createNamespace(table: TableName): Promise<void> {
    const body = { namespace: table.namespace, properties: {} };
    const answer = await this.#send(table, { method: 'POST', path: ['namespaces'], body });
    // Another process may have been faster.
    if (answer.status !== 409 && (answer.status < 200 || answer.status > 299)) throw problemOf(table, answer);
  }

  async #send(table: TableName, call: RestCall): Promise<RestAnswer> {
    try {
      return await this.#connection.call(call);
    } catch (error) {
      if (!(error instanceof AnswerLost)) throw error;
      if (call.method === 'GET')
        throw new Failure(`${shownName(table)}: ${error.message}; try again`, { cause: error });
      throw new CommitUnknown(
        `${shownName(table)}: it is not known whether the change was made: ${error.message}`,
        { cause: error },
      );
    }
  }
}

function tablesPath(namespace: readonly string[]): RestCall['path'] {
  return ['namespaces', namespace, 'tables'];
}

function tablePath({ namespace, name }: TableName): RestCall['path'] {
  return [...tablesPath(namespace), name];
}

/** The request of a creation has parts where commits have updates. The server chooses the UUID. */
function createJson({ name }: TableName, updates: readonly TableUpdate[]): JsonObject {
  const part = <Action extends TableUpdate['action']>(action: Action) =>
    updates.find((update): update is Extract<TableUpdate, { action: Action }> => update.action === action);
  const schema = part('add-schema')?.schema;
  if (schema === undefined) throw new InvalidTable(`${name}: a table cannot be created without a schema`);
  const [spec, order] = [part('add-spec')?.spec, part('add-sort-order')?.order];
  const version = part('upgrade-format-version')?.formatVersion ?? 2;
  return {
    name,
    location: part('set-location')?.location,
    schema: schemaJson(schema),
    'partition-spec': spec === undefined ? undefined : specJson(spec),
    'write-order': order === undefined ? undefined : sortOrderJson(order),
    'stage-create': false,
    properties: { 'format-version': String(version), ...part('set-properties')?.updates },
  };
}

function loadedIn(table: TableName, answer: RestAnswer): LoadedTable {
  if (answer.status !== 200) throw problemOf(table, answer);
  const reader = new ObjectReader(answer.json, shownName(table));
  const metadata = readMetadata(reader.raw('metadata') ?? null, `${shownName(table)}.metadata`);
  return { metadata, metadataPath: reader.textIfAny('metadata-location') ?? '' };
}

function problemOf(table: TableName, { status, problem }: RestAnswer): Error {
  if (status === 404) return new TableNotFound(`${shownName(table)}: there is no such table`);
  return failureOn(status, `${shownName(table)}: the catalog answered with ${problem}`);
}

function readName(json: Json, place: string): TableName {
  const reader = new ObjectReader(json, place);
  return { namespace: reader.list('namespace', readText), name: reader.text('name') };
}
