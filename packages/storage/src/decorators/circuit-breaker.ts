import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { type Around, aroundStore } from '../store/around.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import {
  type BreakerEvent,
  type BreakerPolicy,
  type BreakerState,
  breakerStateNames,
  initialBreakerState,
  stepBreaker,
} from './breaker-state.ts';

export const stateSetRow = {
  name: 'circuit_breaker_state_set',
  kind: 'gauge',
  help: 'The state of a circuit breaker: 1 for the one it is in',
  labels: ['name', 'state'],
} as const satisfies MetricRow;

export const stateCountRow = {
  name: 'circuit_breaker_count',
  kind: 'counter',
  help: 'How often a circuit breaker entered a state',
  labels: ['name', 'state'],
} as const satisfies MetricRow;

export const permitRow = {
  name: 'circuit_breaker_permit',
  kind: 'counter',
  help: 'Calls that asked a circuit breaker, by whether they were let through',
  labels: ['name', 'outcome'],
} as const satisfies MetricRow;

export const hitsRow = {
  name: 'circuit_breaker_hits',
  kind: 'counter',
  help: 'Calls through a circuit breaker, by what they show about the store',
  labels: ['name', 'outcome'],
} as const satisfies MetricRow;

interface CircuitBreakerOptions {
  /** Names the breaker in metrics and log. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly policy: BreakerPolicy;
  /** Receives the view of the breaker before the function returns. */
  readonly onView?: ((view: BreakerView) => void) | undefined;
}

/** What a store of several buckets may know of the breaker of one. */
export interface BreakerView {
  /** Whether a call would be refused now. One that would be let through to probe the store is not. */
  isRefusing(): boolean;
  /** Calls `run` whenever the breaker opens. Returns a function that removes it. */
  onOpen(run: () => void): () => void;
}

/** What an error says about the store. A store that rejects, throttles or is full is alive, and can be read. */
const eventOfKind: Readonly<Record<StoreErrorKind, 'succeeded' | 'failed'>> = {
  notFound: 'succeeded',
  bucketMissing: 'succeeded',
  denied: 'succeeded',
  throttled: 'succeeded',
  full: 'succeeded',
  invalid: 'succeeded',
  unavailable: 'failed',
  timeout: 'failed',
};

/** Stops calling a store that does not answer, so that calls fail at once instead of piling up. */
export function withCircuitBreaker(inner: ObjectStore, options: CircuitBreakerOptions): ObjectStore {
  const { name, clock, log, metrics, policy } = options;
  let state: BreakerState = initialBreakerState;
  const permitted = metrics.series(permitRow, { name, outcome: 'permitted' });
  const refused = metrics.series(permitRow, { name, outcome: 'refused' });
  const hits = {
    succeeded: metrics.series(hitsRow, { name, outcome: 'success' }),
    failed: metrics.series(hitsRow, { name, outcome: 'failure' }),
    cancelled: metrics.series(hitsRow, { name, outcome: 'cancelled' }),
  };
  const stateSet = breakerStateNames.map(
    (state) => [state, metrics.series(stateSetRow, { name, state })] as const,
  );
  const openListeners = new Set<() => void>();
  showState();
  options.onView?.({
    isRefusing: () => stepBreaker(state, 'asked', clock.monotonicMs(), policy).isPermitted !== true,
    onOpen(run) {
      openListeners.add(run);
      return () => openListeners.delete(run);
    },
  });

  function showState(): void {
    for (const [one, series] of stateSet) series.set(one === state.name ? 1 : 0);
  }

  function step(event: BreakerEvent, generation?: number): boolean {
    const next = stepBreaker(state, event, clock.monotonicMs(), policy, generation);
    if (next.state.name !== state.name) {
      log.warn('changed state of object store circuit breaker', {
        name,
        from: state.name,
        to: next.state.name,
      });
      metrics.series(stateCountRow, { name, state: next.state.name }).add(1);
    }
    const isOther = next.state.name !== state.name;
    state = next.state;
    if (isOther) showState();
    if (isOther && state.name === 'open') for (const run of [...openListeners]) run();
    return next.isPermitted === true;
  }

  const around: Around = async ({ operation, key, signal, run }) => {
    if (!step('asked')) {
      refused.add(1);
      throw new StoreError('unavailable', key, `${operation} was not sent: ${name} does not respond`);
    }
    permitted.add(1);
    const { generation } = state;
    function record(event: 'succeeded' | 'failed' | 'cancelled'): void {
      hits[event].add(1);
      step(event, generation);
    }
    try {
      const result = await run(signal);
      record('succeeded');
      return result;
    } catch (error) {
      record(error instanceof StoreError ? eventOfKind[error.kind] : 'cancelled');
      throw error;
    }
  };
  return aroundStore(inner, around);
}
