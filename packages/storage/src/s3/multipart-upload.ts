import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import { contentChecksum } from '../store/content-checksum.ts';
import type { CallOptions, ObjectInfo, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { escapeXml, textOf } from '../store-http/xml.ts';
import { s3Error } from './s3-errors.ts';
import type { S3Requests } from './s3-requests.ts';

/** What the server returned for a part, and needs again in the end. */
interface StoredPart {
  readonly etag: string;
  readonly checksum: string | undefined;
}

interface MultipartUploadOptions {
  readonly key: string;
  /** How the object is stored: its encryption and its class. */
  readonly headers: Readonly<Record<string, string>>;
  readonly hasChecksums: boolean;
  readonly head: (signal: AbortSignal | undefined) => Promise<ObjectInfo | undefined>;
}

/** A multipart upload of S3. If the process dies, the parts stay: see `IncompleteUploads`. */
export class MultipartUpload implements ObjectUpload {
  readonly #requests: S3Requests;
  readonly #options: MultipartUploadOptions;
  readonly #uploadId: string;
  readonly #parts: StoredPart[] = [];
  readonly #partEnds: number[] = [];
  #isAborted = false;

  private constructor(requests: S3Requests, uploadId: string, options: MultipartUploadOptions) {
    this.#requests = requests;
    this.#uploadId = uploadId;
    this.#options = options;
  }

  static async begin(
    requests: S3Requests,
    options: MultipartUploadOptions,
    signal: AbortSignal | undefined,
  ): Promise<MultipartUpload> {
    const { key, hasChecksums } = options;
    const response = await requests.object(key, 'POST', signal, {
      query: { uploads: '' },
      headers: { ...options.headers, ...(hasChecksums ? { 'x-amz-checksum-algorithm': 'CRC32C' } : {}) },
    });
    const uploadId = textOf(bodyOf(key, response), 'UploadId');
    if (uploadId === '') throw new StoreError('unavailable', key, 'the response of S3 has no upload id');
    return new MultipartUpload(requests, uploadId, options);
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    const { key, hasChecksums } = this.#options;
    if (index >= storageLimits.uploadPartsMax)
      throw new StoreError('invalid', key, `an object has ${storageLimits.uploadPartsMax} parts at most`);
    const slices = joinSmallSlices(content);
    const checksum = hasChecksums ? contentChecksum(slices) : undefined;
    const response = await this.#requests.object(key, 'PUT', signal, {
      query: { partNumber: String(index + 1), uploadId: this.#uploadId },
      headers: checksum === undefined ? {} : { 'x-amz-checksum-crc32c': checksum },
      content: slices,
    });
    bodyOf(key, response);
    this.#parts[index] = { etag: response.headers.get('etag') ?? '', checksum };
    this.#partEnds[index] = index * storageLimits.uploadPartBytes + contentBytes(content);
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    const { key, head } = this.#options;
    // A server may answer that it is complete, and an older object of the same length looks like its result.
    if (this.#isAborted) throw new StoreError('invalid', key, 'the upload was aborted');
    checkParts(key, this.#partEnds, partCount);
    try {
      await this.#complete(signal);
    } catch (error) {
      // The answer to an earlier attempt was lost: the upload no longer exists, and the object does.
      const isGone = error instanceof StoreError && error.kind === 'notFound';
      if (!isGone || (await head(signal))?.bytes !== this.#partEnds.at(-1)) throw error;
    }
  }

  async abort({ signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#isAborted = true;
    try {
      await abortUpload(this.#requests, { key: this.#options.key, uploadId: this.#uploadId }, signal);
    } catch (error) {
      if (!(error instanceof StoreError && error.kind === 'notFound')) throw error;
    }
  }

  async #complete(signal: AbortSignal | undefined): Promise<void> {
    const { key } = this.#options;
    const parts = this.#parts.map(({ etag, checksum }, index) => {
      const sum = checksum === undefined ? '' : `<ChecksumCRC32C>${checksum}</ChecksumCRC32C>`;
      const number = `<PartNumber>${index + 1}</PartNumber>`;
      return `<Part><ETag>${escapeXml(etag)}</ETag>${sum}${number}</Part>`;
    });
    const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
    const xml = `<CompleteMultipartUpload xmlns="${namespace}">${parts.join('')}</CompleteMultipartUpload>`;
    const response = await this.#requests.object(key, 'POST', signal, {
      query: { uploadId: this.#uploadId },
      headers: { 'content-type': 'application/xml' },
      content: [Buffer.from(xml)],
    });
    const answer = bodyOf(key, response);
    // S3 answers before it has joined the parts, so that an error may follow the status 200.
    if (answer.includes('<Error>')) throw s3Error(key, { ...response, status: 500 });
  }
}

export async function abortUpload(
  requests: S3Requests,
  { key, uploadId }: { readonly key: string; readonly uploadId: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  bodyOf(key, await requests.object(key, 'DELETE', signal, { query: { uploadId } }));
}

function bodyOf(key: string, response: HttpResponse): string {
  if (!isSuccess(response)) throw s3Error(key, response);
  return response.body.toString('utf8');
}
