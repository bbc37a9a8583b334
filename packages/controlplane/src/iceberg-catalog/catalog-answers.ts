/**
 * The Iceberg REST protocol over the tables of a cluster, for reading: one namespace, and nothing that changes a table.
 */

/** What the catalog serves. */
export interface CatalogTables {
  /** Names of tables, in order. */
  list(): Promise<readonly string[]>;
  /** `undefined` if there is no such table, or nothing was committed to it yet. */
  load(name: string): Promise<{ readonly location: string; readonly metadata: string } | undefined>;
}

interface CatalogRequest {
  readonly method: string;
  /** Parts of the path after `v1/`, as they were sent. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export interface CatalogAnswer {
  readonly status: number;
  /** JSON text; absent if there is none. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const namespace = 'default';

/** Between the levels of a namespace, in paths and queries. */
const levelSeparator = '\u001f';

const pageSizeMax = 1_000;

/** What clients may call, in the notation of the protocol. */
const endpoints = [
  'GET /v1/{prefix}/namespaces',
  'GET /v1/{prefix}/namespaces/{namespace}',
  'HEAD /v1/{prefix}/namespaces/{namespace}',
  'GET /v1/{prefix}/namespaces/{namespace}/tables',
  'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}',
  'HEAD /v1/{prefix}/namespaces/{namespace}/tables/{table}',
];

/** An error in the form that clients of the protocol read. */
export function catalogError(
  status: number,
  type: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): CatalogAnswer {
  return { status, body: JSON.stringify({ error: { message, type, code: status } }), headers };
}

export async function answerCatalog(request: CatalogRequest, tables: CatalogTables): Promise<CatalogAnswer> {
  const { method, parts, query } = request;
  const isHead = method === 'HEAD';
  if (method !== 'GET' && !isHead) return refusedWrite(request);
  const decoded = parts.map(decodedPart);
  if (decoded.includes(undefined)) return catalogError(400, 'BadRequestException', 'the path is malformed');
  const [resource, ofNamespace, kind, table, ...others] = decoded as readonly string[];
  if (resource === 'config' && parts.length === 1 && !isHead)
    return json({ defaults: {}, overrides: {}, endpoints });
  if (resource !== 'namespaces' || others.length > 0) return noSuchPath();
  if (parts.length === 1 && !isHead) return listNamespaces(query);
  if (ofNamespace !== namespace) {
    const isTable = kind === 'tables' && table !== undefined;
    // Clients that want `default.orders.snapshots` ask for a table in the namespace `default.orders` first, and go on
    // only if there is no such table.
    return isTable ? noSuchTable(ofNamespace ?? '', table) : noSuchNamespace(ofNamespace ?? '');
  }
  if (parts.length === 2) return isHead ? { status: 204 } : json({ namespace: [namespace], properties: {} });
  if (kind === 'views' && parts.length === 3 && !isHead) return json({ identifiers: [] });
  if (kind !== 'tables') return noSuchPath();
  if (table === undefined) return isHead ? noSuchPath() : listTables(await tables.list(), query);
  if (isHead) return { status: (await tables.list()).includes(table) ? 204 : 404 };
  const loaded = await tables.load(table);
  if (loaded === undefined) return noSuchTable(namespace, table);
  // The metadata is passed on as text: its numbers have 64 bits.
  const { location, metadata } = loaded;
  return {
    status: 200,
    body: `{"metadata-location":${JSON.stringify(location)},"metadata":${metadata},"config":{}}`,
  };
}

function refusedWrite({ method, parts }: CatalogRequest): CatalogAnswer {
  // Reports of readers about their scans are not needed.
  if (method === 'POST' && parts.length === 5 && parts[4] === 'metrics') return { status: 204 };
  return catalogError(
    403,
    'ForbiddenException',
    'the catalog is read-only; tables are created, written and deleted by the pipelines of the cluster',
  );
}

function listNamespaces(query: URLSearchParams): CatalogAnswer {
  const parent = query.get('parent');
  if (parent === null || parent === '') return json({ namespaces: [[namespace]], 'next-page-token': null });
  if (parent !== namespace) return noSuchNamespace(parent);
  return json({ namespaces: [], 'next-page-token': null });
}

/** A page token is the last name of the page before. */
function listTables(names: readonly string[], query: URLSearchParams): CatalogAnswer {
  const token = query.get('pageToken');
  const asked = query.get('pageSize');
  // Without a token a client does not know pages, and gets everything.
  const size =
    asked === null && token === null ? names.length : Math.min(Number(asked ?? pageSizeMax), pageSizeMax);
  if (!Number.isSafeInteger(size) || size < 0 || (size === 0 && names.length > 0))
    return catalogError(400, 'BadRequestException', `pageSize: must be from 1 to ${pageSizeMax}`);
  const after = names.filter((name) => token === null || token === '' || name > token);
  const page = after.slice(0, size);
  return json({
    identifiers: page.map((name) => ({ namespace: [namespace], name })),
    'next-page-token': after.length > page.length ? page.at(-1) : null,
  });
}

function noSuchNamespace(given: string): CatalogAnswer {
  return catalogError(404, 'NoSuchNamespaceException', `Namespace does not exist: ${shownNamespace(given)}`);
}

function noSuchTable(ofNamespace: string, table: string): CatalogAnswer {
  const shown = `${shownNamespace(ofNamespace)}.${table.slice(0, 500)}`;
  return catalogError(404, 'NoSuchTableException', `Table does not exist: ${shown}`);
}

function shownNamespace(given: string): string {
  return given.slice(0, 500).split(levelSeparator).join('.');
}

function noSuchPath(): CatalogAnswer {
  return catalogError(404, 'NotFoundException', 'not found: the catalog has no such path');
}

function json(value: unknown): CatalogAnswer {
  return { status: 200, body: JSON.stringify(value) };
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
