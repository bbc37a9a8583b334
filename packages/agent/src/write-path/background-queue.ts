import { type Clock, MiB } from '@weir/core';
import { agentLimits } from '../limits.ts';
import type { PendingAppend } from './pending-append.ts';

/** How long the first that comes after a silence waits for a file of others. */
export const backgroundWaitMs = 1_500;
/** How often at most there is a file for nothing else, unless it is worth its price. */
export const backgroundIntervalMs = 5_000;
/** So much before compression is worth a file at any time. */
const worthwhileBytes = 4 * MiB;

/**
 * What waits to ride along with a file that is written for clients. A request to the store costs as much as the bytes of a large file, so that what
 * nobody waits for shares one: it boards whatever is closed next, and is the reason for a file only after a while without any.
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

  /** `onDue` sees to it that a file is opened, and says whether there is one now; if there is no room, it is asked again. */
  constructor(clock: Clock, onDue: () => boolean) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get length(): number {
    return this.#appends.length;
  }

  /** Says whether there is room for it. */
  push(append: PendingAppend): boolean {
    if (this.#bytes + append.bytes > agentLimits.backgroundBytesMax) return false;
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

  /** The first of them, which is to have a file opened for it. */
  shift(): PendingAppend | undefined {
    return this.#take(1)[0];
  }

  /** Those that a file takes along which has room for so many batches. */
  board(batchesMax: number): readonly PendingAppend[] {
    let batches = 0;
    const count = this.#appends.findIndex((append) => {
      batches += append.batches.length;
      return batches > batchesMax;
    });
    return this.#take(count === -1 ? this.#appends.length : count);
  }

  abandon(): void {
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
    // Whatever is still here rides along with the file that is open now, or is asked about again.
    if (this.#appends.length > 0) this.#wakeAt(nowMs + backgroundWaitMs);
  }

  #sleep(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }
}
