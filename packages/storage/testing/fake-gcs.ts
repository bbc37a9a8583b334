import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32c } from '@node-rs/crc32';
import type { Clock } from '@weir/core';
import { compareKeys } from '../src/store/key.ts';

interface StoredObject {
  readonly content: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly timeCreated: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeGcs {
  readonly address: string;
  /** Objects of the bucket `bucket`, the only one. */
  readonly objects: Map<string, StoredObject>;
  readonly seen: SeenRequest[];
  /** Answers a request instead of the server, if it returns anything. */
  intercept: (request: SeenRequest) => Answer | undefined;
  stop(): Promise<void>;
}

/** Objects on a page, few so that tests need several. */
const pageObjects = 20;

/**
 * Google Cloud Storage as far as a store uses it: the JSON API for one bucket, with checksums, conditions, ranges,
 * pages and composition, and the errors that Google documents. Objects are in memory.
 */
export async function startFakeGcs(clock: Clock): Promise<FakeGcs> {
  const objects = new Map<string, StoredObject>();
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const url = new URL(request.url!, 'http://server');
      const one: SeenRequest = {
        method: request.method!,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(parts),
      };
      seen.push(one);
      send(response, fake.intercept(one) ?? answer(one));
    });
  });

  function answer({ method, path, query, headers, body }: SeenRequest): Answer {
    const [, upload, bucket, rest = ''] =
      /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o(?:\/(.*))?$/.exec(path) ?? [];
    if (bucket !== 'bucket') return error(404, 'notFound', 'The specified bucket does not exist.');
    if (upload !== undefined) return insert(query, headers, body);
    if (rest === '') return list(query);
    const [, escaped = '', isCompose] = /^([^/]*)(\/compose)?$/.exec(rest)!;
    const name = decodeURIComponent(escaped);
    if (isCompose !== undefined) return compose(name, JSON.parse(String(body)));
    const object = objects.get(name);
    if (object === undefined) return error(404, 'notFound', `No such object: bucket/${name}`);
    if (method === 'DELETE') {
      objects.delete(name);
      return { status: 204 };
    }
    if (query.get('alt') === 'media') return download(object, headers.range);
    return json(resource(name, object));
  }

  function insert(query: URLSearchParams, headers: SeenRequest['headers'], body: Buffer): Answer {
    const boundary = /^multipart\/related; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
    if (query.get('uploadType') !== 'multipart' || boundary === undefined)
      return error(400, 'badRequest', 'no parts');
    const [first, second] = partsOf(body, boundary);
    const { crc32c: expected, metadata = {} } = JSON.parse(String(first)) as {
      crc32c?: string;
      metadata?: Record<string, string>;
    };
    if (second === undefined) return error(400, 'badRequest', 'no content');
    if (expected !== undefined && expected !== checksumOf(second)) {
      return error(400, 'invalid', `Provided CRC32C "${expected}" doesn't match`);
    }
    const name = query.get('name')!;
    if (query.get('ifGenerationMatch') === '0' && objects.has(name)) {
      return error(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
    }
    return store(name, second, metadata);
  }

  function store(name: string, content: Buffer, metadata: Readonly<Record<string, string>>): Answer {
    const object = { content, metadata, timeCreated: new Date(clock.nowMs()).toISOString() };
    objects.set(name, object);
    return json(resource(name, object));
  }

  function compose(
    name: string,
    request: { sourceObjects: { name: string }[]; destination: { metadata?: Record<string, string> } },
  ): Answer {
    const sources = request.sourceObjects.map((source) => objects.get(source.name));
    if (sources.length < 1 || sources.length > 32)
      return error(400, 'invalid', 'The number of source components');
    const missing = request.sourceObjects.find((source) => !objects.has(source.name));
    if (missing !== undefined) return error(404, 'notFound', `Object ${missing.name} not found.`);
    return store(
      name,
      Buffer.concat(sources.map((source) => source!.content)),
      request.destination.metadata ?? {},
    );
  }

  function list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const delimiter = query.get('delimiter') ?? '';
    const from = query.get('pageToken') ?? query.get('startOffset') ?? '';
    const names = [...objects.keys()]
      .filter((name) => name.startsWith(prefix) && compareKeys(name, from) >= 0)
      .sort(compareKeys);
    const groupOf = (name: string) => {
      const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
      return at < 0 ? undefined : name.slice(0, at + 1);
    };
    const entries = [...new Set(names.map((name) => groupOf(name) ?? name))];
    const pageMax = Math.min(pageObjects, Number(query.get('maxResults') ?? pageObjects));
    const page = entries.slice(0, pageMax);
    const next = entries[pageMax];
    const items = page.filter((name) => groupOf(name) === undefined);
    const prefixes = page.filter((name) => groupOf(name) !== undefined);
    return json({
      ...(items.length > 0 && { items: items.map((name) => resource(name, objects.get(name)!)) }),
      ...(prefixes.length > 0 && { prefixes }),
      ...(next !== undefined && { nextPageToken: next }),
    });
  }

  const fake: FakeGcs = {
    get address() {
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    objects,
    seen,
    intercept: () => undefined,
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return fake;
}

function send(response: ServerResponse, { status, body = '', headers = {} }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

export function error(status: number, reason: string, message: string): Answer {
  return {
    status,
    body: JSON.stringify({
      error: { code: status, message, errors: [{ domain: 'global', reason, message }] },
    }),
  };
}

function json(value: unknown): Answer {
  return { status: 200, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

function resource(name: string, { content, metadata, timeCreated }: StoredObject) {
  return { name, size: String(content.length), timeCreated, metadata };
}

function download({ content }: StoredObject, range: string | undefined): Answer {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (first === undefined) return { status: 200, body: content };
  if (Number(first) >= content.length) return { status: 416 };
  return { status: 206, body: content.subarray(Number(first), Number(last) + 1) };
}

/** The bodies of a message of several parts. */
function partsOf(body: Buffer, boundary: string): readonly Buffer[] {
  const parts: Buffer[] = [];
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  while (at >= 0) {
    const next = body.indexOf(mark, at + mark.length);
    if (next < 0) break;
    const begin = body.indexOf('\r\n\r\n', at) + 4;
    parts.push(body.subarray(begin, next - 2));
    at = next;
  }
  return parts;
}

function checksumOf(content: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32c(content));
  return bytes.toString('base64');
}
