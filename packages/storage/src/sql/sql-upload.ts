import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes } from '../store/content.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { type BucketTables, discardAll } from './bucket-tables.ts';
import type { ChunkWriter } from './chunk-writer.ts';

interface SqlUploadOptions {
  readonly key: string;
  readonly content: string;
  readonly chunkBytes: number;
  readonly tables: BucketTables;
  readonly chunks: ChunkWriter;
  discard(contents: readonly string[]): Promise<void>;
}

/** An object whose parts are chunks of a content that no object has yet. */
export class SqlUpload implements ObjectUpload {
  readonly #options: SqlUploadOptions;
  readonly #partEnds: number[] = [];
  #state: 'open' | 'finished' | 'aborted' = 'open';

  constructor(options: SqlUploadOptions) {
    this.#options = options;
  }

  async putPart(index: number, content: readonly Uint8Array[], { signal }: CallOptions = {}): Promise<void> {
    signal?.throwIfAborted();
    const start = index * storageLimits.uploadPartBytes;
    await this.#options.chunks.write(this.#options, start, content, signal);
    this.#partEnds[index] = start + contentBytes(content);
  }

  async finish(partCount: number, { signal }: CallOptions = {}): Promise<void> {
    // A repeated call finds what the first one did.
    if (this.#state === 'finished') return;
    signal?.throwIfAborted();
    const { key, content, chunkBytes, tables } = this.#options;
    if (this.#state === 'aborted') throw new StoreError('invalid', key, 'the upload was aborted');
    checkParts(key, this.#partEnds, partCount);
    const object = { key, content, chunkBytes, bytes: this.#partEnds.at(-1)! };
    const placed = await tables.place(object, false, signal);
    if (placed === 'incomplete')
      throw new StoreError('invalid', key, 'the upload was aborted, or the database lost a part of it');
    this.#state = 'finished';
    if (placed !== 'exists' && placed.replaced !== undefined) await this.#options.discard([placed.replaced]);
  }

  async abort({ signal }: CallOptions = {}): Promise<void> {
    if (this.#state !== 'open') return;
    await discardAll(this.#options.tables, [this.#options.content], signal);
    this.#state = 'aborted';
  }
}
