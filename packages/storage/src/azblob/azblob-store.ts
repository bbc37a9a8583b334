import type { Clock, Environment, Random } from '@weir/core';
import { randomId } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { contentBytes, joinSmallSlices, partsOf } from '../store/content.ts';
import { inTurns } from '../store/in-turns.ts';
import { checkKey, checkKeys, checkRange, compareKeys } from '../store/key.ts';
import type { ObjectAttributes, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound } from '../store/store-error.ts';
import { escapePath, escapeQuery } from '../store-http/escape.ts';
import { HttpClient, type HttpRequest, hostHeader, type LookupFor } from '../store-http/http-client.ts';
import {
  attributeHeaders,
  deleteEach,
  infoIn,
  rangeIn,
  rangeParts,
  readError,
  requireDeleted,
} from '../store-http/object-responses.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { storeRequest } from '../store-http/store-request.ts';
import type { AccessToken } from '../store-http/token-request.ts';
import { parseAzblobUrl } from './azblob-url.ts';
import { azureError, azureErrorCode } from './azure-errors.ts';
import { blobAccess } from './blob-access.ts';
import { inKeyOrder, parseBlobPage } from './blob-page.ts';
import { BlockUpload, blockId, blockList } from './block-upload.ts';
import { sharedKeyAuthorization } from './shared-key.ts';

interface AzblobStoreDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly environment: Environment;
  /** Whether tokens may be requested from the metadata service of the machine or its container. */
  readonly usesMetadataService?: boolean | undefined;
  readonly lookupFor?: LookupFor | undefined;
  /** Objects that are larger are stored in blocks. */
  readonly putBytesMax?: number;
}

/** The first version of the service that starts a listing at any name (`startFrom`). */
const serviceVersion = '2026-02-06';

/** Blocks of one large put that are sent at a time. */
const blocksInFlightMax = 4;

/** What a request has apart from its method, its subject and its path. */
interface RequestParts extends Partial<Pick<HttpRequest, 'headers' | 'content' | 'bodyBytesMax' | 'memory'>> {
  readonly query?: Readonly<Record<string, string>>;
}

type Conditions = Readonly<Record<string, string>>;

