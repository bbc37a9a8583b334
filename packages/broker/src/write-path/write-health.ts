import type { Clock } from '@weir/core';
import { StoreError } from '@weir/storage';

/** Writes that fail for so long, without one that succeeds, make an agent unready. Retries end before. */
export const failingMsMax = 10_000;
/** An upload that takes longer is stuck, if none has succeeded since it began. */
export const stuckMsMax = 20_000;

/** An upload that is under way. Exactly one of its functions is called, when it ends. */
interface WatchedUpload {
  succeeded(): void;
  failed(error: unknown): void;
  /** It was aborted, because no client waits for it any more. */
  abandoned(): void;
}

interface Failing {
  readonly sinceMs: number;
  readonly problem: string;
  readonly byteCount: number;
  /** Whether the bucket has no space. */
  readonly isFull: boolean;
}

/** Whether an agent can write to its bucket, from the outcome of its uploads. */
export class WriteHealth {
  readonly #clock: Clock;
  /** When each running upload began, in this order. */
  readonly #running = new Map<symbol, number>();
  #succeededMs = Number.NEGATIVE_INFINITY;
  #failing: Failing | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called when an upload begins. */
  began(byteCount: number): WatchedUpload {
    const id = Symbol('upload');
    const beganMs = this.#clock.monotonicMs();
    this.#running.set(id, beganMs);
    const failed = (problem: string, isFull = false) => {
      const sinceMs = this.#failing?.sinceMs ?? Math.max(beganMs, this.#succeededMs);
      this.#failing = { sinceMs, problem, byteCount, isFull };
    };
    return {
      succeeded: () => {
        this.#running.delete(id);
        this.#succeededMs = this.#clock.monotonicMs();
        this.#failing = undefined;
      },
      failed: (error) => {
        this.#running.delete(id);
        if (error instanceof StoreError) failed(error.problem, error.kind === 'full');
        else failed(String(error));
      },
      abandoned: () => {
        this.#running.delete(id);
        // Clients with a short timeout say nothing about the store.
        const tookMs = this.#clock.monotonicMs() - Math.max(beganMs, this.#succeededMs);
        if (tookMs >= stuckMsMax) failed(`upload took longer than ${seconds(tookMs)}`);
      },
    };
  }

  /** The size of the last upload that failed, if writes fail and no upload is running that would show more. */
  get bytesToProbe(): number | undefined {
    return this.#running.size > 0 ? undefined : this.#failing?.byteCount;
  }

  /** Whether the last write failed because the bucket has no space. */
  get isFull(): boolean {
    return this.#failing?.isFull === true;
  }

  /** Why the agent cannot write, in one line, if it cannot. */
  problem(): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (this.#failing !== undefined) {
      const { sinceMs, problem } = this.#failing;
      if (nowMs - sinceMs >= failingMsMax)
        return `writes to the bucket have failed for ${seconds(nowMs - sinceMs)}: ${problem}`;
    }
    for (const beganMs of this.#running.values()) {
      const stuckMs = nowMs - Math.max(beganMs, this.#succeededMs);
      return stuckMs < stuckMsMax
        ? undefined
        : `a write to the bucket has been stuck for ${seconds(stuckMs)}, and no other write succeeded`;
    }
    return undefined;
  }
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}
