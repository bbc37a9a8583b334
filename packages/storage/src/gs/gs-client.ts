import { randomBytes } from 'node:crypto';
import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { joinSmallSlices } from '../store/content.ts';
import { contentChecksum } from '../store/content-checksum.ts';
import type { GetOptions } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { endpointOf } from '../store-http/endpoint.ts';
import { escapeQuery } from '../store-http/escape.ts';
import { HttpClient, type HttpRequest, hostHeader, type LookupFor } from '../store-http/http-client.ts';
import { rangeIn, rangeParts } from '../store-http/object-responses.ts';
import type { Renewed } from '../store-http/renewed.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { storeRequest } from '../store-http/store-request.ts';
import type { AccessToken } from '../store-http/token-request.ts';
import { gsError } from './gs-errors.ts';
import type { GsLocation } from './gs-url.ts';

const googleServer = 'https://storage.googleapis.com';

/** A page of a list: 1000 objects at most, whose names have 1024 bytes, in JSON up to six times as many. */
const pageObjectsMax = 1000;
const pageBytesMax = 16 * 1024 * 1024;

/** What the account needs for each request; names of Google's IAM. */
const permissions = {
  create: 'storage.objects.create',
  get: 'storage.objects.get',
  delete: 'storage.objects.delete',
  list: 'storage.objects.list',
} as const;

type Query = Readonly<Record<string, string | undefined>>;

interface GsRequest extends Partial<Pick<HttpRequest, 'headers' | 'content' | 'bodyBytesMax' | 'memory'>> {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly query?: Query;
}

/** An object of Google, with the fields that a request names. */
export interface GsObject {
  readonly name: string;
  readonly size?: string;
  readonly timeCreated?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly contentEncoding?: string;
}

interface GsPage {
  readonly items?: readonly GsObject[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

interface NewObject {
  readonly key: string;
  readonly content: readonly Uint8Array[];
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly isConditional?: boolean;
}

interface GsClientOptions {
  readonly location: GsLocation;
  readonly clock: Clock;
  /** `undefined` for requests without credentials. */
  readonly tokens: Renewed<AccessToken> | undefined;
  readonly lookupFor?: LookupFor | undefined;
}

/** The requests of the JSON API that a store needs, with a token each. Their errors are `StoreError`s. */
export class GsClient {
  readonly #http: HttpClient;
  readonly #tokens: Renewed<AccessToken> | undefined;
  readonly #bucket: string;
  readonly #host: string;
  readonly #objectsPath: string;
  readonly #uploadPath: string;
  /** A request has shown that the bucket exists. */
  #isBucketSeen = false;

  constructor({ location, clock, tokens, lookupFor }: GsClientOptions) {
    const endpoint = endpointOf(new URL(location.endpoint ?? googleServer));
    const connectionsMax = storageLimits.storeConnectionsMax;
    this.#http = new HttpClient({ endpoint, clock, connectionsMax, lookupFor });
    this.#tokens = tokens;
    this.#bucket = `gs://${location.bucket}`;
    this.#host = hostHeader(endpoint);
    this.#objectsPath = `/storage/v1/b/${escapeQuery(location.bucket)}/o`;
    this.#uploadPath = `/upload${this.#objectsPath}`;
  }

  /** Stores an object. Returns `false` if it had to be absent and was not. */
  async insert(
    { key, content, isConditional, ...kept }: NewObject,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const slices = joinSmallSlices(content);
    // Google refuses content with another checksum.
    const resource = JSON.stringify({ crc32c: contentChecksum(slices), ...kept });
    // Not to be guessed, so that no record can contain it.
    const boundary = randomBytes(18).toString('base64url');
    const head = `--${boundary}\r\ncontent-type: application/json\r\n\r\n${resource}\r\n--${boundary}\r\ncontent-type: application/octet-stream\r\n\r\n`;
    const response = await this.#send(key, signal, {
      method: 'POST',
      path: this.#uploadPath,
      query: {
        uploadType: 'multipart',
        name: key,
        ifGenerationMatch: isConditional === true ? '0' : undefined,
        fields: 'size',
      },
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      content: [Buffer.from(head), ...slices, Buffer.from(`\r\n--${boundary}--\r\n`)],
    });
    if (response.status === 412 && isConditional === true) return false;
    if (response.status === 404) throw this.#noBucket(response);
    if (!isSuccess(response)) throw gsError(key, response, permissions.create);
    return true;
  }

