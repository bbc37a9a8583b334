import { createHmac, hash } from 'node:crypto';
import { escapeQuery } from '../store-http/escape.ts';
import type { Expiring } from '../store-http/renewed.ts';

/** Credentials for signing. A session token belongs to credentials that expire. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Credentials, and when they expire: at infinity if they stay. */
export interface ExpiringCredentials extends Credentials, Expiring {}

export interface SignedRequest {
  readonly method: string;
  /** As in the request line, escaped by `escapePath`. For services other than S3, each segment is escaped once more. */
  readonly path: string;
  /** As in the request line after the `?`: names in order, names and values escaped by `escapeQuery`. */
  readonly query?: string | undefined;
  /** Names in lower case, including `host`. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The service that a signature is for. Catalogs, brokers, queues and searches are beside our own stores. */
type SignedService =
  | 's3'
  | 's3express'
  | 'sts'
  | 'glue'
  | 's3tables'
  | 'execute-api'
  | 'kafka-cluster'
  | 'sqs'
  | 'es'
  | 'aoss';

interface SignatureContext {
  readonly credentials: Credentials;
  readonly service?: SignedService;
  /** The header of the session token, where it is another one. */
  readonly tokenHeader?: string | undefined;
  readonly region: string;
  readonly nowMs: number;
  /** SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string;
}

/** The body is not part of the signature; TLS and a CRC32C protect it at a fraction of the cost of a SHA-256. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD';

/** Returns the headers of a request with those of AWS Signature Version 4 added. */
export function signRequest(request: SignedRequest, context: SignatureContext): Record<string, string> {
  const { credentials, service = 's3', region, nowMs, payloadHash } = context;
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': time,
  };
  const { tokenHeader = 'x-amz-security-token' } = context;
  if (credentials.sessionToken !== undefined) headers[tokenHeader] = credentials.sessionToken;

  const names = Object.keys(headers).sort();
  const signedNames = names.join(';');
  const canonical = [
    request.method,
    request.path,
    request.query ?? '',
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    '',
    signedNames,
    payloadHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  const key = signingKey(credentials.secretAccessKey, `${day}/${region}/${service}`);
  const signature = hmac(key, toSign).toString('hex');
  const credential = `${credentials.accessKeyId}/${scope}`;
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signedNames},Signature=${signature}`;
  return headers;
}

interface PresignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The only header that is signed. */
  readonly host: string;
}

interface PresignedContext extends Pick<SignatureContext, 'credentials' | 'region' | 'nowMs'> {
  readonly service: SignedService;
  readonly validSeconds: number;
}

/** Returns the query of a request with the parameters of AWS Signature Version 4 added, instead of headers. */
export function presignedQuery(
  request: PresignedRequest,
  { credentials, service, region, nowMs, validSeconds }: PresignedContext,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const query: Record<string, string> = {
    ...request.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(validSeconds),
    ...(credentials.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': credentials.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  };
  const canonicalQuery = Object.keys(query)
    .sort()
    .map((name) => `${escapeQuery(name)}=${escapeQuery(query[name]!)}`)
    .join('&');
  const canonical = [
    request.method,
    request.path,
    canonicalQuery,
    `host:${request.host}`,
    '',
    'host',
    hash('sha256', ''),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  const key = signingKey(credentials.secretAccessKey, `${day}/${region}/${service}`);
  return { ...query, 'X-Amz-Signature': hmac(key, toSign).toString('hex') };
}

/** The signing key of a day takes four hashes, and is the same for every request of that day. */
const signingKeys = new Map<string, Buffer>();
/** Buckets, roles and sessions whose keys are remembered. */
const signingKeysMax = 64;

function signingKey(secret: string, scope: string): Buffer {
  const name = `${scope}/${secret}`;
  const known = signingKeys.get(name);
  if (known !== undefined) return known;
  if (signingKeys.size >= signingKeysMax) signingKeys.clear();
  const [day, region, service] = scope.split('/') as [string, string, string];
  const key = [region, service, 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  signingKeys.set(name, key);
  return key;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
