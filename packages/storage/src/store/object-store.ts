/**
 * The port to object storage: everything that Weir asks of a bucket. Drivers make it real, decorators add patience to it.
 *
 * Keys are relative to the store: a prefix that was given in the bucket URL is invisible here. Objects are written once and
 * never changed, so that a reader may cache any part of one for ever.
 */
export interface ObjectStore {
  /**
   * Stores an object from slices, which may not be changed or reused before the promise settles, and are left alone from then
   * on, aborted or not. Durable when it resolves. Storing the same key again replaces the object.
   */
  put(key: string, content: readonly Uint8Array[], options?: CallOptions): Promise<void>;

  /**
   * Stores an object unless the key exists. `false` says that it did, and that nothing was changed. Of concurrent writers one
   * gets `true`. Content that names its writer keeps that so when an answer is lost: a store that tries again takes an
   * object with exactly this content for the fruit of its first attempt.
   */
  putIfAbsent(key: string, content: readonly Uint8Array[], options?: CallOptions): Promise<boolean>;

  /**
   * Bytes `start` to `end` (exclusive) of an object. A range that ends behind the object gives what there is; one that starts
   * there gives nothing. Throws `ObjectNotFound`.
   */
  getRange(key: string, start: number, end: number, options?: CallOptions): Promise<Buffer>;

  /** The size of an object, or `undefined` when there is none. */
  head(key: string, options?: CallOptions): Promise<ObjectInfo | undefined>;

  /** Removes an object. That there is none is no error. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /** Objects whose key begins with `prefix`, in the order of their keys (by bytes of UTF-8), page by page. */
  list(prefix: string, options?: ListOptions): AsyncIterable<readonly ObjectInfo[]>;

  /** Gives up connections and timers. Calls under way may fail. */
  close(): Promise<void>;
}

export interface CallOptions {
  /** Aborts the call; what it had begun may still happen. */
  readonly signal?: AbortSignal;
}

export interface ListOptions extends CallOptions {
  /** Only keys behind this one. */
  readonly startAfter?: string;
}

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}
