import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GiB, MiB, seededRandom, systemClock, systemRandom } from '@weir/core';
import { latencySource, parseLatency } from './store-latency.ts';

/**
 * The subset of S3 that Weir's agents and tansu use, in memory, with the latency given as first argument and, as
 * second, the seed that latencies are drawn with. A separate process, so that it takes no CPU time from the measured
 * servers' threads. It checks neither signatures nor checksums. Buckets appear with their first request;
 * `GET /-/counts/<bucket>` returns the request counts of one.
 *
 * The third argument is the size beyond which the content of objects is dropped, for loads that read nothing: memory
 * for it takes this process twice as long as receiving it, and uploads wait for that.
 */
const [, , latencyText = '', seed = '', keptText = 'Infinity'] = process.argv;
const keptBytesMax = Number(keptText);
const random = seed === '' ? systemRandom : seededRandom(Number(seed));
const nextLatencyMs = latencySource(parseLatency(latencyText), random);

/** More than any row writes. Further puts are refused, so that a mistake does not exhaust the machine's memory. */
const storedBytesMax = 6 * GiB;
/** The unit in which agents read. */
const pageBytes = 4 * MiB;
const keysPerPage = 1000;

let zeros = Buffer.alloc(64 * 1024);

/** As many bytes, which all dropped content shares. */
function inPlaceOf({ length }: Buffer): Buffer {
  if (zeros.length < length) zeros = Buffer.alloc(length);
  return zeros.subarray(0, length);
}

interface StoredObject {
  parts: Buffer[];
  readonly bytes: number;
  readonly etag: string;
  readonly modifiedMs: number;
}

class Bucket {
  readonly objects = new Map<string, StoredObject>();
  readonly counts = { puts: 0, gets: 0, heads: 0, lists: 0, deletes: 0, refused: 0 };
  storedBytes = 0;
  /** Sorted; absent once a key came or went. */
  #keys: readonly string[] | undefined;

  put(key: string, parts: Buffer[]): StoredObject {
    const old = this.objects.get(key);
    if (old === undefined) this.#keys = undefined;
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    const stored = { parts, bytes, etag: `"${versionCount++}"`, modifiedMs: systemClock.nowMs() };
    this.objects.set(key, stored);
    this.storedBytes += bytes - (old?.bytes ?? 0);
    return stored;
  }

  delete(key: string): void {
    this.storedBytes -= this.objects.get(key)?.bytes ?? 0;
    if (this.objects.delete(key)) this.#keys = undefined;
  }

  /** Keys with the prefix that come after another one, in order. */
  keysAfter(prefix: string, after: string): readonly string[] {
    this.#keys ??= [...this.objects.keys()].sort();
    const first = this.#keys.findIndex((key) => key > after && key.startsWith(prefix));
    if (first === -1) return [];
    const rest = this.#keys.slice(first);
    const end = rest.findIndex((key) => !key.startsWith(prefix));
    return end === -1 ? rest : rest.slice(0, end);
  }
}

const buckets = new Map<string, Bucket>();
/** Uploads in parts that are not complete, by their id. */
const uploads = new Map<string, Map<number, Buffer[]>>();
let uploadCount = 0;
let versionCount = 0;

function bucketOf(name: string): Bucket {
  let bucket = buckets.get(name);
  if (bucket === undefined) {
    bucket = new Bucket();
    buckets.set(name, bucket);
  }
  return bucket;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string;
}

function answer(request: IncomingMessage, parts: Buffer[]): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
  const [, bucketName = '', ...rest] = pathname.split('/');
  const bucket = bucketOf(bucketName);
  const key = decodeURIComponent(rest.join('/'));
  switch (request.method) {
    case 'POST':
      return searchParams.has('delete') ? deleteAll(bucket, parts) : post(bucket, key, searchParams);
    case 'PUT':
      if (searchParams.has('uploadId')) return putPart(bucket, searchParams, parts);
      return put(bucket, key, parts, request.headers);
    case 'GET':
      return key === '' ? list(bucket, searchParams) : get(bucket, key, request.headers);
    case 'HEAD':
      return head(bucket, key);
    case 'DELETE':
      if (searchParams.has('uploadId')) {
        uploads.delete(searchParams.get('uploadId')!);
        return { status: 204 };
      }
      bucket.counts.deletes++;
      bucket.delete(key);
      return { status: 204 };
    default:
      return { status: 501 };
  }
}

/** Conditional headers of a request: only if the object is absent, or only if it is of this version. */
interface Conditions {
  readonly 'if-none-match'?: string | undefined;
  readonly 'if-match'?: string | undefined;
}

