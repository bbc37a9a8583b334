import type { Clock, Environment } from '@weir/core';
import { joinSmallSlices } from '../store/content.ts';
import { contentChecksum } from '../store/content-checksum.ts';
import { checkKeys, checkRange } from '../store/key.ts';
import type { ObjectAttributes, ObjectInfo, ObjectStore } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import type { LookupFor } from '../store-http/http-client.ts';
import { attributeHeaders, infoIn, rangeIn, rangeParts, readError } from '../store-http/object-responses.ts';
import type { Renewed } from '../store-http/renewed.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { awsCredentials } from './aws-credentials.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { incompleteUploads } from './incomplete-uploads.ts';
import { listObjects } from './list-objects.ts';
import { MultipartUpload } from './multipart-upload.ts';
import { s3Error } from './s3-errors.ts';
import { S3Requests } from './s3-requests.ts';
import { parseS3Url, type S3Location } from './s3-url.ts';
import type { ExpiringCredentials } from './signature.ts';

/** Settings of a process for all of its S3 buckets. */
export interface S3Settings {
  /** The role for buckets whose URL says nothing about one. */
  readonly roleArnDefault?: string | undefined;
  /** What the owner of the role demands of whom assumes it. */
  readonly roleExternalId?: string | undefined;
  /** Whether uploads have no checksums, for servers that reject them. */
  readonly disablesChecksums?: boolean | undefined;
}

interface S3StoreDeps {
  readonly clock: Clock;
  readonly environment: Environment;
  /**
   * Whether credentials that are not found elsewhere may be requested from the metadata service of the machine or its
   * container. Only an agent in a cloud has such a service; elsewhere any server may answer at that address.
   */
  readonly usesMetadataService?: boolean | undefined;
  readonly s3?: S3Settings | undefined;
  readonly lookupFor?: LookupFor | undefined;
}

const defaultRegion = 'us-east-1';

/** For so long a bucket that was seen is taken to exist, where asking costs a request. */
const bucketSeenForMs = 10_000;

/**
 * A bucket of S3 or of a compatible store, by our own HTTP client, whose requests are one `writev`. The SDK only looks
 * for credentials in files and metadata services.
 */
export async function openS3Store(url: URL, deps: S3StoreDeps): Promise<ObjectStore> {
  const { clock, environment, s3: settings = {}, lookupFor } = deps;
  const location = parseS3Url(url);
  const region = location.region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? defaultRegion;
  const credentials = credentialsFor(location, region, deps);
  const requests = new S3Requests({ location, region, clock, credentials, lookupFor });
  const hasChecksums = settings.disablesChecksums !== true;
  // The session of a directory bucket says how objects are encrypted.
  const writeHeaders = {
    ...(location.zoneId === undefined ? location.encryption : {}),
    ...(location.storageClass === undefined ? {} : { 'x-amz-storage-class': location.storageClass }),
  };

  function putObject(
    key: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
    conditions: Readonly<Record<string, string>>,
    attributes?: ObjectAttributes,
  ): Promise<HttpResponse> {
    const slices = joinSmallSlices(content);
    const checksum = hasChecksums ? { 'x-amz-checksum-crc32c': contentChecksum(slices) } : {};
    const headers = {
      ...writeHeaders,
      ...(attributes && attributeHeaders(attributes, { metadata: 'x-amz-meta-' })),
      ...conditions,
      ...checksum,
    };
    return requests.object(key, 'PUT', signal, { headers, content: slices });
  }

  /** The answer to HEAD does not distinguish a missing bucket from a missing object; that to GET does. */
  async function checkBucket(key: string, signal: AbortSignal | undefined): Promise<void> {
    if (clock.monotonicMs() - requests.bucketSeenMs < bucketSeenForMs) return;
    const response = await requests.object(key, 'GET', signal, { headers: { range: 'bytes=0-0' } });
    if (isSuccess(response)) return;
    const error = s3Error(key, response);
    if (error.kind === 'bucketMissing') throw error;
    if (error.kind === 'notFound') requests.bucketSeenMs = clock.monotonicMs();
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<ObjectInfo | undefined> {
    const response = await requests.object(key, 'HEAD', signal);
    if (response.status === 404) {
      await checkBucket(key, signal);
      return undefined;
    }
    if (!isSuccess(response)) throw s3Error(key, response);
    return infoIn(key, response, 'x-amz-meta-');
  }

  return {
    async put(key, content, { signal, attributes } = {}) {
      const response = await putObject(key, content, signal, {}, attributes);
      if (!isSuccess(response)) throw s3Error(key, response);
    },

    async putIfAbsent(key, content, { signal, attributes } = {}) {
      const response = await putObject(key, content, signal, { 'if-none-match': '*' }, attributes);
      if (response.status === 412) return false;
      if (!isSuccess(response)) throw s3Error(key, response);
      return true;
    },

    async beginUpload(key, { signal } = {}) {
      const options = { key, headers: writeHeaders, hasChecksums, head: (s?: AbortSignal) => head(key, s) };
      return MultipartUpload.begin(requests, options, signal);
    },

    async getRange(key, start, end, { signal, memory } = {}) {
      checkRange(key, start, end);
      if (start === end) {
        // HTTP cannot request an empty range.
        if ((await head(key, signal)) === undefined) throw new ObjectNotFound(key);
        return Buffer.alloc(0);
      }
      const { range, ...parts } = rangeParts(start, end, { memory });
      const response = await requests.object(key, 'GET', signal, { headers: { range }, ...parts });
      const bytes = rangeIn(response, start, end);
      if (bytes === undefined) throw readError(key, response, s3Error);
      return bytes;
    },

    head: (key, { signal } = {}) => head(key, signal),

    delete: (key, { signal } = {}) => deleteObject(requests, key, signal),

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      signal?.throwIfAborted();
      return keys.length === 0 ? [] : deleteObjects(requests, keys, signal);
    },

    list: (prefix, options = {}) => listObjects(requests, prefix, options),

    incompleteUploads: incompleteUploads(requests),

    async close() {
      requests.close();
      credentials.close();
    },
  };
}

/** The credentials for a bucket: those of the environment or of files, or of a role that these may assume. */
function credentialsFor(
  location: S3Location,
  region: string,
  { clock, environment, usesMetadataService, s3: settings = {}, lookupFor }: S3StoreDeps,
): Renewed<ExpiringCredentials> {
  const subject = `s3://${location.bucket}`;
  const roleArn = location.roleArn ?? settings.roleArnDefault ?? '';
  const { roleSeconds: durationSeconds } = location;
  const { roleExternalId: externalId } = settings;
  if (roleArn === '' && durationSeconds !== undefined)
    throw new StoreError('invalid', subject, 'assumeRoleDurationMinutes= needs assumeRoleARN=');
  return awsCredentials(
    { subject, region, durationSeconds, externalId, ...(roleArn === '' ? {} : { roleArn }) },
    { clock, environment, usesMetadataService, lookupFor },
  );
}
