import type { Clock } from '@weir/core';

interface CpuShareOptions {
  readonly clock: Clock;
  /** The part of a processor that the work may take, from 0 to 1. Asked each time, so that a busy agent can lower it. */
  readonly share: () => number;
}

/** How far work may be ahead of its share: so long it may hold the thread, and no longer. */
const aheadMsMax = 5;

/**
 * Work that can wait, in the thread that also serves clients: pieces of some milliseconds, with pauses between them that keep all of it within a
 * share of the processor. Whoever produces or fetches waits for one piece at most.
 */
export class CpuShare {
  readonly #clock: Clock;
  readonly #share: () => number;
  /** When the work that was done would be done if it had taken its share only. */
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
