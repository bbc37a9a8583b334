import { type Clock, type Metrics, MiB, type Series } from '@weir/core';
import { executionRow, p99Row, speculativeRetryRow, whileStuck } from '../decorators/hedge.ts';
import { LatencyWindow } from '../decorators/latency-window.ts';
import { linkedAbort } from '../store/abort.ts';
import { contentBytes } from '../store/content.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** One object to store. Its key was never used. */
export interface Upload {
  readonly key: string;
  readonly content: readonly Uint8Array[];
}

interface HedgedUploadsOptions {
  /** With its retries: a hedge is for slow requests, not for failed ones. */
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /**
   * Called for every key that was sent to the store and is not the one that `put` returned. The store may have its
   * object, or may still get it.
   */
  readonly onDead: (key: string) => void;
}

interface UploadOptions {
  readonly signal: AbortSignal;
  /**
   * Whether clients wait for nothing but this upload, and saved requests by sharing it: two more begin almost at once,
   * whatever the budget.
   */
  readonly isUrgent?: boolean;
}

/** Past this share of recent uploads a second one begins. */
const hedgedShare = 0.85;

/** Hedges per upload, and how many may be saved up: a store that is slow as a whole gets no more requests from them. */
export const hedgesPerUpload = 0.15;
export const savedHedgesMax = 8;

/** Bounds of the delay. The upper one also holds while there are too few samples. */
export const hedgeDelayMsMin = 20;
export const hedgeDelayMsMax = 1_000;

/**
 * An urgent upload gets two more, so far apart. Where the last urgent ones took longer than `slowUrgentMs`, the first
 * of them does not wait; a fast store needs no second request even then.
 */
export const urgentDelayMs = 10;
const slowUrgentMs = 2 * urgentDelayMs;
/** Weight of a new urgent upload in the moving average. */
const newUrgentPart = 1 / 8;

/** Strictly above the percentile: if all latencies are equal, all of them are at it. */
const pastMs = 1;

/**
 * Larger uploads take longer, so each class has a percentile of its own, once it has enough samples. Upper bounds in
 * bytes.
 */
const sizeClasses: readonly number[] = [2 * MiB, 8 * MiB, Number.POSITIVE_INFINITY];

/**
 * Uploads of which a slow one is sent a second time, under another key: the first that is stored counts, and the other
 * is never read. Another key, and not the same one twice, because a store places keys on different servers, and because
 * the late request of a race must not touch an object that was read, or deleted, in the meantime.
 *
 * A store that hung leaves requests behind that it never answers. So an upload that may be stuck is joined by a fresh
 * one now and then, whatever the budget, which is stored soon after the store is back. The first one stays too, since
 * the store, or the way to it, may just be slow.
 */
export class HedgedUploads {
  readonly #options: HedgedUploadsOptions;
  readonly #all = new LatencyWindow(hedgedShare);
  readonly #windows = sizeClasses.map(() => new LatencyWindow(hedgedShare));
  readonly #executions: Series;
  readonly #delay: Series;
  readonly #won: Series;
  readonly #lost: Series;
  #savedHedges = savedHedgesMax;
  /** Moving average of what urgent uploads take, 0 if unknown. */
  #urgentMs = 0;

  constructor(options: HedgedUploadsOptions) {
    this.#options = options;
    const { metrics } = options;
    const operation = 'put';
    this.#executions = metrics.series(executionRow, { operation });
    this.#delay = metrics.series(p99Row, { operation });
    this.#won = metrics.series(speculativeRetryRow, { operation, outcome: 'won' });
    this.#lost = metrics.series(speculativeRetryRow, { operation, outcome: 'lost' });
  }

