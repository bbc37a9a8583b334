import type { Clock, Environment } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { joinSmallSlices } from '../store/content.ts';
import { contentChecksum } from '../store/content-checksum.ts';
import { unlessAllFailed } from '../store/failed-deletions.ts';
import { checkKey, checkKeys, checkRange } from '../store/key.ts';
import type { FailedDeletion, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { escapePath, escapeQuery } from '../store-http/escape.ts';
import { HttpClient, type HttpRequest, hostHeader } from '../store-http/http-client.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { storeRequest } from '../store-http/store-request.ts';
import { credentialsFromFiles, credentialsIn } from './credentials.ts';
import { MultipartUpload } from './multipart-upload.ts';
import { kindOfS3Error, s3Error } from './s3-errors.ts';
import { addressOf, parseS3Url } from './s3-url.ts';
import { type Credentials, signRequest, unsignedPayload } from './signature.ts';

interface S3StoreDeps {
  readonly clock: Clock;
  readonly environment: Environment;
  /**
   * Whether credentials that are not found elsewhere may be requested from the metadata service of the machine or its
   * container. Only an agent in a cloud has such a service; elsewhere any server may answer at that address.
   */
  readonly usesMetadataService?: boolean | undefined;
}

const defaultRegion = 'us-east-1';

/** What a request has apart from its method and its key. */
interface RequestParts extends Partial<Pick<HttpRequest, 'headers' | 'content' | 'bodyBytesMax' | 'memory'>> {
  readonly query?: string | undefined;
}

/** For so long a bucket that was seen is taken to exist, where asking costs a request. */
const bucketSeenForMs = 10_000;

/** Requests at a time where a server deletes single objects only. */
const singleDeletionsMax = 16;

/**
 * A bucket of S3 or of a compatible store. Objects are transferred by our own HTTP client, whose requests are one
 * `writev`; listing, deleting many objects, the begin and the end of uploads in parts, and the lookup of credentials in
 * files and metadata services, use the SDK.
 */
export async function openS3Store(
  url: URL,
  { clock, environment, usesMetadataService = false }: S3StoreDeps,
): Promise<ObjectStore> {
  const location = parseS3Url(url);
  // Loaded here, because it takes a third of a second that other stores should not pay.
  const api = await import('@aws-sdk/client-s3');
  const { DeleteObjectsCommand, ListObjectsV2Command, S3Client, S3ServiceException } = api;
  const region = location.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? defaultRegion;
  const fixed = credentialsIn(environment);
  const found = fixed ?? (usesMetadataService ? undefined : await credentialsFromFiles());
  const { endpoint, basePath } = addressOf(location, region);
  const sdk = new S3Client({
    region,
    forcePathStyle: location.isPathStyle,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(location.endpoint === undefined ? { tls: location.isTls } : { endpoint: location.endpoint }),
    // The mode `auto` asks the metadata service for a region.
    defaultsMode: 'legacy',
    ...(found === undefined ? {} : { credentials: found }),
  });
  const http = new HttpClient({ endpoint, clock, connectionsMax: storageLimits.storeConnectionsMax });
  const host = hostHeader(endpoint);
  /** When the bucket last answered in a way that shows that it exists. */
  let bucketSeenMs = Number.NEGATIVE_INFINITY;

  async function credentials(): Promise<Credentials> {
    try {
      return fixed ?? (await sdk.config.credentials());
    } catch (error) {
      throw new StoreError(
        'denied',
        `s3://${location.bucket}`,
        `no credentials: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
  }

  async function send(
    key: string,
    method: HttpRequest['method'],
    signal: AbortSignal | undefined,
    parts: RequestParts = {},
  ): Promise<HttpResponse> {
    checkKey(key);
    const path = escapePath(`${basePath}/${key}`);
    const { query, content = [], bodyBytesMax = storageLimits.storeErrorBodyBytesMax, memory } = parts;
    const signedBy = await credentials();
    const headers = signRequest(
      { method, path, query, headers: { host, ...parts.headers } },
      { credentials: signedBy, region, nowMs: clock.nowMs(), payloadHash: unsignedPayload },
    );
    const target = query === undefined ? path : `${path}?${query}`;
    const request = { method, path: target, headers, content, bodyBytesMax, memory };
    const response = await storeRequest(http, key, request, signal);
    if (isSuccess(response)) bucketSeenMs = clock.monotonicMs();
    return response;
  }

  function sendContent(
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    conditions: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> {
    const slices = joinSmallSlices(content);
    const headers = { ...conditions, 'x-amz-checksum-crc32c': contentChecksum(slices) };
    return send(key, 'PUT', signal, { headers, content: slices });
  }

  async function callApi<Result>(
    key: string,
    signal: AbortSignal | undefined,
    call: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await call(signal === undefined ? {} : { abortSignal: signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw sdkError(key, error);
    }
  }

  /** The answer to HEAD does not distinguish a missing bucket from a missing object; that to GET does. */
  async function checkBucket(key: string, signal: AbortSignal | undefined): Promise<void> {
    if (clock.monotonicMs() - bucketSeenMs < bucketSeenForMs) return;
    const response = await send(key, 'GET', signal, { headers: { range: 'bytes=0-0' } });
    if (isSuccess(response)) return;
    const error = s3Error(key, response);
    if (error.kind === 'bucketMissing') throw error;
    if (error.kind === 'notFound') bucketSeenMs = clock.monotonicMs();
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    const response = await send(key, 'HEAD', signal);
    if (response.status === 404) {
      await checkBucket(key, signal);
      return undefined;
    }
    if (!isSuccess(response)) throw s3Error(key, response);
    return {
      key,
      bytes: Number(response.headers.get('content-length') ?? 0),
      modifiedMs: Date.parse(response.headers.get('last-modified') ?? '') || 0,
    };
  }

  async function deleteOne(key: string, signal: AbortSignal | undefined): Promise<void> {
    const response = await send(key, 'DELETE', signal);
    if (isSuccess(response)) return;
    const error = s3Error(key, response);
    if (error.kind !== 'notFound') throw error;
  }

  /** For servers without a request for many objects. */
  async function deleteEach(
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly FailedDeletion[]> {
    const failed: FailedDeletion[] = [];
    for (let at = 0; at < keys.length; at += singleDeletionsMax) {
      const some = keys.slice(at, at + singleDeletionsMax);
      const ended = await Promise.allSettled(some.map((key) => deleteOne(key, signal)));
      for (const [index, result] of ended.entries()) {
        if (result.status === 'fulfilled') continue;
        if (!(result.reason instanceof StoreError)) throw result.reason;
        failed.push({ key: some[index]!, error: result.reason });
      }
    }
    return unlessAllFailed(keys, failed);
  }

  async function abortUpload(key: string, UploadId: string, signal: AbortSignal | undefined): Promise<void> {
    const command = new api.AbortMultipartUploadCommand({ Bucket: location.bucket, Key: key, UploadId });
    await callApi(key, signal, (options) => sdk.send(command, options));
  }

  function sdkError(subject: string, error: unknown): StoreError {
    if (!(error instanceof S3ServiceException)) {
      const problem = error instanceof Error ? error.message : String(error);
      return new StoreError('unavailable', subject, problem, { cause: error });
    }
    const kind = kindOfS3Error(error.$metadata.httpStatusCode ?? 500, error.name);
    return new StoreError(kind, subject, `S3 answered ${error.name} ${error.message}`, { cause: error });
  }

  return {
    async put(key, content, { signal } = {}) {
      const response = await sendContent(key, content, signal, {});
      if (!isSuccess(response)) throw s3Error(key, response);
    },

    async putIfAbsent(key, content, { signal } = {}) {
      const response = await sendContent(key, content, signal, { 'if-none-match': '*' });
      if (response.status === 412) return false;
      if (!isSuccess(response)) throw s3Error(key, response);
      return true;
    },

    async beginUpload(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const place = { Bucket: location.bucket, Key: key };
      const created = await callApi(key, signal, (options) =>
        sdk.send(new api.CreateMultipartUploadCommand({ ...place, ChecksumAlgorithm: 'CRC32C' }), options),
      );
      const upload = { ...place, UploadId: created.UploadId! };
      return new MultipartUpload({
        key,
        async putPart(partNumber, content, signal) {
          const query = `partNumber=${partNumber}&uploadId=${escapeQuery(upload.UploadId)}`;
          const checksum = contentChecksum(content);
          const headers = { 'x-amz-checksum-crc32c': checksum };
          const response = await send(key, 'PUT', signal, { query, headers, content });
          if (!isSuccess(response)) throw s3Error(key, response);
          return { etag: response.headers.get('etag') ?? '', checksum };
        },
        async complete(parts, signal) {
          const Parts = parts.map(({ etag, checksum }, index) => ({
            PartNumber: index + 1,
            ETag: etag,
            ChecksumCRC32C: checksum,
          }));
          const command = new api.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
          await callApi(key, signal, (options) => sdk.send(command, options));
        },
        abort: (signal) => abortUpload(key, upload.UploadId, signal),
        head: (signal) => head(key, signal),
      });
    },

    async getRange(key, start, end, { signal, memory } = {}) {
      checkRange(key, start, end);
      if (start === end) {
        // HTTP cannot request an empty range.
        if ((await head(key, signal)) === undefined) throw new ObjectNotFound(key);
        return Buffer.alloc(0);
      }
      const response = await send(key, 'GET', signal, {
        headers: { range: `bytes=${start}-${end - 1}` },
        bodyBytesMax: end - start,
        memory,
      });
      if (response.status === 206) return response.body;
      // The range starts after the end of the object.
      if (response.status === 416) return Buffer.alloc(0);
      // The server ignored the range and sent the whole object, which is no longer than the range.
      if (response.status === 200) return response.body.subarray(start, end);
      const error = s3Error(key, response);
      throw error.kind === 'notFound' ? new ObjectNotFound(key, { cause: error }) : error;
    },

    head: (key, { signal } = {}) => head(key, signal),

    delete: (key, { signal } = {}) => deleteOne(key, signal),

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      signal?.throwIfAborted();
      if (keys.length === 0) return [];
      const command = new DeleteObjectsCommand({
        Bucket: location.bucket,
        Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
      });
      let errors: readonly DeleteError[];
      try {
        errors = (await sdk.send(command, signal === undefined ? {} : { abortSignal: signal })).Errors ?? [];
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof S3ServiceException && isNotOffered(error)) return deleteEach(keys, signal);
        throw sdkError(keys[0]!, error);
      }
      return unlessAllFailed(keys, errors.flatMap(failedDeletion));
    },

    async *list(prefix, { startAfter, signal } = {}) {
      let token: string | undefined;
      do {
        const page = await sdk
          .send(
            new ListObjectsV2Command({
              Bucket: location.bucket,
              Prefix: prefix,
              ...(startAfter === undefined ? {} : { StartAfter: startAfter }),
              ...(token === undefined ? {} : { ContinuationToken: token }),
            }),
            signal === undefined ? {} : { abortSignal: signal },
          )
          .catch((error: unknown) => {
            signal?.throwIfAborted();
            throw sdkError(prefix, error);
          });
        const infos = (page.Contents ?? []).map(
          ({ Key, Size, LastModified }): ObjectInfo => ({
            key: Key ?? '',
            bytes: Size ?? 0,
            modifiedMs: LastModified?.getTime() ?? 0,
          }),
        );
        if (infos.length > 0) yield infos;
        token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      } while (token !== undefined);
    },

    incompleteUploads: {
      async list(prefix, { from, signal } = {}) {
        signal?.throwIfAborted();
        const command = new api.ListMultipartUploadsCommand({
          Bucket: location.bucket,
          Prefix: prefix,
          ...(from === undefined ? {} : { KeyMarker: from.key, UploadIdMarker: from.uploadId }),
        });
        const page = await callApi(prefix, signal, (options) => sdk.send(command, options)).catch(
          (error: unknown) => {
            const cause = error instanceof StoreError ? error.cause : undefined;
            if (cause instanceof S3ServiceException && isNotOffered(cause)) return undefined;
            throw error;
          },
        );
        if (page === undefined) return { uploads: [] };
        const { NextKeyMarker: nextKey, NextUploadIdMarker: nextUploadId = '' } = page;
        return {
          uploads: (page.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated }) => ({
            key: Key,
            uploadId: UploadId,
            // Without a time it is not old.
            begunMs: Initiated?.getTime() ?? Number.MAX_SAFE_INTEGER,
          })),
          next:
            page.IsTruncated === true && nextKey !== undefined
              ? { key: nextKey, uploadId: nextUploadId }
              : undefined,
        };
      },

      async abort({ key, uploadId }, { signal } = {}) {
        checkKey(key);
        signal?.throwIfAborted();
        try {
          await abortUpload(key, uploadId, signal);
        } catch (error) {
          if (!(error instanceof StoreError && error.kind === 'notFound')) throw error;
        }
      },
    },

    async close() {
      http.close();
      sdk.destroy();
    },
  };
}

interface DeleteError {
  readonly Key?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

function failedDeletion({ Key = '', Code = '', Message = '' }: DeleteError): FailedDeletion[] {
  // Single objects have a code, but no status.
  const status = Code === 'AccessDenied' ? 403 : Code === 'NoSuchKey' ? 404 : 500;
  const kind = kindOfS3Error(status, Code);
  if (kind === 'notFound') return [];
  const words = [Code, Message].filter((word) => word !== '').join(' ');
  return [{ key: Key, error: new StoreError(kind, Key, `S3 answered ${words}`) }];
}

/** The server, or a proxy before it, does not know the request. */
function isNotOffered({
  name,
  $metadata,
}: {
  readonly name: string;
  readonly $metadata: { readonly httpStatusCode?: number | undefined };
}): boolean {
  return name === 'NotImplemented' || $metadata.httpStatusCode === 501 || $metadata.httpStatusCode === 405;
}
