import type { CallRules, RemoteCalls } from '@weir/sql/database-thread';
import type { ObjectInfo } from '../store/object-store.ts';

/**
 * The tables of a bucket in a database: what `sql-store.ts` needs of PostgreSQL and SQLite. Errors are `StoreError`s.
 *
 * - `objects`: one row per key, with the id of its content and its size.
 * - `chunks`: the bytes, by content id and number.
 * - `contents`: contents that no object refers to: being written, or to be removed.
 *
 * A content is written once, under an id that is never used again, and becomes an object by one change of its row. So
 * no transaction stays open while bytes are transferred, and what a process leaves behind is in `contents`.
 */
export interface BucketTables extends RemoteCalls<BucketOperations> {
  close(): Promise<void>;
}

/** The calls of the tables, as a thread serves them. */
export interface BucketOperations {
  /** Stores an object of at most one chunk, whose memory it takes. Durable when it is done. */
  putWhole(object: PlacedObject, chunk: Uint8Array<ArrayBuffer>, onlyIfAbsent: boolean): Placed;

  /** Begins a content of several chunks. */
  begin(content: string, key: string): void;

  /** Stores a chunk, whose memory it takes, or replaces it. Returns false if the content is gone. */
  addChunk(content: string, number: number, chunk: Uint8Array<ArrayBuffer>): boolean;

  /** Makes a content the object of its key, if all of its bytes are stored. Durable when it is done. */
  place(object: PlacedObject, onlyIfAbsent: boolean): Placed | 'incomplete';

  /** Removes objects. Returns their contents, which are still to be discarded. */
  remove(keys: readonly string[]): string[];

  /** Removes some chunks of contents that no object has, which takes little time. Returns whether there are more. */
  discardSome(contents: readonly string[]): boolean;

  /** Some contents that processes left: removed ones, and those that are older than `ageMs`. */
  leftovers(ageMs: number): string[];

  find(key: string): ObjectInfo | undefined;

  /** Reads bytes `start` to `end` of an object: all that there are, in one consistent read. */
  read(key: string, start: number, end: number): ReadPieces | undefined;

  /** The first objects of a range of keys, in the order of their UTF-8 bytes. */
  list(range: KeyRange): ObjectInfo[];

  /** The first contents of a range of keys that are being written, by key and id. */
  listContents(range: ContentRange): ListedContent[];
}

/**
 * Changes that need not survive a power failure by themselves do not wait for the disk: the wait of the change that
 * makes an object visible covers everything before it.
 */
export const bucketRules: CallRules<BucketOperations> = {
  putWhole: { moves: 1 },
  begin: { waitsForDisk: false },
  addChunk: { moves: 2, waitsForDisk: false },
  place: {},
  remove: {},
  discardSome: { waitsForDisk: false },
  leftovers: { reads: true },
  find: { reads: true },
  read: { reads: true },
  list: { reads: true },
  listContents: { reads: true },
};

/** Removes contents that no object has, in steps. */
export async function discardAll(
  tables: BucketTables,
  contents: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (contents.length === 0) return;
  while (await tables.discardSome(contents, signal));
}

export interface PlacedObject {
  readonly key: string;
  readonly content: string;
  readonly bytes: number;
  /** The size of all chunks but the last. */
  readonly chunkBytes: number;
}

/** `replaced` is the content that the object had before, and which is still to be discarded. */
export type Placed = 'exists' | { readonly replaced: string | undefined };

export interface ReadPieces {
  readonly content: string;
  /** The size of the whole object. */
  readonly objectBytes: number;
  /** The bytes in order, without gaps. */
  readonly pieces: readonly Uint8Array[];
}

export interface KeyRange {
  /** The first key that is possible. */
  readonly from: string;
  /** Only keys before this one. */
  readonly before: string;
  readonly count: number;
}

export interface ContentRange extends KeyRange {
  /** Only contents after this one. */
  readonly after: { readonly key: string; readonly content: string } | undefined;
}

export interface ListedContent {
  readonly key: string;
  readonly content: string;
  readonly begunMs: number;
}
