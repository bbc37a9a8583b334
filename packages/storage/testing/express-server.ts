import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@weir/core';
import { type ServedRequest, serve } from './http-server.ts';
import { verifySignature } from './signed-request.ts';

interface ExpressServerOptions {
  readonly bucket: string;
  readonly clock: Clock;
  /** Credentials that may open sessions. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly keysPerPage?: number;
}

const sessionMs = 300_000;

/**
 * A directory bucket of S3 Express in memory, with what it does differently: objects are for sessions only, lists have
 * no order and few parameters, and digests are not MD5.
 */
export async function startExpressServer({ bucket, clock, secrets, keysPerPage = 3 }: ExpressServerOptions) {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>();
  const sessions = new Map<string, { readonly secret: string; expiresMs: number }>();
  let uploadCount = 0;

  interface Answer {
    readonly status: number;
    readonly body?: Buffer | string;
    readonly headers?: Readonly<Record<string, string | number>>;
  }
  const refuse = (status: number, code: string, message: string): Answer => ({
    status,
    body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  });

  function createSession(request: IncomingMessage, body: Buffer): Answer {
    const signed = verifySignature(request, body, (id) => secrets[id]);
    if (typeof signed === 'string') return refuse(403, 'AccessDenied', signed);
    if (signed.service !== 's3express') return refuse(403, 'AccessDenied', 'signed for another service');
    server.sessionHeaders.push(request.headers);
    const id = `session-${server.sessionHeaders.length}`;
    const expiresMs = clock.nowMs() + sessionMs;
    sessions.set(id, { secret: `secret of ${id}`, expiresMs });
    const body_ = [
      `<SessionToken>token of ${id}</SessionToken>`,
      `<SecretAccessKey>secret of ${id}</SecretAccessKey>`,
      `<AccessKeyId>${id}</AccessKeyId><Expiration>${new Date(expiresMs).toISOString()}</Expiration>`,
    ].join('');
    return {
      status: 200,
      body: `<CreateSessionResult><Credentials>${body_}</Credentials></CreateSessionResult>`,
    };
  }

  /** Why a request for objects is not allowed. */
  function problemOfSession(request: IncomingMessage, body: Buffer): Answer | undefined {
    const signed = verifySignature(request, body, (id) => sessions.get(id)?.secret);
    if (typeof signed === 'string') return refuse(403, 'AccessDenied', signed);
    const { accessKeyId, service } = signed;
    const { headers } = request;
    if (service !== 's3express') return refuse(403, 'AccessDenied', 'signed for another service');
    if (headers['x-amz-s3session-token'] !== `token of ${accessKeyId}`)
      return refuse(403, 'AccessDenied', 'not the token of the session');
    if (headers['x-amz-security-token'] !== undefined)
      return refuse(400, 'InvalidRequest', 'sessions have another header');
    if (clock.nowMs() >= sessions.get(accessKeyId)!.expiresMs) return refuse(400, 'ExpiredToken', 'expired');
    for (const name of ['content-md5', 'x-amz-server-side-encryption'])
      if (headers[name] !== undefined) return refuse(400, 'InvalidRequest', `${name} is not for objects`);
    return undefined;
  }

  function list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const problem = problemOfPrefix(prefix, query);
    if (problem !== undefined) return problem;
    const found = new Map<string, string>();
    for (const [key, content] of objects) {
      if (!key.startsWith(prefix)) continue;
      const slash = key.indexOf('/', prefix.length);
      if (slash >= 0 && query.get('delimiter') === '/') {
        const folder = key.slice(0, slash + 1);
        found.set(folder, `<CommonPrefixes><Prefix>${escaped(folder)}</Prefix></CommonPrefixes>`);
      } else {
        const time = new Date(clock.nowMs()).toISOString();
        const about = `<Size>${content.length}</Size><LastModified>${time}</LastModified>`;
        found.set(key, `<Contents><Key>${escaped(key)}</Key>${about}</Contents>`);
      }
    }
    return page('ListBucketResult', found, query.get('continuation-token'), 'NextContinuationToken');
  }

  function listUploads(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const problem = problemOfPrefix(prefix, query);
    if (problem !== undefined) return problem;
    const found = new Map<string, string>();
    for (const [id, { key }] of uploads) {
      const time = new Date(clock.nowMs()).toISOString();
      const about = `<UploadId>${id}</UploadId><Initiated>${time}</Initiated>`;
      if (key.startsWith(prefix)) found.set(id, `<Upload><Key>${escaped(key)}</Key>${about}</Upload>`);
    }
    return page('ListMultipartUploadsResult', found, query.get('key-marker'), 'NextKeyMarker');
  }