/** A container of Azure Blob Storage, by its REST API over the HTTP client of all drivers (ADR 0043). */
export async function openAzblobStore(url: URL, deps: AzblobStoreDeps): Promise<ObjectStore> {
  const { clock, random, environment, usesMetadataService = false, lookupFor } = deps;
  const { putBytesMax = storageLimits.azurePutBytesMax } = deps;
  const location = parseAzblobUrl(url);
  const { service, credential } = blobAccess(location, {
    clock,
    environment,
    usesMetadataService,
    lookupFor,
  });
  const { endpoint } = service;
  const containerPath = `${service.basePath}/${location.container}`;
  const host = hostHeader(endpoint);
  const connectionsMax = storageLimits.storeConnectionsMax;
  const http = new HttpClient({ endpoint, clock, connectionsMax, lookupFor });

  /** `subject` names the request in errors: the key, or the prefix of a list, or the bucket. */
  async function send(
    subject: string,
    method: HttpRequest['method'],
    path: string,
    signal: AbortSignal | undefined,
    parts: RequestParts = {},
  ): Promise<HttpResponse> {
    signal?.throwIfAborted();
    const { query = {}, content = [], bodyBytesMax = storageLimits.storeErrorBodyBytesMax, memory } = parts;
    const headers: Record<string, string> = {
      host,
      'x-ms-date': new Date(clock.nowMs()).toUTCString(),
      'x-ms-version': serviceVersion,
      ...parts.headers,
    };
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${escapeQuery(value)}`);
    let token: AccessToken | undefined;
    switch (credential.kind) {
      case 'sharedKey': {
        const signed = { method, path, query, headers, contentBytes: contentBytes(content) };
        headers.authorization = sharedKeyAuthorization(signed, credential.sharedKey);
        break;
      }
      case 'sas':
        parameters.push(credential.parameters);
        break;
      case 'tokens':
        token = await credential.tokens.get(signal);
        headers.authorization = `Bearer ${token.token}`;
    }
    const target = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
    const request = { method, path: target, headers, content, bodyBytesMax, memory };
    const response = await storeRequest(http, subject, request, signal);
    if (response.status === 401 && credential.kind === 'tokens') credential.tokens.drop(token!);
    return response;
  }

  function sendBlob(
    key: string,
    method: HttpRequest['method'],
    signal: AbortSignal | undefined,
    parts: RequestParts = {},
  ): Promise<HttpResponse> {
    checkKey(key);
    return send(key, method, escapePath(`${containerPath}/${key}`), signal, parts);
  }

  async function putBlock(
    key: string,
    id: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const query = { comp: 'block', blockid: id };
    const response = await sendBlob(key, 'PUT', signal, { query, content });
    if (!isSuccess(response)) throw azureError(key, response);
  }

  function commitBlocks(
    key: string,
    ids: readonly string[],
    signal: AbortSignal | undefined,
    headers: Conditions,
  ): Promise<HttpResponse> {
    const content = [blockList(ids)];
    return sendBlob(key, 'PUT', signal, { query: { comp: 'blocklist' }, headers, content });
  }

  async function putContent(
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    conditions: Conditions,
    attributes?: ObjectAttributes,
  ): Promise<HttpResponse> {
    const slices = joinSmallSlices(content);
    const names = { metadata: 'x-ms-meta-', content: 'x-ms-blob-' };
    const given = { ...(attributes && attributeHeaders(attributes, names)), ...conditions };
    if (contentBytes(slices) > putBytesMax) return putInBlocks(key, slices, signal, given);
    const headers = { ...given, 'x-ms-blob-type': 'BlockBlob' };
    return sendBlob(key, 'PUT', signal, { headers, content: slices });
  }

  /** For an object that is larger than one request may be. */
  async function putInBlocks(
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    conditions: Conditions,
  ): Promise<HttpResponse> {
    const parts = partsOf(content, Math.min(storageLimits.uploadPartBytes, putBytesMax));
    const uploadId = randomId(random);
    const ids = parts.map((_, index) => blockId(uploadId, index));
    // After a failure it waits for the others: the slices belong to the caller again when the put settles.
    await inTurns([...parts.entries()], blocksInFlightMax, ([index, part]) =>
      putBlock(key, ids[index]!, part, signal),
    );
    return commitBlocks(key, ids, signal, conditions);
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    const response = await sendBlob(key, 'HEAD', signal);
    if (!isSuccess(response)) {
      const error = azureError(key, response);
      if (error.kind === 'notFound') return undefined;
      throw error;
    }
    return infoIn(key, response, 'x-ms-meta-');
  }

  async function deleteOne(key: string, signal: AbortSignal | undefined): Promise<void> {
    requireDeleted(key, await sendBlob(key, 'DELETE', signal), azureError);
  }

  return {
    async put(key, content, { signal, attributes } = {}) {
      const response = await putContent(key, content, signal, {}, attributes);
      if (!isSuccess(response)) throw azureError(key, response);
    },

    async putIfAbsent(key, content, { signal, attributes } = {}) {
      const response = await putContent(key, content, signal, { 'if-none-match': '*' }, attributes);
      if (isSuccess(response)) return true;
      if (existsCodes.has(azureErrorCode(response))) return false;
      throw azureError(key, response);
    },

    async beginUpload(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      return new BlockUpload({
        key,
        uploadId: randomId(random),
        putBlock: (id, content, signal) => putBlock(key, id, content, signal),
        async commit(ids, signal) {
          const response = await commitBlocks(key, ids, signal, {});
          if (!isSuccess(response)) throw azureError(key, response);
        },
      });
    },

    async getRange(key, start, end, { signal, memory } = {}) {
      checkRange(key, start, end);
      if (start === end) {
        // HTTP cannot request an empty range.
        if ((await head(key, signal)) === undefined) throw new ObjectNotFound(key);
        return Buffer.alloc(0);
      }
      const { range, ...parts } = rangeParts(start, end, { memory });
      const response = await sendBlob(key, 'GET', signal, { headers: { 'x-ms-range': range }, ...parts });
      const bytes = rangeIn(response, start, end);
      if (bytes === undefined) throw readError(key, response, azureError);
      return bytes;
    },

    head: (key, { signal } = {}) => head(key, signal),

    delete: (key, { signal } = {}) => deleteOne(key, signal),

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      signal?.throwIfAborted();
      return deleteEach(keys, (key) => deleteOne(key, signal), signal);
    },

    async *list(prefix, { startAfter, signal } = {}) {
      let after = startAfter;
      if (after !== undefined && !after.startsWith(prefix)) {
        // It is behind all keys of the prefix, or before them.
        if (compareKeys(after, prefix) > 0) return;
        after = undefined;
      }
      const subject = prefix === '' ? `azblob://${location.container}` : prefix;
      let marker: string | undefined;
      let last = after;
      do {
        const query = {
          restype: 'container',
          comp: 'list',
          maxresults: `${storageLimits.listedKeysMax}`,
          ...(prefix === '' ? {} : { prefix }),
          // Inclusive. A server that does not know it lists from the beginning.
          ...(after === undefined ? {} : { startFrom: after }),
          ...(marker === undefined ? {} : { marker }),
        };
        const bodyBytesMax = storageLimits.azureListBodyBytesMax;
        const parts = { query, bodyBytesMax };
        const response = await send(subject, 'GET', escapePath(containerPath), signal, parts);
        if (!isSuccess(response)) throw azureError(subject, response);
        const { blobs, nextMarker } = parseBlobPage(response.body.toString('utf8'));
        const isBehind = ({ key }: ObjectInfo) => after === undefined || compareKeys(key, after) > 0;
        const page = inKeyOrder(blobs.filter(isBehind), last, subject);
        if (page.length > 0) {
          last = page.at(-1)!.key;
          yield page;
        }
        marker = nextMarker;
      } while (marker !== undefined);
    },

    async close() {
      if (credential.kind === 'tokens') credential.tokens.close();
      http.close();
    },
  };
}

/** How the service says that a blob exists. The last one is for a SAS token that may create and not overwrite. */
const existsCodes: ReadonlySet<string> = new Set([
  'BlobAlreadyExists',
  'ConditionNotMet',
  'UnauthorizedBlobOverwrite',
]);
