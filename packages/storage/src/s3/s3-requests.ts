import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { checkKey } from '../store/key.ts';
import { StoreError } from '../store/store-error.ts';
import { escapePath, escapeQuery } from '../store-http/escape.ts';
import { HttpClient, type HttpRequest, hostHeader, type LookupFor } from '../store-http/http-client.ts';
import { Renewed } from '../store-http/renewed.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { storeRequest } from '../store-http/store-request.ts';
import { textOf } from '../store-http/xml.ts';
import { s3Error } from './s3-errors.ts';
import { addressOf, type S3Location } from './s3-url.ts';
import { type Credentials, type ExpiringCredentials, signRequest, unsignedPayload } from './signature.ts';
import { credentialsOf } from './sts.ts';

/** What a request has apart from its method and its key. */
interface RequestParts extends Partial<Pick<HttpRequest, 'headers' | 'content' | 'bodyBytesMax' | 'memory'>> {
  /** Parameters without a value have an empty one. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

interface S3RequestsOptions {
  readonly location: S3Location;
  readonly region: string;
  readonly clock: Clock;
  readonly credentials: Renewed<ExpiringCredentials>;
  readonly lookupFor?: LookupFor | undefined;
}

/** A session of S3 Express is valid for five minutes. */
const sessionAheadMs = 60_000;

/** Signed requests to one bucket. */
export class S3Requests {
  readonly #options: S3RequestsOptions;
  readonly #http: HttpClient;
  readonly #host: string;
  readonly #basePath: string;
  /** What requests for objects are signed with: the session of a directory bucket, or the credentials themselves. */
  readonly #signedBy: Renewed<ExpiringCredentials>;

  /** When the bucket last answered in a way that shows that it exists. */
  bucketSeenMs = Number.NEGATIVE_INFINITY;

  constructor(options: S3RequestsOptions) {
    const { location, region, clock, credentials, lookupFor } = options;
    this.#options = options;
    const { endpoint, basePath } = addressOf(location, region);
    this.#http = new HttpClient({
      endpoint,
      clock,
      connectionsMax: storageLimits.storeConnectionsMax,
      lookupFor,
    });
    this.#host = hostHeader(endpoint);
    this.#basePath = basePath;
    this.#signedBy =
      location.zoneId === undefined
        ? credentials
        : new Renewed({
            clock,
            subject: `s3://${location.bucket}`,
            renew: (signal) => this.#createSession(signal),
            renewAheadMs: sessionAheadMs,
          });
  }

  get location(): S3Location {
    return this.#options.location;
  }

  /** A request for an object. */
  async object(
    key: string,
    method: HttpRequest['method'],
    signal: AbortSignal | undefined,
    parts: RequestParts = {},
  ): Promise<HttpResponse> {
    checkKey(key);
    return this.#send(key, `/${key}`, method, signal, parts);
  }

  /** A request for the bucket. `subject` names it in errors. */
  bucket(
    subject: string,
    method: HttpRequest['method'],
    signal: AbortSignal | undefined,
    parts: RequestParts = {},
  ): Promise<HttpResponse> {
    return this.#send(subject, '/', method, signal, parts);
  }

  close(): void {
    this.#signedBy.close();
    this.#http.close();
  }

  async #send(
    subject: string,
    path: string,
    method: HttpRequest['method'],
    signal: AbortSignal | undefined,
    parts: RequestParts,
  ): Promise<HttpResponse> {
    signal?.throwIfAborted();
    const isExpress = this.location.zoneId !== undefined;
    const credentials = await this.#credentials(this.#signedBy, signal);
    const response = await this.#exchange({ subject, path, method, parts, credentials, isExpress }, signal);
    if (isSuccess(response)) this.bucketSeenMs = this.#options.clock.monotonicMs();
    if (Number.isFinite(credentials.expiresMs) && isExpired(response)) {
      this.#signedBy.drop(credentials);
      // The next attempt gets new ones.
      throw new StoreError('unavailable', subject, 'S3 says that the credentials have expired');
    }
    return response;
  }

  async #exchange(
    request: {
      readonly subject: string;
      readonly path: string;
      readonly method: HttpRequest['method'];
      readonly parts: RequestParts;
      readonly credentials: Credentials;
      /** Whether the credentials are those of a session. */
      readonly isExpress: boolean;
    },
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const { subject, method, parts, credentials, isExpress } = request;
    const { region, clock, location } = this.#options;
    const path = escapePath(`${this.#basePath}${request.path}`);
    const query = queryOf(parts.query);
    const { content = [], bodyBytesMax = storageLimits.storeErrorBodyBytesMax, memory } = parts;
    const headers = signRequest(
      { method, path, query, headers: { host: this.#host, ...parts.headers } },
      {
        credentials,
        service: location.zoneId === undefined ? 's3' : 's3express',
        tokenHeader: isExpress ? 'x-amz-s3session-token' : undefined,
        region,
        nowMs: clock.nowMs(),
        payloadHash: unsignedPayload,
      },
    );
    const target = query === undefined ? path : `${path}?${query}`;
    const sent = { method, path: target, headers, content, bodyBytesMax, memory };
    return storeRequest(this.#http, subject, sent, signal);
  }

  async #credentials(
    source: Renewed<ExpiringCredentials>,
    signal: AbortSignal | undefined,
  ): Promise<ExpiringCredentials> {
    try {
      return await source.get(signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof StoreError) throw error;
      const problem = `no credentials: ${(error as Error).message}`;
      throw new StoreError('denied', `s3://${this.location.bucket}`, problem, { cause: error });
    }
  }

  /** Objects are encrypted as their session says, so that requests for objects do not. */
  async #createSession(signal: AbortSignal): Promise<ExpiringCredentials> {
    const { location, credentials: source } = this.#options;
    const subject = `s3://${location.bucket}`;
    const credentials = await this.#credentials(source, signal);
    const parts = {
      query: { session: '' },
      headers: { 'x-amz-create-session-mode': 'ReadWrite', ...location.encryption },
    };
    const response = await this.#exchange(
      { subject, path: '/', method: 'GET', parts, credentials, isExpress: false },
      signal,
    );
    if (isExpired(response)) source.drop(credentials);
    if (response.status !== 200) throw s3Error(subject, response);
    const session = credentialsOf(response.body.toString('utf8'));
    if (session === undefined)
      throw new StoreError('unavailable', subject, 'the response of S3 has no session');
    return session;
  }
}

/** The answer to a signature of credentials that were valid once. */
function isExpired({ status, body }: HttpResponse): boolean {
  return (status === 400 || status === 403) && textOf(body.toString('utf8'), 'Code') === 'ExpiredToken';
}

/** Names in order, as the signature needs them. */
function queryOf(query: RequestParts['query']): string | undefined {
  if (query === undefined) return undefined;
  return Object.keys(query)
    .filter((name) => query[name] !== undefined)
    .sort()
    .map((name) => `${escapeQuery(name)}=${escapeQuery(query[name]!)}`)
    .join('&');
}
