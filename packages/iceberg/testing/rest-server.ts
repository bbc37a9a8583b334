import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { patientHttpServer } from '@weir/core/testing';
import type { Catalog, LoadedTable, TableName } from '../src/catalogs/catalog.ts';
import { type Json, parseJson, printJson } from '../src/json/exact-json.ts';
import { ObjectReader } from '../src/json/json-reader.ts';
import { metadataJson } from '../src/metadata/metadata-json.ts';
import type { TableUpdate } from '../src/metadata/updates.ts';
import { readCommit } from '../src/metadata/updates-json.ts';
import { readSpecFields } from '../src/partitions/partition-spec.ts';
import { readSortOrder, unsorted } from '../src/partitions/sort-order.ts';
import { readSchema } from '../src/schema/schema-json.ts';
import { CommitConflict, TableExists, TableNotFound } from '../src/table-errors.ts';

/** What the next requests meet: a status instead of an answer, or a connection that ends after the effect. */
export type Fault = number | 'lost answer';

/** A catalog server over another catalog, for tests of the client; pyiceberg's client holds it to the protocol. */
export class RestServer {
  readonly #catalog: Catalog;
  readonly #server: Server;
  readonly #namespaces = new Set<string>();
  readonly #prefix: string;
  /** Called for each request to a table. */
  fault: (method: string, path: string) => Fault | undefined = () => undefined;
  /** Whether a request is allowed, by its `authorization`. */
  isAllowed: (authorization: string | undefined) => boolean = () => true;
  /** Answers to requests for tokens. */
  token: (form: URLSearchParams) => Json | undefined = () => undefined;
  /** Escaped, what joins levels of namespaces in paths; clients have a default. */
  separator: string | undefined;
  readonly requests: string[] = [];
  #uuids = 0;

  constructor(catalog: Catalog, prefix: string) {
    this.#catalog = catalog;
    this.#prefix = prefix;
    this.#server = createServer(patientHttpServer, (request, response) => {
      this.#handle(request, response).catch((error: Error) =>
        answer(response, statusOf(error), problem(error.name, error.message)),
      );
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/catalog`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://server');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const path = url.pathname.split('/').slice(1).map(decodeURIComponent);
    const method = request.method!;
    this.requests.push(`${method} ${url.pathname}${url.search}`);
    if (path.join('/') === 'catalog/v1/oauth/tokens') {
      const token = this.token(new URLSearchParams(body));
      return answer(response, token === undefined ? 401 : 200, token ?? problem('unauthorized', 'no'));
    }
    if (!this.isAllowed(request.headers.authorization))
      return answer(response, 401, problem('NotAuthorizedException', 'no'));
    if (path.join('/') === 'catalog/v1/config')
      return answer(response, 200, {
        defaults: { 'namespace-separator': this.separator },
        overrides: { prefix: this.#prefix },
      });
    const [root, version, ...rest] = path;
    const [prefix, ...inside] = rest;
    if (root !== 'catalog' || version !== 'v1' || prefix !== this.#prefix)
      return answer(response, 400, problem('BadRequestException', 'path'));
    const fault = this.fault(method, inside.join('/'));
    if (typeof fault === 'number') return answer(response, fault, problem('ServerFault', 'by design'));
    const done = await this.#route(method, inside, url, body);
    if (fault === 'lost answer') response.destroy();
    else answer(response, done === undefined ? 204 : 200, done);
  }

  async #route(
    method: string,
    [kind, namespaceText, tables, name]: string[],
    url: URL,
    body: string,
  ): Promise<Json | undefined> {
    if (kind !== 'namespaces') throw new TableNotFound('no such path');
    const json = body === '' ? null : parseJson(body, 'request');
    if (namespaceText === undefined && method === 'POST') {
      const levels = new ObjectReader(json, 'request').list('namespace', String);
      this.#namespaces.add(levels.join('\u001f'));
      return { namespace: levels, properties: {} };
    }
    const namespace = namespaceText!.split('\u001f');
    if (tables === undefined) {
      if (!this.#namespaces.has(namespaceText!)) throw new TableNotFound('no such namespace');
      return { namespace, properties: {} };
    }
    if (name === undefined && method === 'GET')
      return this.#list(namespace, url.searchParams.get('pageToken') ?? '');
    if (name === undefined) {
      if (!this.#namespaces.has(namespaceText!)) throw new TableNotFound('no such namespace');
      return this.#create(namespace, new ObjectReader(json, 'request'));
    }
    const table: TableName = { namespace, name };
    if (method === 'DELETE') {
      await this.#catalog.drop(table, { purge: url.searchParams.get('purgeRequested') === 'true' });
      return undefined;
    }
    if (method === 'HEAD') {
      await this.#catalog.load(table);
      return undefined;
    }
    return loadedJson(
      method === 'GET'
        ? await this.#catalog.load(table)
        : await this.#catalog.commit(table, readCommit(json, 'request')),
    );
  }

  /** Two names a page. */
  async #list(namespace: readonly string[], token: string): Promise<Json> {
    const from = Number(token);
    const all = await this.#catalog.list(namespace);
    return {
      identifiers: all.slice(from, from + 2).map((one) => ({ namespace: one.namespace, name: one.name })),
      'next-page-token': from + 2 < all.length ? String(from + 2) : undefined,
    };
  }

  async #create(namespace: readonly string[], request: ObjectReader): Promise<Json> {
    const spec = request.objectIfAny('partition-spec');
    const order = request.raw('write-order');
    const location = request.textIfAny('location');
    const { 'format-version': _version, ...properties } = request.texts('properties');
    const updates: TableUpdate[] = [
      { action: 'assign-uuid', uuid: `00000000-0000-4000-8000-${String(++this.#uuids).padStart(12, '0')}` },
      { action: 'add-schema', schema: readSchema(request.raw('schema'), 'schema') },
      { action: 'set-current-schema', schemaId: -1 },
      {
        action: 'add-spec',
        spec: { id: 0, fields: spec === undefined ? [] : readSpecFields(spec.raw('fields'), 'spec') },
      },
      { action: 'set-default-spec', specId: -1 },
      {
        action: 'add-sort-order',
        order: order === undefined ? unsorted : readSortOrder(order, 'write-order'),
      },
      { action: 'set-default-sort-order', orderId: -1 },
      ...(location === undefined ? [] : [{ action: 'set-location' as const, location }]),
      { action: 'set-properties', updates: properties },
    ];
    return loadedJson(await this.#catalog.create({ namespace, name: request.text('name') }, updates));
  }
}

function loadedJson({ metadata, metadataPath }: LoadedTable): Json {
  return { 'metadata-location': metadataPath, metadata: metadataJson(metadata), config: {} };
}

function statusOf(error: Error): number {
  if (error instanceof TableNotFound) return 404;
  return error instanceof CommitConflict || error instanceof TableExists ? 409 : 400;
}

function problem(type: string, message: string): Json {
  return { error: { message, type, code: 400 } };
}

function answer(response: ServerResponse, status: number, json: Json | undefined): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(json === undefined ? undefined : printJson(json));
}