  function problemOfPrefix(prefix: string, query: URLSearchParams): Answer | undefined {
    if (prefix !== '' && !prefix.endsWith('/')) return refuse(400, 'InvalidArgument', 'no such prefix');
    for (const name of ['start-after', 'upload-id-marker'])
      if (query.has(name)) return refuse(501, 'NotImplemented', name);
    return undefined;
  }

  /** A page in an order that has nothing to do with the keys. */
  function page(
    name: string,
    found: ReadonlyMap<string, string>,
    from: string | null,
    nextName: string,
  ): Answer {
    const order = [...found.keys()]
      .map((key) => ({ key, mark: hash('md5', key) }))
      .sort((a, b) => (a.mark < b.mark ? -1 : 1))
      .filter(({ mark }) => from === null || mark > from);
    const shown = order.slice(0, keysPerPage);
    const isCut = shown.length < order.length;
    const next = isCut ? `<${nextName}>${shown.at(-1)!.mark}</${nextName}>` : '';
    const entries = shown.map(({ key }) => found.get(key)).join('');
    return {
      status: 200,
      body: `<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${next}<IsTruncated>${isCut}</IsTruncated>${entries}</${name}>`,
    };
  }

  function answerUpload(
    method: string | undefined,
    key: string,
    id: string,
    query: URLSearchParams,
    body: Buffer,
  ): Answer {
    const upload = uploads.get(id);
    if (upload === undefined || upload.key !== key) return refuse(404, 'NoSuchUpload', 'no such upload');
    if (method === 'DELETE') uploads.delete(id);
    if (method === 'PUT') upload.parts.set(Number(query.get('partNumber')), body);
    if (method === 'PUT') return { status: 200, headers: { etag: `"${hash('md5', body)}"` } };
    if (method === 'DELETE') return { status: 204 };
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    objects.set(key, Buffer.concat(parts));
    uploads.delete(id);
    return { status: 200, body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' };
  }

  function get(key: string, range: string | undefined): Answer {
    const content = objects.get(key);
    if (content === undefined) return refuse(404, 'NoSuchKey', 'no such key');
    const [, start = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (Number(start) >= content.length) return refuse(416, 'InvalidRange', 'no such range');
    return { status: 206, body: content.subarray(Number(start), Number(last) + 1) };
  }

  function deleteMany(body: Buffer): Answer {
    for (const [, key] of String(body).matchAll(/<Key>([^<]*)<\/Key>/g)) {
      objects.delete(key!.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'));
    }
    return { status: 200, body: '<DeleteResult></DeleteResult>' };
  }

  function answer({ request, url, body }: ServedRequest): Answer {
    const query = url.searchParams;
    const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
    if (name !== bucket) return refuse(404, 'NoSuchBucket', 'no such bucket');
    const key = rest.join('/');
    if (query.has('session')) return createSession(request, body);
    const problem = problemOfSession(request, body);
    if (problem !== undefined) return problem;
    const { method, headers } = request;
    const uploadId = query.get('uploadId');
    if (uploadId !== null) return answerUpload(method, key, uploadId, query, body);
    if (method === 'GET' && query.has('uploads')) return listUploads(query);
    if (method === 'GET' && key === '') return list(query);
    if (method === 'POST' && query.has('delete')) return deleteMany(body);
    if (method === 'POST') {
      uploads.set(`upload+${++uploadCount}`, { key, parts: new Map() });
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>upload+${uploadCount}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    if (method === 'GET') return get(key, headers.range);
    if (method === 'PUT' && headers['if-none-match'] === '*' && objects.has(key))
      return refuse(412, 'PreconditionFailed', 'it exists');
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') return { status: objects.delete(key) ? 204 : 404 };
    const found = objects.get(key);
    if (found === undefined) return { status: 404 };
    const modified = new Date(clock.nowMs()).toUTCString();
    return method === 'HEAD'
      ? { status: 200, headers: { 'content-length': found.length, 'last-modified': modified } }
      : { status: 200 };
  }

  const { port, stop } = await serve((served) => {
    const { status, body = '', headers = {} } = answer(served);
    served.response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
  });
  const server = {
    objects,
    /** Headers of the requests that opened a session. */
    sessionHeaders: [] as IncomingMessage['headers'][],
    /** Ends all sessions, whatever their clients believe. */
    endSessions(): void {
      for (const session of sessions.values()) session.expiresMs = 0;
    },
    url: `s3://${bucket}?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true&region=us-east-1`,
    stop,
  };
  return server;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
