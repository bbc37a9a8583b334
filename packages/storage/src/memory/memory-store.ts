import { tmpdir } from 'node:os';
import { type Clock, MiB } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { checkParts } from '../store/check-parts.ts';
import { contentBytes } from '../store/content.ts';
import { checkKey, checkKeys, checkRange, compareKeys } from '../store/key.ts';
import type { ObjectInfo, ObjectStore, ReadMemory } from '../store/object-store.ts';
import { ObjectNotFound, StoreError } from '../store/store-error.ts';
import { Spill, type Spilled, type WriteAt } from './spill.ts';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /**
   * How much memory the objects of a bucket may take; the rest is in files. The first caller that opens a bucket sets
   * it.
   */
  readonly memoryBytesMax?: number;
  /** The directory of these files. */
  readonly directory?: string;
  /** For tests of full disks. */
  readonly writeAt?: WriteAt;
}

/**
 * Enough for the tests of an application, and little compared to the rest of a cluster in one process. Files are read
 * at the speed of memory too, as long as they are in the page cache of the operating system.
 */
const usualMemoryBytesMax = 64 * MiB;

type StoredBytes =
  | { readonly content: Buffer; readonly spilled?: undefined }
  | { readonly content?: undefined; readonly spilled: Spilled };

interface Stored {
  readonly version: string;
  readonly modifiedMs: number;
  readonly bytes: number;
  /** All but the last have `uploadPartBytes`. */
  readonly parts: readonly StoredBytes[];
}

const pageObjects = 1000;

let versions = 0;

/** Returns a version that no other object of this process has or had. */
function nextVersion(): string {
  return `memory/${++versions}`;
}

/** Buckets of this process by name, so that two agents in it share one as they would share a real one. */
const buckets = new Map<string, Bucket>();

/**
 * Objects that live as long as the process, or until `dropMemoryBucket`. They are in memory as long as there is room;
 * later ones are in unlinked files.
 */
export function openMemoryStore(name: string, options: MemoryStoreOptions): ObjectStore {
  const { clock } = options;
  function bucket(): Bucket {
    let found = buckets.get(name);
    if (found === undefined) {
      found = new Bucket(options);
      buckets.set(name, found);
    }
    return found;
  }

  return {
    async put(key, content, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const into = bucket();
      const stored = await into.take(key, content, clock.nowMs());
      if (signal?.aborted === true) into.release(stored);
      signal?.throwIfAborted();
      into.place(key, stored);
    },
    async putIfAbsent(key, content, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const into = bucket();
      if (into.objects.has(key)) return false;
      const stored = await into.take(key, content, clock.nowMs());
      // Another call may have written the key meanwhile.
      const isNew = !into.objects.has(key);
      if (!isNew || signal?.aborted === true) into.release(stored);
      signal?.throwIfAborted();
      if (isNew) into.place(key, stored);
      return isNew;
    },
    async beginUpload(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      const into = bucket();
      const parts: StoredBytes[] = [];
      let state: 'open' | 'finished' | 'aborted' = 'open';
      return {
        async putPart(index, content, { signal } = {}) {
          signal?.throwIfAborted();
          const part = await into.takeBytes(key, content);
          const before = parts[index];
          if (before !== undefined) into.releaseBytes(before);
          parts[index] = part;
        },
        async finish(partCount, { signal } = {}) {
          // A repeated call finds what the first one did.
          if (state === 'finished') return;
          signal?.throwIfAborted();
          if (state === 'aborted') throw new StoreError('invalid', key, 'the upload was aborted');
          const partEnds = parts.map((part, index) => index * storageLimits.uploadPartBytes + sizeOf(part));
          checkParts(key, partEnds, partCount);
          state = 'finished';
          into.place(key, {
            version: nextVersion(),
            parts,
            bytes: partEnds.at(-1)!,
            modifiedMs: clock.nowMs(),
          });
        },
        async abort() {
          if (state !== 'open') return;
          state = 'aborted';
          for (const part of Object.values(parts)) into.releaseBytes(part);
        },
      };
    },
    async getRange(key, start, end, { signal, memory, onVersion } = {}) {
      checkKey(key);
      checkRange(key, start, end);
      signal?.throwIfAborted();
      const found = bucket().objects.get(key);
      if (found === undefined) throw new ObjectNotFound(key);
      onVersion?.(found.version);
      return await readStored(found, Math.min(start, found.bytes), Math.min(end, found.bytes), memory);
    },
    async head(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      return bucket().info(key);
    },
    async delete(key, { signal } = {}) {
      checkKey(key);
      signal?.throwIfAborted();
      bucket().remove(key);
    },
    async deleteMany(keys, { signal } = {}) {
      checkKeys(keys);
      signal?.throwIfAborted();
      for (const key of keys) bucket().remove(key);
      return [];
    },

    async *list(prefix, { startAfter, signal } = {}) {
      const from = bucket();
      const keys = [...from.objects.keys()]
        .filter(
          (key) => key.startsWith(prefix) && (startAfter === undefined || compareKeys(key, startAfter) > 0),
        )
        .sort(compareKeys);
      for (let at = 0; at < keys.length; at += pageObjects) {
        signal?.throwIfAborted();
        const page = keys.slice(at, at + pageObjects).flatMap((key) => from.info(key) ?? []);
        if (page.length > 0) yield page;
      }
    },
    async close() {},
  };
}

