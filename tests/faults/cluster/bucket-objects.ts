import type { IncomingMessage } from 'node:http';
import type { Clock } from '@weir/core';

interface StoredObject {
  readonly content: Buffer;
  readonly modifiedMs: number;
}

interface BucketAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const nothing = Buffer.alloc(0);
const keysPerPage = 1_000;

/** The objects of one bucket, and the S3 requests that agents and control planes send. It does not check signatures. */
export class BucketObjects {
  readonly #objects = new Map<string, StoredObject>();
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #clock: Clock;
  #uploadCount = 0;
  /** Objects that were deleted. */
  deletedCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In the order of S3: by UTF-8 bytes. Keys of this project are ASCII. */
  keys(): string[] {
    return [...this.#objects.keys()].sort();
  }

  answer({ method, url = '', headers }: IncomingMessage, body: Buffer): BucketAnswer {
    const { pathname, searchParams: query } = new URL(url, 'http://bucket');
    const key = decodeURIComponent(pathname).split('/').slice(2).join('/');
    const upload = query.get('uploadId');
    if (upload !== null) return this.#answerUpload(method, key, upload, query, body);
    switch (method) {
      case 'POST':
        if (query.has('uploads')) return this.#beginUpload(key);
        // Without the request that deletes many objects, each is deleted alone.
        return { status: 501, body: nothing };
      case 'PUT':
        if (headers['if-none-match'] === '*' && this.#objects.has(key)) return { status: 412, body: nothing };
        this.#set(key, body);
        return { status: 200, body: nothing };
      case 'DELETE':
        if (this.#objects.delete(key)) this.deletedCount++;
        return { status: 204, body: nothing };
      case 'HEAD':
        return this.#head(key);
      case 'GET':
        if (query.has('uploads')) return { status: 501, body: nothing };
        return query.has('list-type') ? this.#list(query) : this.#get(key, headers.range);
      default:
        return { status: 501, body: nothing };
    }
  }

  #set(key: string, content: Buffer): void {
    this.#objects.set(key, { content, modifiedMs: this.#clock.nowMs() });
  }

  #head(key: string): BucketAnswer {
    const found = this.#objects.get(key);
    if (found === undefined) return { status: 404, body: nothing };
    const headers = {
      'content-length': String(found.content.length),
      'last-modified': new Date(found.modifiedMs).toUTCString(),
    };
    return { status: 200, headers, body: nothing };
  }

  #get(key: string, wanted: string | undefined): BucketAnswer {
    const found = this.#objects.get(key)?.content;
    if (found === undefined) return { status: 404, body: nothing };
    const range = /^bytes=(\d+)-(\d+)$/.exec(wanted ?? '');
    if (range === null) return { status: 200, body: found };
    if (Number(range[1]) >= found.length) return { status: 416, body: nothing };
    return { status: 206, body: found.subarray(Number(range[1]), Number(range[2]) + 1) };
  }

  #list(query: URLSearchParams): BucketAnswer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = this.keys().filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.slice(0, keysPerPage);
    const contents = page.map((key) => {
      const { content, modifiedMs } = this.#objects.get(key)!;
      const fields = { Key: key, LastModified: new Date(modifiedMs).toISOString(), Size: content.length };
      return `<Contents>${xml(fields)}</Contents>`;
    });
    const more = keys.length > page.length ? { NextContinuationToken: page.at(-1)! } : {};
    const facts = xml({ IsTruncated: String(keys.length > page.length), ...more });
    return document('ListBucketResult', facts + contents.join(''));
  }

  #beginUpload(key: string): BucketAnswer {
    const id = `upload-${++this.#uploadCount}`;
    this.#uploads.set(id, new Map());
    return document('InitiateMultipartUploadResult', xml({ Bucket: 'faults', Key: key, UploadId: id }));
  }

  #answerUpload(
    method: string | undefined,
    key: string,
    id: string,
    query: URLSearchParams,
    body: Buffer,
  ): BucketAnswer {
    const parts = this.#uploads.get(id);
    if (parts === undefined) return { status: 404, body: nothing };
    const part = Number(query.get('partNumber'));
    switch (method) {
      case 'PUT':
        parts.set(part, body);
        return { status: 200, headers: { etag: `"${part}"` }, body: nothing };
      case 'POST': {
        const inOrder = [...parts].sort(([a], [b]) => a - b).map(([, content]) => content);
        this.#set(key, Buffer.concat(inOrder));
        this.#uploads.delete(id);
        return document('CompleteMultipartUploadResult', xml({ Key: key, ETag: '"whole"' }));
      }
      case 'DELETE':
        this.#uploads.delete(id);
        return { status: 204, body: nothing };
      default:
        return { status: 501, body: nothing };
    }
  }
}

function document(name: string, content: string): BucketAnswer {
  const text = `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) };
}

function xml(fields: Readonly<Record<string, string | number>>): string {
  return Object.entries(fields)
    .map(
      ([name, value]) =>
        `<${name}>${String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`,
    )
    .join('');
}