  /** Returns `undefined` if there is no such object. */
  async read(
    key: string,
    { start, end }: { readonly start: number; readonly end: number },
    { memory, signal }: GetOptions,
  ): Promise<Buffer | undefined> {
    const { range, ...parts } = rangeParts(start, end, { memory });
    const response = await this.#send(key, signal, {
      method: 'GET',
      path: this.#pathOf(key),
      query: { alt: 'media' },
      headers: { range },
      ...parts,
    });
    const bytes = rangeIn(response, start, end);
    if (bytes !== undefined) return bytes;
    await this.#unlessObjectIsMissing(key, response, permissions.get, signal);
    return undefined;
  }

  /** Returns `undefined` if there is no such object. */
  async head(key: string, signal: AbortSignal | undefined): Promise<GsObject | undefined> {
    const query = { fields: 'size,timeCreated,metadata,contentType,contentEncoding' };
    const response = await this.#send(key, signal, { method: 'GET', path: this.#pathOf(key), query });
    if (isSuccess(response)) return { ...(this.#jsonOf(key, response) as GsObject), name: key };
    await this.#unlessObjectIsMissing(key, response, permissions.get, signal);
    return undefined;
  }

  /** It is no error if there is no such object. */
  async delete(key: string, signal: AbortSignal | undefined): Promise<void> {
    const response = await this.#send(key, signal, { method: 'DELETE', path: this.#pathOf(key) });
    if (!isSuccess(response)) await this.#unlessObjectIsMissing(key, response, permissions.delete, signal);
  }

  /** Joins up to 32 objects. */
  async compose(
    key: string,
    sources: readonly string[],
    metadata: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const request = {
      sourceObjects: sources.map((name) => ({ name })),
      destination: { contentType: 'application/octet-stream', metadata },
    };
    const response = await this.#send(key, signal, {
      method: 'POST',
      path: `${this.#pathOf(key)}/compose`,
      query: { fields: 'size' },
      headers: { 'content-type': 'application/json' },
      content: [Buffer.from(JSON.stringify(request))],
    });
    if (!isSuccess(response)) throw gsError(key, response, permissions.create);
  }

  /** Pages of objects from `startOffset`, inclusive. */
  async *list(
    query: {
      readonly prefix: string;
      readonly startOffset?: string | undefined;
      readonly delimiter?: string;
    },
    fields: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<GsPage> {
    let pageToken: string | undefined;
    do {
      signal?.throwIfAborted();
      const response = await this.#send(query.prefix, signal, {
        method: 'GET',
        path: this.#objectsPath,
        query: {
          ...query,
          pageToken,
          maxResults: String(pageObjectsMax),
          fields: `nextPageToken,prefixes,items(${fields})`,
        },
        bodyBytesMax: pageBytesMax,
      });
      if (response.status === 404) throw this.#noBucket(response);
      if (!isSuccess(response)) throw gsError(this.#bucket, response, permissions.list);
      const page = this.#jsonOf(query.prefix, response);
      if (!isPage(page))
        throw new StoreError('unavailable', this.#bucket, 'the response of Google is not a list');
      yield page;
      pageToken = page.nextPageToken === '' ? undefined : page.nextPageToken;
    } while (pageToken !== undefined);
  }

  close(): void {
    this.#tokens?.close();
    this.#http.close();
  }

  #pathOf(key: string): string {
    return `${this.#objectsPath}/${escapeQuery(key)}`;
  }

  async #send(subject: string, signal: AbortSignal | undefined, request: GsRequest): Promise<HttpResponse> {
    const token = await this.#tokens?.get(signal);
    const response = await this.#sendWith(token, subject, signal, request);
    if (response.status !== 401 || token === undefined) return response;
    // Tokens are revoked before they expire, when keys or accounts change.
    this.#tokens!.drop(token);
    const renewed = await this.#tokens!.get(signal);
    return renewed === token ? response : this.#sendWith(renewed, subject, signal, request);
  }

  async #sendWith(
    token: AccessToken | undefined,
    subject: string,
    signal: AbortSignal | undefined,
    { method, path, query = {}, headers, content = [], bodyBytesMax, memory }: GsRequest,
  ): Promise<HttpResponse> {
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${escapeQuery(value)}`],
    );
    const response = await storeRequest(
      this.#http,
      subject,
      {
        method,
        path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
        headers: {
          host: this.#host,
          ...(token !== undefined && { authorization: `Bearer ${token.token}` }),
          ...headers,
        },
        content,
        bodyBytesMax: bodyBytesMax ?? storageLimits.storeErrorBodyBytesMax,
        memory,
      },
      signal,
    );
    if (isSuccess(response) || response.status === 412) this.#isBucketSeen = true;
    return response;
  }

  #jsonOf(subject: string, { body }: HttpResponse): unknown {
    try {
      return JSON.parse(body.toString('utf8'));
    } catch (error) {
      throw new StoreError('unavailable', subject, 'the response of Google is not JSON', { cause: error });
    }
  }

  /** Throws unless the answer means that there is no such object, in a bucket that exists. */
  async #unlessObjectIsMissing(
    key: string,
    response: HttpResponse,
    permission: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (response.status !== 404) throw gsError(key, response, permission);
    if (this.#isBucketSeen) return;
    // The answer is the same for a bucket that does not exist, but for a list it has one meaning.
    const probe = await this.#send(this.#bucket, signal, {
      method: 'GET',
      path: this.#objectsPath,
      query: { maxResults: '1', fields: 'nextPageToken' },
    });
    if (probe.status === 404) throw this.#noBucket(probe);
    // An account that may not list learns no more, however often it asks.
    if (probe.status === 403) this.#isBucketSeen = true;
  }

  #noBucket(response: HttpResponse): StoreError {
    const { message } = gsError(this.#bucket, response, '');
    return new StoreError('bucketMissing', this.#bucket, 'bucket not found', {
      cause: new Error(message),
    });
  }
}

/** Whether JSON is a page: anything may answer at the address of an emulator. */
function isPage(json: unknown): json is GsPage {
  if (typeof json !== 'object' || json === null) return false;
  const { items = [], prefixes = [], nextPageToken = '' } = json as Record<string, unknown>;
  return (
    Array.isArray(items) &&
    items.every((item: Partial<GsObject> | null) => typeof item?.name === 'string') &&
    Array.isArray(prefixes) &&
    prefixes.every((prefix) => typeof prefix === 'string') &&
    typeof nextPageToken === 'string'
  );
}
