import { randomUUID } from 'node:crypto';
import { MiB } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { linkedAbort } from '../store/abort.ts';
import { contentBytes } from '../store/content.ts';
import { checkKey, checkKeys, checkRange } from '../store/key.ts';
import type { CallOptions, ObjectStore, ReadMemory } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { type BucketTables, discardAll, type PlacedObject } from './bucket-tables.ts';
import { CallSlots } from './call-slots.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { copyRange } from './content-range.ts';
import { endOfPrefix, firstAfter, laterKey } from './key-range.ts';
import { SqlUpload } from './sql-upload.ts';

const pageObjects = 1000;

/** What one statement reads: an answer of a database is in memory as a whole. */
const readStepBytes = 4 * MiB;

/** How often a read begins again because the object was replaced between two of its steps. */
const readAttemptsMax = 3;

/** No put or upload takes this long. */
const leftoverAgeMs = 7 * 24 * 60 * 60_000;

/** Objects in the tables of a database. */
export function sqlStore(
  tables: BucketTables,
  chunkBytes: number = storageLimits.sqlChunkBytes,
): ObjectStore {
  const chunkSlots = new CallSlots(storageLimits.sqlChunksInFlightMax);
  const chunks = new ChunkWriter(tables, chunkSlots, chunkBytes);
  let mayHaveLeftovers = true;

  /**
   * Removes contents that no object has any more. A failure is no failure of the call: the contents are marked, and the
   * next call that removes some takes them along, also those of other processes.
   */
  async function discard(contents: readonly string[], { signal }: CallOptions = {}): Promise<void> {
    try {
      await discardAll(tables, contents, signal);
      if (mayHaveLeftovers) {
        const left = await tables.leftovers(leftoverAgeMs, signal);
        await discardAll(tables, left, signal);
        mayHaveLeftovers = left.length > 0;
      }
    } catch {
      mayHaveLeftovers = true;
    }
  }

  async function write(
    key: string,
    content: readonly Uint8Array[],
    { signal }: CallOptions,
    onlyIfAbsent: boolean,
  ): Promise<boolean> {
    checkKey(key);
    signal?.throwIfAborted();
    const object = { key, content: randomUUID(), bytes: contentBytes(content), chunkBytes };
    try {
      const placed =
        object.bytes > chunkBytes
          ? await writeChunks(object, content, { signal, onlyIfAbsent })
          : await chunkSlots.run(
              () => tables.putWhole(object, copyRange(content, 0, object.bytes), onlyIfAbsent, signal),
              signal,
            );
      if (placed === 'exists') return false;
      if (placed.replaced !== undefined) await discard([placed.replaced]);
      return true;
    } catch (error) {
      // It may still happen, and replace a content.
      mayHaveLeftovers = true;
      throw error;
    }
  }

  async function writeChunks(
    object: PlacedObject,
    content: readonly Uint8Array[],
    { signal, onlyIfAbsent }: { signal: AbortSignal | undefined; onlyIfAbsent: boolean },
  ) {
    const attempt = linkedAbort(signal);
    try {
      await tables.begin(object.content, object.key, attempt.signal);
      await chunks.write(object, 0, content, attempt.signal);
      const placed = await tables.place(object, onlyIfAbsent, attempt.signal);
      if (placed === 'incomplete')
        throw new StoreError('unavailable', object.key, 'the database lost a part of it');
      if (placed === 'exists') await discard([object.content]);
      return placed;
    } catch (error) {
      // The caller does not wait for it.
      void discard([object.content]);
      throw error;
    } finally {
      attempt.release();
    }
  }

  /** Returns `undefined` if the object was replaced between two steps. */
  async function readRange(
    key: string,
    start: number,
    end: number,
    memory: ReadMemory | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Buffer | undefined> {
    let range: Buffer | undefined;
    let content: string | undefined;
    let filled = 0;
    do {
      const from = start + filled;
      const read = await tables.read(key, from, Math.min(end, from + readStepBytes), signal);
      if (read === undefined) {
        if (range === undefined) throw new ObjectNotFound(key);
        return undefined;
      }
      content ??= read.content;
      if (read.content !== content) return undefined;
      const { pieces, objectBytes } = read;
      const wantedBytes = Math.max(0, Math.min(end, objectBytes) - start);
      const stepBytes = Math.min(readStepBytes, wantedBytes - filled);
      if (contentBytes(pieces) !== stepBytes)
        throw new StoreError('invalid', key, `the database has not all of its ${objectBytes} bytes`);
      const [only] = pieces;
      if (memory === undefined && only?.length === wantedBytes)
        return Buffer.from(only.buffer, only.byteOffset, only.length);
      range ??= memory?.(wantedBytes) ?? Buffer.allocUnsafe(wantedBytes);
      for (const piece of pieces) {
        range.set(piece, filled);
        filled += piece.length;
      }
    } while (filled < range.length);
    return range;
  }

  return {
    async put(key, content, options = {}) {
      await write(key, content, options, false);
    },

    putIfAbsent: (key, content, options = {}) => write(key, content, options, true),

    async beginUpload(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const content = randomUUID();
      await tables.begin(content, key, signal);
      return new SqlUpload({ key, content, chunkBytes, tables, chunks, discard });
    },

    async getRange(key, start, end, { signal, memory } = {}) {
      checkKey(key);
      checkRange(key, start, end);
      signal?.throwIfAborted();
      for (let attempt = 0; attempt < readAttemptsMax; attempt++) {
        const range = await readRange(key, start, end, memory, signal);
        if (range !== undefined) return range;
      }
      throw new StoreError('unavailable', key, 'it was replaced while it was read');
    },

    async head(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      return await tables.find(key, signal);
    },

    async delete(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      await discard(await tables.remove([key], signal), { ...(signal && { signal }) });
    },

    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      signal?.throwIfAborted();
      if (keys.length > 0) await discard(await tables.remove(keys, signal), { ...(signal && { signal }) });
      return [];
    },

    async *list(prefix, { startAfter, signal } = {}) {
      const before = endOfPrefix(prefix);
      let from = startAfter === undefined ? prefix : laterKey(prefix, firstAfter(startAfter));
      for (;;) {
        signal?.throwIfAborted();
        const page = await tables.list({ from, before, count: pageObjects }, signal);
        if (page.length > 0) yield page;
        if (page.length < pageObjects) return;
        from = firstAfter(page.at(-1)!.key);
      }
    },

    incompleteUploads: {
      async list(prefix, { from, signal } = {}) {
        const after = from && { key: from.key, content: from.uploadId };
        const range = { from: prefix, after, before: endOfPrefix(prefix), count: pageObjects };
        const found = await tables.listContents(range, signal);
        const uploads = found.map(({ key, content, begunMs }) => ({ key, uploadId: content, begunMs }));
        return { uploads, next: uploads.length < pageObjects ? undefined : uploads.at(-1) };
      },
      abort: ({ uploadId }, { signal } = {}) => discardAll(tables, [uploadId], signal),
    },

    close: () => tables.close(),
  };
}
