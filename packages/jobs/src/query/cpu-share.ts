import type { Clock } from '@weir/core';

interface CpuShareOptions {
  readonly clock: Clock;
  /**
   * The part of a processor that the work may take, from 0 to 1. Evaluated each time, so that a busy agent can lower
   * it.
   */
  readonly share: () => number;
}

/** How far work may be ahead of its share, which bounds how long it holds the thread. */
const aheadMsMax = 5;

/**
 * Runs background work in the thread that also serves clients: pieces of some milliseconds, with pauses between them
 * that keep the total within a share of the processor. A client request waits for one piece at most.
 */
export class CpuShare {
  readonly #clock: Clock;
  readonly #share: () => number;
  /** When the finished work would be finished if it had taken only its share. */
  #doneMs = 0;

  constructor({ clock, share }: CpuShareOptions) {
    this.#clock = clock;
    this.#share = share;
  }

  async run<Result>(work: () => Result): Promise<Result> {
    for (;;) {
      const aheadMs = this.#doneMs - this.#clock.monotonicMs();
      if (aheadMs <= aheadMsMax) break;
      await new Promise<void>((resolve) => this.#clock.after(aheadMs, resolve));
    }
    const startMs = this.#clock.monotonicMs();
    try {
      return work();
    } finally {
      const spentMs = this.#clock.monotonicMs() - startMs;
      this.#doneMs = Math.max(this.#doneMs, startMs) + spentMs / this.#share();
    }
  }
}
