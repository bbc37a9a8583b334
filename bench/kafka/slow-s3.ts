import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GiB, MiB, seededRandom, systemClock, systemRandom } from '@weir/core';
import { latencySource, parseLatency } from './store-latency.ts';

/**
 * The subset of S3 that agents use, in memory, with the latency given as first argument and, as second, the seed that
 * latencies are drawn with. A separate process, so that it takes no CPU time from the measured servers' threads. It
 * checks neither signatures nor checksums. `GET /-/counts` returns the request counts.
 */
const [, , latencyText = '', seed] = process.argv;
const random = seed === undefined ? systemRandom : seededRandom(Number(seed));
const nextLatencyMs = latencySource(parseLatency(latencyText), random);

/** More than any row writes. Further puts are refused, so that a mistake does not exhaust the machine's memory. */
const storedBytesMax = 6 * GiB;
/** The unit in which agents read. */
const pageBytes = 4 * MiB;
const keysPerPage = 1000;

/** Uploads in parts that are not complete, by their id. */
const uploads = new Map<string, Map<number, Buffer[]>>();
const objects = new Map<string, { parts: Buffer[]; readonly bytes: number }>();
const counts = { puts: 0, gets: 0, heads: 0, lists: 0, deletes: 0, refused: 0 };
let storedBytes = 0;
let uploadCount = 0;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string;
}

function answer(request: IncomingMessage, parts: Buffer[]): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bucket');
  const [, , ...rest] = pathname.split('/');
  const key = decodeURIComponent(rest.join('/'));
  switch (request.method) {
    case 'POST':
      return post(key, searchParams);
    case 'PUT':
      if (searchParams.has('uploadId')) return putPart(searchParams, parts);
      return put(key, parts, request.headers['if-none-match'] === '*');
    case 'GET':
      return key === '' ? list(searchParams) : get(key, request.headers.range);
    case 'HEAD':
      return head(key);
    case 'DELETE':
      if (searchParams.has('uploadId')) {
        uploads.delete(searchParams.get('uploadId')!);
        return { status: 204 };
      }
      counts.deletes++;
      forget(key);
      return { status: 204 };
    default:
      return { status: 501 };
  }
}

function put(key: string, parts: Buffer[], onlyIfAbsent: boolean): Answer {
  counts.puts++;
  if (onlyIfAbsent && objects.has(key)) return { status: 412 };
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (storedBytes + bytes > storedBytesMax) {
    counts.refused++;
    return { status: 507, body: 'the bucket of the benchmark is full' };
  }
  forget(key);
  objects.set(key, { parts, bytes });
  storedBytes += bytes;
  return { status: 200, headers: { etag: '"0"' } };
}

/** The begin and the end of an upload in parts. */
function post(key: string, query: URLSearchParams): Answer {
  const uploadId = query.get('uploadId') ?? `upload-${uploadCount++}`;
  const id = `<Key>${key}</Key><UploadId>${uploadId}</UploadId>`;
  if (query.has('uploads')) {
    uploads.set(uploadId, new Map());
    return { status: 200, body: `<InitiateMultipartUploadResult>${id}</InitiateMultipartUploadResult>` };
  }
  const parts = uploads.get(uploadId);
  if (parts === undefined) return { status: query.has('uploadId') ? 404 : 501 };
  uploads.delete(uploadId);
  const inOrder = [...parts].sort(([a], [b]) => a - b).flatMap(([, part]) => part);
  const { status } = put(key, inOrder, false);
  return { status, body: `<CompleteMultipartUploadResult>${id}</CompleteMultipartUploadResult>` };
}

function putPart(query: URLSearchParams, parts: Buffer[]): Answer {
  const upload = uploads.get(query.get('uploadId')!);
  if (upload === undefined) return { status: 404 };
  counts.puts++;
  upload.set(Number(query.get('partNumber')), parts);
  return { status: 200, headers: { etag: '"0"' } };
}

function forget(key: string): void {
  storedBytes -= objects.get(key)?.bytes ?? 0;
  objects.delete(key);
}

function get(key: string, wanted: string | undefined): Answer {
  counts.gets++;
  const found = objects.get(key);
  if (found === undefined) return { status: 404 };
  // Parts are joined only on the first read; most objects are never read.
  if (found.parts.length > 1) found.parts = [Buffer.concat(found.parts)];
  const body = found.parts[0] ?? Buffer.alloc(0);
  const range = /^bytes=(\d+)-(\d+)$/.exec(wanted ?? '');
  if (range === null) return { status: 200, body };
  const [start, last] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)];
  if (start >= body.length) return { status: 416 };
  const headers = { 'content-range': `bytes ${start}-${last}/${body.length}` };
  return { status: 206, headers, body: body.subarray(start, last + 1) };
}

function head(key: string): Answer {
  counts.heads++;
  const found = objects.get(key);
  return found === undefined ? { status: 404 } : { status: 200, headers: { 'content-length': found.bytes } };
}

function list(query: URLSearchParams): Answer {
  counts.lists++;
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, keysPerPage);
  const isCut = page.length < keys.length;
  const body = [
    '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>',
    `<IsTruncated>${isCut}</IsTruncated>`,
    isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '',
    ...page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.bytes}</Size></Contents>`),
    '</ListBucketResult>',
  ].join('');
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function respond(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
}

const server = createServer((request, response) => {
  if (request.url === '/-/counts') {
    const sizes = [...objects.values()].map(({ bytes }) => bytes);
    const pages = sizes.reduce((sum, bytes) => sum + Math.ceil(bytes / pageBytes), 0);
    respond(response, { status: 200, body: JSON.stringify({ ...counts, storedBytes, pages }) });
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    systemClock.after(nextLatencyMs(), () => respond(response, answer(request, parts)));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
