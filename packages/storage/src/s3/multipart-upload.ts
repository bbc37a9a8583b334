import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import type { CallOptions, ObjectInfo, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

/** What the server returned for a part, and needs again in the end. */
interface StoredPart {
  readonly etag: string;
  readonly checksum: string;
}

interface MultipartUploadOptions {
  readonly key: string;
  readonly putPart: (
    partNumber: number,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ) => Promise<StoredPart>;
  readonly complete: (parts: readonly StoredPart[], signal: AbortSignal | undefined) => Promise<void>;
  readonly abort: (signal: AbortSignal | undefined) => Promise<void>;
  readonly head: (signal: AbortSignal | undefined) => Promise<ObjectInfo | undefined>;
}

/** A multipart upload of S3. If the process dies, the parts stay: see `IncompleteUploads`. */
export class MultipartUpload implements ObjectUpload {
  readonly #options: MultipartUploadOptions;
  readonly #parts: StoredPart[] = [];
  readonly #partEnds: number[] = [];

  constructor(options: MultipartUploadOptions) {
    this.#options = options;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    const slices = joinSmallSlices(content);
    this.#parts[index] = await this.#options.putPart(index + 1, slices, signal);
    this.#partEnds[index] = index * storageLimits.uploadPartBytes + contentBytes(content);
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    const { key, complete, head } = this.#options;
    checkParts(key, this.#partEnds, partCount);
    try {
      await complete(this.#parts, signal);
    } catch (error) {
      // The answer to an earlier attempt was lost: the upload no longer exists, and the object does.
      const isGone = error instanceof StoreError && error.kind === 'notFound';
      if (!isGone || (await head(signal))?.bytes !== this.#partEnds.at(-1)) throw error;
    }
  }

  async abort({ signal }: CallOptions = {}): Promise<void> {
    try {
      await this.#options.abort(signal);
    } catch (error) {
      if (!(error instanceof StoreError && error.kind === 'notFound')) throw error;
    }
  }
}
