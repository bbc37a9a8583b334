import type { Clock, MetricRow, Metrics, Series } from '@weir/core';
import { type LinkedAbort, linkedAbort } from '../store/abort.ts';
import { type Around, aroundStore, type StoreCall, type StoreOperation } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { LatencyWindow } from './latency-window.ts';

export const executionRow = {
  name: 'fast_retrier_execution',
  kind: 'counter',
  help: 'Calls of the object store that may be sent a second time',
  labels: ['operation'],
} as const satisfies MetricRow;

export const p99Row = {
  name: 'fast_retrier_p99_ms',
  kind: 'gauge',
  help: 'Latency beyond which a call of the object store is sent a second time',
  labels: ['operation'],
} as const satisfies MetricRow;

export const speculativeRetryRow = {
  name: 'fast_retrier_speculative_retry',
  kind: 'counter',
  help: 'Calls of the object store that were sent a second time, by which of the two responses came first',
  labels: ['operation', 'outcome'],
} as const satisfies MetricRow;

interface HedgeOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** No hedge is sent before this, however fast the store is. */
  readonly delayMsMin: number;
}

/**
 * Hedges may be at most this share of all calls, plus a small burst: when every call is slow, the store is overloaded
 * already, and doubling the load would not help.
 */
const hedgesPerCall = 0.05;
const sparedHedgesMax = 8;

/**
 * A request that takes this long may be stuck: a store that hung never answers it, even once it answers others. Then
 * one more begins, and another one each time that this passes.
 */
export const stuckMs = 2_000;

/** Calls `run` each time that a request may be stuck. Returns a function that ends it. */
export function whileStuck(clock: Clock, run: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = clock.after(stuckMs, () => {
      next();
      run();
    });
  };
  next();
  return () => cancel();
}

/** Strictly above the limit: if all latencies are equal, all of them are at the limit. */
const pastMs = 1;

/**
 * Reading twice is harmless. Uploads of log files are hedged under a second key, which their caller has to choose: see
 * `hedged-uploads.ts`. Other puts have no client that waits.
 */
const hedgedOperations = ['getRange', 'head'] as const satisfies StoreOperation[];
type HedgedOperation = (typeof hedgedOperations)[number];

interface Tracked {
  readonly window: LatencyWindow;
  readonly executions: Series;
  readonly p99: Series;
  /** The second request answered first. */
  readonly won: Series;
  readonly lost: Series;
}

/**
 * Sends a second request when a call takes longer than the 99th percentile. The first answer wins, the other is
 * aborted.
 *
 * Beyond `stuckMs` there is always a request that began lately, whatever the share, so that a call ends soon after a
 * store that hung is back. The first one stays too, since the store may just be slow.
 */
export function withHedge(inner: ObjectStore, { clock, metrics, delayMsMin }: HedgeOptions): ObjectStore {
  const tracked = Object.fromEntries(
    hedgedOperations.map((operation) => [operation, track(metrics, operation)]),
  ) as Record<HedgedOperation, Tracked>;
  let sparedHedges = sparedHedgesMax;

  const around: Around = async (call) => {
    if (!isHedged(call.operation)) return await call.run(call.signal);
    const { window, executions, p99, won, lost } = tracked[call.operation];
    executions.add(1);
    sparedHedges = Math.min(sparedHedgesMax, sparedHedges + hedgesPerCall);
    const startMs = clock.monotonicMs();
    const race = new Race(call);
    race.enter();
    const cancel =
      window.percentileMs === undefined
        ? () => {}
        : clock.after(Math.max(delayMsMin, window.percentileMs) + pastMs, () => {
            if (sparedHedges < 1) return;
            sparedHedges--;
            race.enter();
          });
    const cancelFresh = whileStuck(clock, () => race.enterFresh());
    try {
      const result = await race.result;
      window.add(clock.monotonicMs() - startMs);
      if (window.percentileMs !== undefined) p99.set(window.percentileMs);
      if (race.entered > 1) (race.winner === 0 ? lost : won).add(1);
      return result;
    } finally {
      cancel();
      cancelFresh();
    }
  };
  return aroundStore(inner, around);
}

/** One call, run by one request or a few. */
class Race<Result> {
  readonly result: Promise<Result>;
  entered = 0;
  winner: number | undefined;
  readonly #call: StoreCall<Result>;
  readonly #aborts: LinkedAbort[] = [];
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  #firstError: unknown;
  #failed = 0;
  #hasFirstFailed = false;

  constructor(call: StoreCall<Result>) {
    this.#call = call;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  enter(): void {
    const number = this.entered++;
    const abort = linkedAbort(this.#call.signal);
    this.#aborts.push(abort);
    void this.#call
      .run(abort.signal)
      .then(
        (result) => this.#answered(number, result),
        (error: unknown) => this.#refused(number, error, abort.signal.aborted),
      )
      .finally(() => abort.release());
  }

  /** Replaces all requests but the first by another one; or ends them, if the first has failed. */
  enterFresh(): void {
    const stuck = this.#aborts.slice(1);
    if (!this.#hasFirstFailed) this.enter();
    for (const abort of stuck) abort.abort(new Error('another request began in its place'));
  }

  #answered(number: number, result: Result): void {
    if (this.winner !== undefined) return;
    this.winner = number;
    for (const [index, abort] of this.#aborts.entries()) {
      if (index !== number) abort.abort(new Error('the other request answered first'));
    }
    this.#resolve(result);
  }

  #refused(number: number, error: unknown, isAborted: boolean): void {
    this.#failed++;
    this.#hasFirstFailed ||= number === 0;
    // That another one began in its place says nothing about the store.
    if (!isAborted || this.#call.signal?.aborted === true) this.#firstError ??= error;
    if (this.winner === undefined && this.#failed === this.entered) this.#reject(this.#firstError);
  }
}

function isHedged(operation: StoreOperation): operation is HedgedOperation {
  return (hedgedOperations as readonly StoreOperation[]).includes(operation);
}

function track(metrics: Metrics, operation: HedgedOperation): Tracked {
  return {
    window: new LatencyWindow(0.99),
    executions: metrics.series(executionRow, { operation }),
    p99: metrics.series(p99Row, { operation }),
    won: metrics.series(speculativeRetryRow, { operation, outcome: 'won' }),
    lost: metrics.series(speculativeRetryRow, { operation, outcome: 'lost' }),
  };
}
