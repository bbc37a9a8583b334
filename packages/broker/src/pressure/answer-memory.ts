import { type Clock, MemoryCounter } from '@weir/core';

/** Bytes reserved for one answer until it is counted in the queue of its connection. */
export interface AnswerRoom {
  readonly bytes: number;
  /** Must be called once, when the answer is counted or given up. */
  release(): void;
}

interface Waiter {
  readonly wantedBytes: number;
  readonly take: (room: AnswerRoom | undefined) => void;
}

/** A consumer gains nothing from less, since it would have to return for every batch. */
const roomBytesMin = 1024 * 1024;

/** Share of the free memory for one answer, so that a few greedy consumers leave something to the others. */
const shareOfFree = 1 / 4;

/**
 * Counts the bytes of answers of all connections: those being built and those that wait to be sent. They are views of
 * pages, which the cache limit does not cover once the cache has evicted them.
 *
 * While it is full, connections begin no further request, and fetches that have to read wait for room, in order of
 * arrival and with a time limit. Answers in progress are finished, so the limit may be exceeded by one batch for each
 * of them.
 */
export class AnswerMemory extends MemoryCounter {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(bytesMax: number, clock: Clock, onChange: (bytes: number) => void = () => {}) {
    super(bytesMax, (bytes, byBytes) => {
      onChange(bytes);
      if (byBytes < 0) this.#grantWaiting();
    });
    this.#clock = clock;
  }

  /**
   * Reserves room for an answer that wants `wantedBytes`; it may get less. Resolves to `undefined` if there was no room
   * within `waitMs`, or if the client has disconnected.
   */
  async room(
    wantedBytes: number,
    { waitMs, closed }: { readonly waitMs: number; readonly closed: AbortSignal },
  ): Promise<AnswerRoom | undefined> {
    if (this.#waiters.size === 0 && this.#hasRoomFor(wantedBytes)) return this.#grant(wantedBytes);
    if (closed.aborted) return undefined;
    return new Promise((resolve) => {
      const end = () => waiter.take(undefined);
      const cancel = this.#clock.after(waitMs, end);
      closed.addEventListener('abort', end, { once: true });
      const waiter: Waiter = {
        wantedBytes,
        take: (room) => {
          cancel();
          closed.removeEventListener('abort', end);
          this.#waiters.delete(waiter);
          resolve(room);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  #hasRoomFor(wantedBytes: number): boolean {
    return this.bytesMax - this.bytes >= Math.min(wantedBytes, roomBytesMin);
  }

  #grant(wantedBytes: number): AnswerRoom {
    const freeBytes = this.bytesMax - this.bytes;
    const bytes = Math.min(wantedBytes, Math.max(Math.floor(freeBytes * shareOfFree), roomBytesMin));
    this.change(bytes);
    return { bytes, release: () => this.change(-bytes) };
  }

  #grantWaiting(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoomFor(waiter.wantedBytes)) return;
      waiter.take(this.#grant(waiter.wantedBytes));
    }
  }
}
