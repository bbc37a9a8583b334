import type { StoreError } from './store-error.ts';

/**
 * The port to object storage: everything that Weir needs of a bucket. Drivers implement it, decorators add retries,
 * timeouts and so on.
 *
 * Keys are relative to the store: a prefix in the bucket URL is invisible here. Objects are written once and never
 * changed, so a reader may cache any part of one forever.
 */
export interface ObjectStore {
  /**
   * Stores an object from slices, which must not be changed or reused before the promise settles, and are not used
   * after that, aborted or not. Durable when it resolves. Storing the same key again replaces the object.
   */
  put(key: string, content: readonly Uint8Array[], options?: PutOptions): Promise<void>;

  /**
   * Stores an object unless the key exists. Returns `false` if it did, and nothing was changed. Of concurrent writers
   * one gets `true`. To make that hold when an answer is lost, the content should identify its writer: a store that
   * retries takes an object with exactly this content for the result of its first attempt.
   */
  putIfAbsent(
    key: string,
    content: readonly Uint8Array[],
    options?: Pick<PutOptions, 'signal' | 'attributes'>,
  ): Promise<boolean>;

  /**
   * Begins an object that is too large for one put. Until it is finished, nothing of it is visible and an object of the
   * same key stays; the caller finishes or aborts it.
   */
  beginUpload(key: string, options?: CallOptions): Promise<ObjectUpload>;

  /**
   * Returns bytes `start` to `end` (exclusive) of an object, which must not be changed. A range that ends after the
   * object is cut off; one that starts there is empty. Throws `ObjectNotFound`.
   */
  getRange(key: string, start: number, end: number, options?: GetOptions): Promise<Buffer>;

  /** The size of an object, or `undefined` if it does not exist. */
  head(key: string, options?: CallOptions): Promise<ObjectInfo | undefined>;

  /** Removes an object. It is no error if it does not exist. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /**
   * Removes up to `deletedKeysMax` objects. Returns those that were not removed, with the reason; all others are gone.
   * Rejects if none was removed, so that a denial counts as one.
   */
  deleteMany(keys: readonly string[], options?: CallOptions): Promise<readonly FailedDeletion[]>;

  /** Objects whose key begins with `prefix`, in the order of their keys (by UTF-8 bytes), page by page. */
  list(prefix: string, options?: ListOptions): AsyncIterable<readonly ObjectInfo[]>;

  /** Parts that processes left in the store. Absent where a store removes them itself. */
  readonly incompleteUploads?: IncompleteUploads | undefined;

  /** Copies of the objects. Absent where each is stored once. */
  readonly replicas?: Replicas | undefined;

  /** Releases connections and timers. Calls in flight may fail. */
  close(): Promise<void>;
}

/** A store that keeps several copies of each object, of which some may be missing. */
export interface Replicas {
  /**
   * Copies an object to the buckets that lack it, as `list` found, at a limited rate. Returns `false` if it is gone.
   * The caller must not repair what is deleted at the same time.
   */
  repair(object: Pick<ObjectInfo, 'key' | 'missingIn'>, options?: CallOptions): Promise<boolean>;
}

/** Uploads that were begun and neither finished nor aborted, by any process. Their parts take space until then. */
export interface IncompleteUploads {
  /** A page of those whose key begins with `prefix`. What is aborted meanwhile may or may not be listed. */
  list(prefix: string, options?: ListUploadsOptions): Promise<IncompleteUploadsPage>;

  /** Removes the parts of an upload. It is no error if it was finished or aborted meanwhile. */
  abort(upload: Pick<IncompleteUpload, 'key' | 'uploadId'>, options?: CallOptions): Promise<void>;
}

interface ListUploadsOptions extends CallOptions {
  /** The `next` of the page before. */
  readonly from?: IncompleteUploadsPage['next'];
}

interface IncompleteUploadsPage {
  readonly uploads: readonly IncompleteUpload[];
  /** Where the next page begins; absent after the last. */
  readonly next?: Pick<IncompleteUpload, 'key' | 'uploadId'> | undefined;
}

interface IncompleteUpload {
  readonly key: string;
  readonly uploadId: string;
  /** By the clock of the store. */
  readonly begunMs: number;
}

/** An object that is stored in parts: all of exactly `uploadPartBytes`, but for the last, which has at least a byte. */
export interface ObjectUpload {
  /**
   * Stores a part, by its index from 0. Parts come in any order, several at a time, and may be repeated. For the slices
   * holds what holds for those of `put`.
   */
  putPart(index: number, content: readonly Uint8Array[], options?: CallOptions): Promise<void>;

  /** Makes the object visible as a whole, when all parts are stored. Durable when it resolves. */
  finish(partCount: number, options?: CallOptions): Promise<void>;

  /** Removes the parts. No other call may be running. */
  abort(options?: CallOptions): Promise<void>;
}

export interface CallOptions {
  /** Aborts the call; its effect may still happen. */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  /**
   * Returns memory for the bytes. A store that has to read them requests it when it knows their number; a store of
   * several attempts does so for each. Memory that is not in the result may be written to after the promise settles.
   */
  readonly memory?: ReadMemory | undefined;
  /**
   * Called with the version of the object that is read, by stores that hold it on this machine: as long as the version
   * is the same, no program has changed its bytes. Other stores do not call it, since bytes may change on the way; a
   * store of several attempts calls it for each.
   */
  readonly onVersion?: ((version: string) => void) | undefined;
}

export type ReadMemory = (bytes: number) => Buffer;

interface PutOptions extends CallOptions {
  /**
   * The key was never used, and no reader knows it before the promise resolves. Until then, and for ever if the process
   * dies, the store may show a part of the object.
   */
  readonly isNewKey?: boolean;
  /** For buckets of others. Stores of clouds keep them; other stores do not. */
  readonly attributes?: ObjectAttributes | undefined;
}

/** What a store of a cloud keeps beside the content. Objects of Weir have none. */
export interface ObjectAttributes {
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  /** Only from `head`. */
  readonly versionId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** More headers of the request, by the names of the service. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface ListOptions extends CallOptions {
  /** Only keys after this one. */
  readonly startAfter?: string | undefined;
}

export interface FailedDeletion {
  readonly key: string;
  readonly error: StoreError;
}

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** From `head`, where a store has them. */
  readonly attributes?: ObjectAttributes | undefined;
  /** In lists of a store with replicas: the buckets that lack the object. Absent if all that answered have it. */
  readonly missingIn?: readonly number[] | undefined;
}
