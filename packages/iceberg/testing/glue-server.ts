import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { patientHttpServer } from '@weir/core/testing';

type Input = Readonly<Record<string, unknown>>;

/** What a request meets: an exception without an effect, or a connection that ends before or after the effect. */
export type GlueFault = { readonly type: string; readonly status?: number } | 'lost request' | 'lost answer';

interface KeptTable {
  input: Input;
  version: number;
}

class GlueException extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Two tables a page. */
const pageLength = 2;

/**
 * The part of AWS Glue that the catalog uses, for its tests. As in Glue, names have small letters, an update replaces
 * the whole table, and only an update that names a version is refused for another one.
 */
export class GlueServer {
  readonly #server: Server;
  readonly #databases = new Map<string, Map<string, KeptTable>>();
  fault: (action: string) => GlueFault | undefined = () => undefined;
  /** Called after the effect of an action, before its answer. */
  afterEffect: (action: string) => Promise<void> = async () => {};
  readonly requests: { readonly action: string; readonly input: Input }[] = [];

  constructor() {
    this.#server = createServer(patientHttpServer, (request, response) => {
      this.#handle(request, response).catch((error: Error) => {
        const type = error instanceof GlueException ? error.type : 'InvalidInputException';
        refuse(response, 400, type, error.message);
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** A table as it was given to Glue. */
  table(database: string, name: string): Input | undefined {
    return this.#databases.get(database)?.get(name)?.input;
  }

  /** A change by another program. */
  putTable(database: string, input: Input): void {
    const tables = this.#databases.get(database) ?? new Map<string, KeptTable>();
    this.#databases.set(database, tables);
    const name = nameOf(input);
    tables.set(name, { input, version: (tables.get(name)?.version ?? -1) + 1 });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '', 'content-type': type } = request.headers;
    const action = String(request.headers['x-amz-target']).replace(/^AWSGlue\./, '');
    if (!/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/eu-west-1\/glue\/aws4_request,/.test(authorization))
      return refuse(response, 400, 'InvalidSignatureException', 'the request is not signed for Glue');
    if (request.method !== 'POST' || request.url !== '/' || type !== 'application/x-amz-json-1.1')
      return refuse(response, 404, 'UnknownOperationException', '');
    const input = JSON.parse(Buffer.concat(chunks).toString()) as Input;
    this.requests.push({ action, input });
    const fault = this.fault(action);
    if (fault === 'lost request') return void response.destroy();
    if (typeof fault === 'object') return refuse(response, fault.status ?? 400, fault.type, 'by design');
    const result = this.#run(action, input);
    await this.afterEffect(action);
    if (fault === 'lost answer') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result));
  }

  #run(action: string, input: Input): object {
    if (action === 'CreateDatabase') {
      const name = nameOf(input.DatabaseInput as Input);
      if (this.#databases.has(name)) throw new GlueException('AlreadyExistsException', 'Database exists');
      this.#databases.set(name, new Map());
      return {};
    }
    const database = String(input.DatabaseName).toLowerCase();
    const tables = this.#databases.get(database);
    if (tables === undefined)
      throw new GlueException('EntityNotFoundException', `Database ${database} not found.`);
    const given = input.TableInput as Input | undefined;
    const name = nameOf(given ?? input);
    const found = tables.get(name);
    switch (action) {
      case 'GetTables': {
        const from = Number(input.NextToken ?? 0);
        const all = [...tables.values()];
        return {
          TableList: all.slice(from, from + pageLength).map((one) => shown(database, one)),
          ...(from + pageLength < all.length && { NextToken: String(from + pageLength) }),
        };
      }
      case 'CreateTable':
        if (found !== undefined) throw new GlueException('AlreadyExistsException', 'Table already exists.');
        this.putTable(database, given!);
        return {};
    }
    if (found === undefined) throw new GlueException('EntityNotFoundException', `Table ${name} not found.`);
    switch (action) {
      case 'GetTable':
        return { Table: shown(database, found) };
      case 'UpdateTable':
        if (input.VersionId !== undefined && input.VersionId !== String(found.version))
          throw new GlueException(
            'ConcurrentModificationException',
            'Update table failed due to concurrent modifications.',
          );
        this.putTable(database, given!);
        return {};
      case 'DeleteTable':
        tables.delete(name);
        return {};
      default:
        throw new GlueException('UnknownOperationException', action);
    }
  }
}

function nameOf(input: Input): string {
  return String(input.Name).toLowerCase();
}

function shown(database: string, { input, version }: KeptTable): object {
  return {
    ...input,
    Name: nameOf(input),
    DatabaseName: database,
    CatalogId: '123456789012',
    CreateTime: 1.7e9,
    IsRegisteredWithLakeFormation: false,
    VersionId: String(version),
  };
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
    .end(JSON.stringify({ __type: type, Message: message }));
}
