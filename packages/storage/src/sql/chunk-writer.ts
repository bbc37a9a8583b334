import { linkedAbort } from '../store/abort.ts';
import { contentBytes } from '../store/content.ts';
import { StoreError } from '../store/store-error.ts';
import type { BucketTables, PlacedObject } from './bucket-tables.ts';
import type { CallSlots } from './call-slots.ts';
import { copyRange } from './content-range.ts';

/**
 * Writes slices as chunks. A chunk is copied when it gets one of the slots of the store, so that the copies of all
 * calls together are bounded, and slices are not used after the promise has settled.
 */
export class ChunkWriter {
  readonly #tables: BucketTables;
  readonly #slots: CallSlots;
  readonly #chunkBytes: number;

  constructor(tables: BucketTables, slots: CallSlots, chunkBytes: number) {
    this.#tables = tables;
    this.#slots = slots;
    this.#chunkBytes = chunkBytes;
  }

  /** Writes bytes of a content from `start` on, which is the start of a chunk. */
  async write(
    { key, content }: Pick<PlacedObject, 'key' | 'content'>,
    start: number,
    slices: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    // The first failure ends the others, before they copy anything.
    const all = linkedAbort(signal);
    const bytes = contentBytes(slices);
    const stored: Promise<boolean>[] = [];
    for (let at = 0; at < bytes; at += this.#chunkBytes) {
      const number = (start + at) / this.#chunkBytes;
      const end = Math.min(bytes, at + this.#chunkBytes);
      const store = () => this.#tables.addChunk(content, number, copyRange(slices, at, end), all.signal);
      stored.push(this.#slots.run(store, all.signal));
    }
    try {
      if ((await Promise.all(stored)).includes(false))
        throw new StoreError('invalid', key, 'the upload was aborted');
    } catch (error) {
      all.abort(error);
      throw error;
    } finally {
      all.release();
    }
  }
}