function put(bucket: Bucket, key: string, parts: Buffer[], conditions: Conditions): Answer {
  bucket.counts.puts++;
  const known = bucket.objects.get(key);
  if (conditions['if-none-match'] === '*' && known !== undefined) return { status: 412 };
  const version = conditions['if-match'];
  if (version !== undefined && known?.etag !== version) return { status: known === undefined ? 404 : 412 };
  const storedBytes = [...buckets.values()].reduce((sum, other) => sum + other.storedBytes, 0);
  if (storedBytes + parts.reduce((sum, part) => sum + part.length, 0) > storedBytesMax) {
    bucket.counts.refused++;
    return { status: 507, body: 'the bucket of the benchmark is full' };
  }
  return { status: 200, headers: { etag: bucket.put(key, parts).etag } };
}

/** The begin and the end of an upload in parts. */
function post(bucket: Bucket, key: string, query: URLSearchParams): Answer {
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
  const { status } = put(bucket, key, inOrder, {});
  return { status, body: `<CompleteMultipartUploadResult>${id}</CompleteMultipartUploadResult>` };
}

function putPart(bucket: Bucket, query: URLSearchParams, parts: Buffer[]): Answer {
  const upload = uploads.get(query.get('uploadId')!);
  if (upload === undefined) return { status: 404 };
  bucket.counts.puts++;
  upload.set(Number(query.get('partNumber')), parts);
  return { status: 200, headers: { etag: '"0"' } };
}

/** One request that deletes many objects. */
function deleteAll(bucket: Bucket, parts: Buffer[]): Answer {
  bucket.counts.deletes++;
  const text = Buffer.concat(parts).toString();
  const keys = [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!);
  for (const key of keys) bucket.delete(key);
  const deleted = keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('');
  return xml(`<DeleteResult>${deleted}</DeleteResult>`);
}

function describe({ etag, modifiedMs }: StoredObject): Readonly<Record<string, string>> {
  return { etag, 'last-modified': new Date(modifiedMs).toUTCString() };
}

function get(
  bucket: Bucket,
  key: string,
  headers: Conditions & { readonly range?: string | undefined },
): Answer {
  bucket.counts.gets++;
  const found = bucket.objects.get(key);
  if (found === undefined) return { status: 404 };
  if (headers['if-none-match'] === found.etag) return { status: 304, headers: describe(found) };
  // Parts are joined only on the first read; most objects are never read.
  if (found.parts.length > 1) found.parts = [Buffer.concat(found.parts)];
  const body = found.parts[0] ?? Buffer.alloc(0);
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '');
  if (range === null) return { status: 200, headers: describe(found), body };
  const [start, last] = [Number(range[1]), Math.min(Number(range[2]), body.length - 1)];
  if (start >= body.length) return { status: 416 };
  const contentRange = { 'content-range': `bytes ${start}-${last}/${body.length}` };
  return {
    status: 206,
    headers: { ...describe(found), ...contentRange },
    body: body.subarray(start, last + 1),
  };
}

function head(bucket: Bucket, key: string): Answer {
  bucket.counts.heads++;
  const found = bucket.objects.get(key);
  if (found === undefined) return { status: 404 };
  return { status: 200, headers: { ...describe(found), 'content-length': found.bytes } };
}

function list(bucket: Bucket, query: URLSearchParams): Answer {
  bucket.counts.lists++;
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const keys = bucket.keysAfter(prefix, query.get('continuation-token') ?? query.get('start-after') ?? '');
  const page = keys.slice(0, keysPerPage);
  const isCut = page.length < keys.length;
  const folders = new Set<string>();
  const contents = page.flatMap((key) => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end !== -1) {
      folders.add(key.slice(0, end + delimiter.length));
      return [];
    }
    const { bytes, etag, modifiedMs } = bucket.objects.get(key)!;
    const modified = `<LastModified>${new Date(modifiedMs).toISOString()}</LastModified>`;
    return [`<Contents><Key>${key}</Key>${modified}<ETag>${etag}</ETag><Size>${bytes}</Size></Contents>`];
  });
  return xml(
    [
      '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>',
      `<IsTruncated>${isCut}</IsTruncated>`,
      isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '',
      ...contents,
      ...[...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`),
      '</ListBucketResult>',
    ].join(''),
  );
}

function xml(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function respond(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
}

const server = createServer((request, response) => {
  const [, counted] = /^\/-\/counts\/([^/]+)$/.exec(request.url ?? '') ?? [];
  if (counted !== undefined) {
    const { objects, counts, storedBytes } = bucketOf(counted);
    const sizes = [...objects.values()].map(({ bytes }) => bytes);
    const pages = sizes.reduce((sum, bytes) => sum + Math.ceil(bytes / pageBytes), 0);
    respond(response, { status: 200, body: JSON.stringify({ ...counts, storedBytes, pages }) });
    return;
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  request.on('data', (part: Buffer) => {
    bytes += part.length;
    parts.push(bytes > keptBytesMax ? inPlaceOf(part) : part);
  });
  request.on('end', () => {
    systemClock.after(nextLatencyMs(), () => respond(response, answer(request, parts)));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
