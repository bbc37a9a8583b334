import type { Clock } from '@weir/core';
import { LatencyWindow } from '@weir/storage';

/** How much of the time a merge may work: 1 is always, 1/4 a quarter of it. */
interface MergeShare {
  /** Asked about twice a second. */
  share(): number;
  /** Called when the merge has ended. */
  end(): void;
}

/** Requests beside merges may be slower than this share of those without, as often as `noticedShare` says. */
const slowShare = 0.99;
const slowerFactor = 1.2;
const noticedShare = 0.02;

/** The share is decided after so many requests, or after so much time: few requests say little. */
const samplesPerStep = 50;
const stepMsMax = 2_000;

/** The share with which a merge begins, and how it changes: clients that notice the merge halve it. */
const firstShare = 1 / 4;
const growth = 1.25;
const cut = 1 / 2;

/** What a merge gets in any case. It doubles in each of these spans, so that no plan expires because of clients. */
export const leastShare = 1 / 8;
export const spanMs = 5 * 60_000;

/** After a merge, requests may still wait for what it left to the disk. */
const restMs = 1_000;

/**
 * Lets merges yield to clients: compares the times of Produce requests beside merges with those without, and halves the
 * time in which merges may work while clients notice them. Without requests merges work all of the time.
 */
export class MergePace {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Times of requests without a merge, or beside one that works as little as it may. */
  readonly #alone = new LatencyWindow(slowShare);
  #running = 0;
  #endedMs = Number.NEGATIVE_INFINITY;
  #share = 1;
  #stepMs = 0;
  #samples: number[] = [];

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Called for each Produce request that was written. */
  written(latencyMs: number): void {
    if (this.#running > 0) {
      if (this.#samples.length < samplesPerStep) this.#samples.push(latencyMs);
    } else if (this.#clock.monotonicMs() >= this.#endedMs + restMs) {
      this.#alone.add(latencyMs);
    }
  }

  /** Called when a merge begins. Merges that run at the same time have the same share. */
  begin(): MergeShare {
    const beganMs = this.#clock.monotonicMs();
    if (this.#running++ === 0) {
      this.#share = this.#alone.percentileMs === undefined ? 1 : firstShare;
      this.#nextStep(beganMs);
    }
    return {
      share: () => {
        const nowMs = this.#clock.monotonicMs();
        const least = Math.min(1, leastShare * 2 ** Math.floor((nowMs - beganMs) / spanMs));
        this.#step(nowMs, least);
        return Math.max(least, this.#share);
      },
      end: () => {
        this.#running--;
        this.#endedMs = this.#clock.monotonicMs();
      },
    };
  }

  #step(nowMs: number, least: number): void {
    const aloneMs = this.#alone.percentileMs;
    if (this.#samples.length < samplesPerStep && nowMs < this.#stepMs + stepMsMax) return;
    const slowerMs = aloneMs === undefined ? Number.POSITIVE_INFINITY : aloneMs * slowerFactor;
    const slower = this.#samples.filter((latencyMs) => latencyMs > slowerMs).length;
    // One slow request of a few may be due to anything.
    const isNoticed = slower > Math.max(1, this.#samples.length * noticedShare);
    if (!isNoticed) this.#share = Math.min(1, this.#share * growth);
    else if (this.#share > least) this.#share = Math.max(least, this.#share * cut);
    // Less is not possible, so that this is what clients have to expect by now, whatever makes them slow.
    else for (const latencyMs of this.#samples) this.#alone.add(latencyMs);
    this.#nextStep(nowMs);
  }

  #nextStep(nowMs: number): void {
    this.#samples = [];
    this.#stepMs = nowMs;
  }
}
