import { type Clock, MemoryCounter } from '@weir/core';

/** Bytes that one answer may take up until it is counted where it waits to be sent. */
export interface AnswerRoom {
  readonly bytes: number;
  /** Call it once, when the answer is counted or given up. */
  release(): void;
}

interface Waiter {
  readonly wantedBytes: number;
  readonly take: (room: AnswerRoom | undefined) => void;
}

/** Less than this is no use to a consumer, which would have to come back for every batch. */
const roomBytesMin = 1024 * 1024;

/** One answer gets so much of what is left, so that a few greedy consumers leave something to the others. */
const shareOfFree = 1 / 4;

/**
 * Counts the bytes of answers of all connections: those that are being put together and those that wait to be sent. They are
 * views of pages, which no limit of the cache covers once the cache has dropped them.
 *
 * When it is full, connections begin no further request, and fetches that are to be read wait for room, first come first served
 * and not for ever. Answers that are under way are finished, so that it can be exceeded by what each of them needs for one batch.
 */
export class AnswerMemory extends MemoryCounter {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(bytesMax: number, clock: Clock, onChange: (bytes: number) => void = () => {}) {
    super(bytesMax, (bytes, byBytes) => {
      onChange(bytes);
      if (byBytes < 0) this.#grantAsked();
    });
    this.#clock = clock;
  }

  /**
   * Room for an answer that would like to have `wantedBytes`; it may get less. `undefined` when there was none within
   * `waitMs`, or when the client has gone.
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

  #grantAsked(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoomFor(waiter.wantedBytes)) return;
      waiter.take(this.#grant(waiter.wantedBytes));
    }
  }
}
