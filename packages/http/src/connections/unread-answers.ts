import type { Clock } from '@weir/core';

/** A response whose peer may leave bytes of it unread. */
export interface WatchedResponse {
  readonly writableLength: number;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export interface UnreadLimits {
  /** How long a peer may leave bytes unread. */
  readonly msMax: number;
  /** The limit on unread bytes of all peers. */
  readonly bytesMax: number;
}

interface UnreadAnswersOptions {
  readonly limits: UnreadLimits;
  readonly clock: Clock;
  /** Called for each connection that is ended. */
  readonly onCut: (reason: 'slow' | 'memory') => void;
}

const checkIntervalMs = 1_000;

/**
 * Ends connections whose peers send requests and do not read: after a timeout each, and the longest waiting ones first
 * when all of them together exceed the limit. Reading a byte now and then does not help: unread bytes must drain
 * completely within the time.
 */
export class UnreadAnswers {
  readonly #options: UnreadAnswersOptions;
  /** Open answers, and since when each has had unread bytes. */
  readonly #open = new Map<WatchedResponse, number | undefined>();
  #isScheduled = false;

  constructor(options: UnreadAnswersOptions) {
    this.#options = options;
  }

  watch(response: WatchedResponse): void {
    this.#open.set(response, undefined);
    response.once('close', () => this.#open.delete(response));
    this.#checkLater();
  }

  #checkLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.clock.after(checkIntervalMs, () => {
      this.#isScheduled = false;
      this.#check();
      if (this.#open.size > 0) this.#checkLater();
    });
  }

  #check(): void {
    const { limits, clock, onCut } = this.#options;
    const nowMs = clock.monotonicMs();
    const unread: {
      readonly response: WatchedResponse;
      readonly sinceMs: number;
      readonly bytes: number;
    }[] = [];
    for (const [response, knownMs] of this.#open) {
      const bytes = response.writableLength;
      const sinceMs = bytes === 0 ? undefined : (knownMs ?? nowMs);
      this.#open.set(response, sinceMs);
      if (sinceMs !== undefined) unread.push({ response, sinceMs, bytes });
    }
    let bytesLeft = unread.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { response, sinceMs, bytes } of unread.sort((one, other) => one.sinceMs - other.sinceMs)) {
      const isSlow = nowMs - sinceMs >= limits.msMax;
      if (!isSlow && bytesLeft <= limits.bytesMax) return;
      bytesLeft -= bytes;
      onCut(isSlow ? 'slow' : 'memory');
      response.destroy();
    }
  }
}
