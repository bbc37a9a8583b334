import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes, joinSmallSlices } from '../store/content.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';

interface BlockUploadOptions {
  readonly key: string;
  /** Distinguishes the blocks of this upload from those of others for the same key. */
  readonly uploadId: string;
  readonly putBlock: (
    blockId: string,
    content: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ) => Promise<void>;
  readonly commit: (blockIds: readonly string[], signal: AbortSignal | undefined) => Promise<void>;
}

/**
 * An object of blocks, which exists when their list is committed. The service has no request that removes blocks: those
 * of an upload that is never finished vanish when the object is stored otherwise, or after a week.
 */
export class BlockUpload implements ObjectUpload {
  readonly #options: BlockUploadOptions;
  readonly #partEnds: number[] = [];
  #isAborted = false;

  constructor(options: BlockUploadOptions) {
    this.#options = options;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    await this.#options.putBlock(blockId(this.#options.uploadId, index), joinSmallSlices(content), signal);
    this.#partEnds[index] = index * storageLimits.uploadPartBytes + contentBytes(content);
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    const { key, uploadId, commit } = this.#options;
    if (this.#isAborted) throw new StoreError('invalid', key, 'the upload was aborted');
    checkParts(key, this.#partEnds, partCount);
    await commit(
      this.#partEnds.map((_, index) => blockId(uploadId, index)),
      signal,
    );
  }

  async abort({ signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    this.#isAborted = true;
  }
}

/** All ids of a blob have the same length, as the service demands. */
export function blockId(uploadId: string, index: number): string {
  return Buffer.from(`${uploadId}-${String(index).padStart(5, '0')}`).toString('base64');
}

/**
 * The body of Put Block List. `Latest` also finds blocks that an earlier attempt committed, so that a repeated commit
 * whose first answer was lost succeeds.
 */
export function blockList(blockIds: readonly string[]): Buffer {
  const items = blockIds.map((id) => `<Latest>${id}</Latest>`).join('');
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList>${items}</BlockList>`);
}