  /**
   * Returns the upload that was stored, of the first one and, if that is slow, others that the function makes. Throws
   * the first error if all fail. Once the promise settles, no content is used any more.
   */
  async put(
    first: Upload,
    another: () => Upload,
    { signal, isUrgent = false }: UploadOptions,
  ): Promise<Upload> {
    const { clock } = this.#options;
    const bytes = contentBytes(first.content);
    const window = this.#windows[sizeClasses.findIndex((max) => bytes <= max)]!;
    this.#executions.add(1);
    this.#savedHedges = Math.min(savedHedgesMax, this.#savedHedges + hedgesPerUpload);
    const startMs = clock.monotonicMs();
    const race = new Race(this.#options, signal);
    race.enter(first);
    const delaysMs = isUrgent ? this.#urgentDelaysMs() : [this.#delayMs(window) + pastMs];
    const cancelHedges = delaysMs.map((delayMs) =>
      clock.after(delayMs, () => {
        if (signal.aborted || (!isUrgent && this.#savedHedges < 1)) return;
        if (!isUrgent) this.#savedHedges--;
        race.enter(another());
      }),
    );
    const cancelFresh = whileStuck(clock, () => {
      if (!signal.aborted) race.enterFresh(another);
    });
    try {
      const winner = await race.result;
      // A first upload that lost took longer than the delay, and so does this sample.
      const tookMs = clock.monotonicMs() - startMs;
      // That of several uploads from the beginning says little about one.
      if (isUrgent) {
        this.#urgentMs += (tookMs - this.#urgentMs) * (this.#urgentMs === 0 ? 1 : newUrgentPart);
      } else {
        this.#all.add(tookMs);
        window.add(tookMs);
      }
      if (race.entered > 1) (winner === first ? this.#lost : this.#won).add(1);
      return winner;
    } finally {
      for (const cancel of cancelHedges) cancel();
      cancelFresh();
    }
  }

  #urgentDelaysMs(): readonly number[] {
    const firstMs = this.#urgentMs > slowUrgentMs ? 0 : urgentDelayMs;
    return [firstMs, firstMs + urgentDelayMs];
  }

  #delayMs(window: LatencyWindow): number {
    const usualMs = window.percentileMs ?? this.#all.percentileMs ?? hedgeDelayMsMax;
    const delayMs = Math.min(hedgeDelayMsMax, Math.max(hedgeDelayMsMin, usualMs));
    this.#delay.set(delayMs);
    return delayMs;
  }
}

interface Entry {
  readonly upload: Upload;
  readonly abort: (reason: unknown) => void;
}

/** Some uploads of the same content. It ends when every one has let go of its content. */
class Race {
  readonly result: Promise<Upload>;
  readonly #options: HedgedUploadsOptions;
  readonly #signal: AbortSignal;
  readonly #entries: Entry[] = [];
  readonly #resolve: (winner: Upload) => void;
  readonly #reject: (error: unknown) => void;
  #winner: Upload | undefined;
  #hasFirstFailed = false;
  #firstError: unknown;
  #settled = 0;

  constructor(options: HedgedUploadsOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const { promise, resolve, reject } = Promise.withResolvers<Upload>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get entered(): number {
    return this.#entries.length;
  }

  /** Replaces all uploads but the first by another one; or ends them, if the first has failed. */
  enterFresh(another: () => Upload): void {
    if (this.#winner !== undefined) return;
    const stuck = this.#entries.slice(1);
    if (!this.#hasFirstFailed) this.enter(another());
    for (const { abort } of stuck) abort(new Error('another upload began in its place'));
  }

  enter(upload: Upload): void {
    if (this.#winner !== undefined) return;
    const { abort, release, signal } = linkedAbort(this.#signal);
    this.#entries.push({ upload, abort });
    this.#options.store
      .put(upload.key, upload.content, { signal, isNewKey: true })
      .then(
        () => this.#stored(upload),
        (error: unknown) => {
          // That another one began in its place says nothing about the store.
          if (!signal.aborted || this.#signal.aborted) this.#firstError ??= error;
          this.#hasFirstFailed ||= upload === this.#entries[0]!.upload;
        },
      )
      .finally(() => {
        release();
        this.#settled++;
        if (this.#settled === this.#entries.length) this.#end();
      });
  }

  #stored(upload: Upload): void {
    if (this.#winner !== undefined) return;
    this.#winner = upload;
    for (const entry of this.#entries) {
      if (entry.upload !== upload) entry.abort(new Error('the other upload was stored first'));
    }
  }

  #end(): void {
    for (const { upload } of this.#entries) if (upload !== this.#winner) this.#options.onDead(upload.key);
    if (this.#winner !== undefined) this.#resolve(this.#winner);
    else this.#reject(this.#firstError);
  }
}
