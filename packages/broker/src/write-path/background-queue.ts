import { type Clock, MiB } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import type { PendingAppend } from './pending-append.ts';

/** How long the first background append after an idle time waits for a file of clients. */
export const backgroundWaitMs = 1_500;
/** Minimum interval between files for background appends alone, unless enough bytes wait. */
export const backgroundIntervalMs = 5_000;
/** With this many uncompressed bytes, background appends get a file at once. */
const worthwhileBytes = 4 * MiB;

/**
 * Appends that no client waits for. A store request costs as much as the bytes of a large file, so these appends join
 * the next file that closes for clients, and get a file of their own only after a while without one.
 */
export class BackgroundQueue {
  readonly #clock: Clock;
  readonly #onDue: () => boolean;
  #appends: PendingAppend[] = [];
  #bytes = 0;
  #uncompressedBytes = 0;
  #lastOwnFileMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;
  #isAbandoned = false;

  /** `onDue` opens a file and returns whether one is open now. If there is no room, the queue calls it again later. */
  constructor(clock: Clock, onDue: () => boolean) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get length(): number {
    return this.#appends.length;
  }

  /** Returns whether there is room for the append. There is none once the queue was abandoned. */
  push(append: PendingAppend): boolean {
    if (this.#isAbandoned) return false;
    if (this.#bytes + append.bytes > brokerLimits.backgroundBytesMax) return false;
    this.#appends.push(append);
    this.#bytes += append.bytes;
    this.#uncompressedBytes += append.uncompressedBytes;
    const nowMs = this.#clock.monotonicMs();
    const isWorthwhile = this.#uncompressedBytes >= worthwhileBytes;
    this.#wakeAt(
      isWorthwhile ? nowMs : Math.max(nowMs + backgroundWaitMs, this.#lastOwnFileMs + backgroundIntervalMs),
    );
    return true;
  }

  /** Removes the first append, which opens a file of its own. */
  shift(): PendingAppend | undefined {
    return this.#take(1)[0];
  }

  /** Removes the appends that fit into a file with room for `batchesMax` batches. */
  board(batchesMax: number): readonly PendingAppend[] {
    let batches = 0;
    const count = this.#appends.findIndex((append) => {
      batches += append.batches.length;
      return batches > batchesMax;
    });
    return this.#take(count === -1 ? this.#appends.length : count);
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#sleep();
  }

  #take(count: number): PendingAppend[] {
    const taken = this.#appends.splice(0, count);
    for (const { bytes, uncompressedBytes } of taken) {
      this.#bytes -= bytes;
      this.#uncompressedBytes -= uncompressedBytes;
    }
    if (this.#appends.length === 0) this.#sleep();
    return taken;
  }

  #wakeAt(dueMs: number): void {
    if (dueMs >= this.#dueMs) return;
    this.#sleep();
    this.#dueMs = dueMs;
    const nowMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.after(Math.max(0, dueMs - nowMs), () => this.#wake());
  }

  #wake(): void {
    this.#sleep();
    const nowMs = this.#clock.monotonicMs();
    if (this.#onDue()) this.#lastOwnFileMs = nowMs;
    // The remaining appends join the file that is open now, or the queue calls `onDue` again later.
    if (this.#appends.length > 0) this.#wakeAt(nowMs + backgroundWaitMs);
  }

  #sleep(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }
}
