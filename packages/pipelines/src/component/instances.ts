import type { MappingCache } from '@weir/bloblang';
import type { Later } from './later.ts';
import type { Batch, Message } from './message.ts';

/** What an input hands out: messages, and what becomes of them. */
export interface Delivery {
  readonly batch: Batch;
  /**
   * Called once: without an error when all messages were written or dropped, otherwise they have to be delivered again.
   * `failed` has the indexes in the delivery of the messages that failed, if that is known.
   */
  settle(error?: Error, failed?: ReadonlySet<number>): void | Promise<void>;
}

/** Reads from somewhere. The engine calls `read` again when the last call has ended. */
export interface Input {
  /**
   * Waits for messages; `undefined` if there are none until all that were delivered are settled, or never: it is called
   * once more when they are. Throws `NotConnected` to be called again after a pause.
   */
  read(stop: AbortSignal): Promise<Delivery | undefined>;
  /** Called after the last delivery was settled. */
  close(): Promise<void>;
}

/**
 * Changes messages. A failure on a message is noted in the message, which flows on; a thrown error is one of all
 * messages of the batch. No batches mean that all were dropped, which settles them.
 */
export interface Processor {
  process(batch: Batch, stop: AbortSignal): Later<readonly Batch[]>;
  close?(): Promise<void>;
}

export type FlushWhen = 'now' | 'idle';

/** Writes somewhere. */
export interface Output {
  /**
   * Resolves when the messages are stored, in the order of calls unless it says otherwise. Rejects with a
   * `BatchFailure` if some were stored. An error means that all have to be written again.
   */
  write(batch: Batch, stop: AbortSignal): Promise<void>;
  /** Resolves when it can take another batch; absent if it can now. The engine awaits it before `write`. */
  ready?(): Promise<void> | undefined;
  /**
   * Writes what it gathered, when no more will come; called again until all is settled. With `idle`, a batch that is
   * not full waits while another is being written.
   */
  flush?(when?: FlushWhen): Promise<void>;
  close(): Promise<void>;
}

/** Holds messages between input and processors. */
export interface Buffer {
  /** Keeps messages and settles the delivery. It resolves when that is done. */
  store(delivery: Delivery, stop: AbortSignal): Promise<void>;
  /** The next delivery; `undefined` as an input does, after `end`. */
  next(stop: AbortSignal): Promise<Delivery | undefined>;
  /** No more will be stored. */
  end(): void;
  close(): Promise<void>;
}

/** A cache of this process, for callers that cannot wait, such as mappings. */
export interface CacheNow extends MappingCache {
  set(key: string, value: globalThis.Buffer, ttlMs?: number): void;
  add(key: string, value: globalThis.Buffer, ttlMs?: number): boolean;
  has(key: string): boolean;
}

export interface Cache {
  /** Absent if others hold what it has. */
  readonly now?: CacheNow | undefined;
  get(key: string): Promise<globalThis.Buffer | undefined>;
  set(key: string, value: globalThis.Buffer, ttlMs?: number): Promise<void>;
  /** Whether the key was new. */
  add(key: string, value: globalThis.Buffer, ttlMs?: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

export interface RateLimit {
  /** Takes one, of so many bytes; how long to wait before trying again, 0 if it was taken. */
  take(byteCount?: number): Promise<number>;
  close(): Promise<void>;
}

/** Cuts a stream of bytes into messages. */
export interface Scanner {
  /** `name` is what is read, such as a path. */
  scan(source: AsyncIterable<globalThis.Buffer>, name: string): AsyncIterable<readonly Message[]>;
}

export interface Instances {
  readonly input: Input;
  readonly buffer: Buffer;
  readonly processor: Processor;
  readonly output: Output;
  readonly cache: Cache;
  readonly rate_limit: RateLimit;
  readonly scanner: Scanner;
}

/** Some messages of a batch were not written; the others were. */
export class BatchFailure extends Error {
  /** By the index in the batch that was to be written. */
  readonly failed: ReadonlyMap<number, Error>;
  constructor(failed: ReadonlyMap<number, Error>) {
    const [first] = failed.values();
    super(first?.message ?? 'failed to write');
    this.failed = failed;
  }
}

/** What a component reads from or writes to is not there. The engine tries again after a pause, without end. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}