/** Drops the content of a bucket, for tests and simulations that create many. */
export function dropMemoryBucket(name: string): void {
  const bucket = buckets.get(name);
  buckets.delete(name);
  for (const key of [...(bucket?.objects.keys() ?? [])]) bucket!.remove(key);
}

class Bucket {
  readonly objects = new Map<string, Stored>();
  readonly #memoryBytesMax: number;
  readonly #spill: Spill;
  /** Of objects in memory, including those that are about to be placed. */
  #memoryBytes = 0;

  constructor({ memoryBytesMax = usualMemoryBytesMax, directory = tmpdir(), writeAt }: MemoryStoreOptions) {
    this.#memoryBytesMax = memoryBytesMax;
    this.#spill = new Spill({ directory, ...(writeAt === undefined ? {} : { writeAt }) });
  }

  /** Takes over the content. Until it is placed under its key, it can be released. */
  async take(key: string, content: readonly Uint8Array[], modifiedMs: number): Promise<Stored> {
    const stored = await this.takeBytes(key, content);
    return { version: nextVersion(), parts: [stored], bytes: sizeOf(stored), modifiedMs };
  }

  async takeBytes(key: string, content: readonly Uint8Array[]): Promise<StoredBytes> {
    const bytes = contentBytes(content);
    if (this.#memoryBytes + bytes > this.#memoryBytesMax)
      return { spilled: await this.#spill.write(content, key) };
    this.#memoryBytes += bytes;
    return { content: copyOf(content, bytes) };
  }

  place(key: string, stored: Stored): void {
    this.remove(key);
    this.objects.set(key, stored);
  }

  remove(key: string): void {
    const stored = this.objects.get(key);
    if (stored === undefined) return;
    this.objects.delete(key);
    this.release(stored);
  }

  release({ parts }: Stored): void {
    for (const part of parts) this.releaseBytes(part);
  }

  releaseBytes({ content, spilled }: StoredBytes): void {
    if (content !== undefined) this.#memoryBytes -= content.length;
    spilled?.release();
  }

  info(key: string): ObjectInfo | undefined {
    const found = this.objects.get(key);
    if (found === undefined) return undefined;
    const { bytes, modifiedMs } = found;
    return { key, bytes, modifiedMs };
  }
}

/** Returns a view of one part that is in memory, and a copy otherwise; of one part in the memory of the caller. */
async function readStored(
  { parts }: Stored,
  start: number,
  end: number,
  memory: ReadMemory | undefined,
): Promise<Buffer> {
  const partBytes = storageLimits.uploadPartBytes;
  const pieces: Buffer[] = [];
  for (const [index, part] of parts.entries()) {
    // An object that was put as a whole is one part of any size.
    const partStart = index * partBytes;
    const pieceStart = Math.max(0, start - partStart);
    const pieceEnd = Math.min(sizeOf(part), end - partStart);
    if (pieceStart >= pieceEnd) continue;
    const placed = pieceEnd - pieceStart === end - start ? memory : undefined;
    pieces.push(
      part.content?.subarray(pieceStart, pieceEnd) ??
        (await part.spilled!.read(pieceStart, pieceEnd, placed)),
    );
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

function sizeOf({ content, spilled }: StoredBytes): number {
  return content?.length ?? spilled!.bytes;
}

/** Separate memory of exactly this size: a small slice of the runtime's shared pool would hold the whole pool. */
function copyOf(content: readonly Uint8Array[], bytes: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  for (const slice of content) {
    copy.set(slice, filled);
    filled += slice.length;
  }
  return copy;
}
