/**
 * The circuit breaker as a state machine.
 *
 *            failuresMax in a row                after openMs
 *   closed ───────────────────────► open ───────────────────────► halfOpen
 *     ▲                              ▲                              │  │
 *     │                              └──────── one failure ─────────┘  │
 *     └──────────────────────── probesMax successes ───────────────────┘
 *
 * Half open, at most `probesMax` calls are let through at a time, and one more whenever none was for `openMs`.
 *
 * Results carry the generation of their permit: the result of a call that started before the last change of state is
 * ignored.
 */
export const breakerStateNames = ['closed', 'open', 'halfOpen'] as const;
export type BreakerStateName = (typeof breakerStateNames)[number];

interface Common {
  /** Increases with every change of state. */
  readonly generation: number;
}

interface Closed extends Common {
  readonly name: 'closed';
  readonly failuresInRow: number;
}

export interface Open extends Common {
  readonly name: 'open';
  readonly untilMs: number;
}

/** Lets single calls through to probe whether the store is back. */
interface HalfOpen extends Common {
  readonly name: 'halfOpen';
  readonly probesUnderWay: number;
  readonly successes: number;
  /** When the last one began. */
  readonly probedMs: number;
}

export type BreakerState = Closed | Open | HalfOpen;

/** `cancelled` is a call that ended without information about the store. */
export type BreakerEvent = 'asked' | 'succeeded' | 'failed' | 'cancelled';

export interface BreakerPolicy {
  readonly failuresMax: number;
  readonly openMs: number;
  readonly probesMax: number;
}

interface BreakerStep {
  readonly state: BreakerState;
  /** Whether the call may proceed. */
  readonly isPermitted?: boolean;
}

export const initialBreakerState: BreakerState = { name: 'closed', generation: 0, failuresInRow: 0 };

type Transition<State> = (state: State, nowMs: number, policy: BreakerPolicy) => BreakerStep;
type StateNamed<Name> = Extract<BreakerState, { readonly name: Name }>;

const transitions: {
  readonly [Name in BreakerStateName]: Readonly<Record<BreakerEvent, Transition<StateNamed<Name>>>>;
} = {
  closed: {
    asked: (state) => ({ state, isPermitted: true }),
    succeeded: (state) => ({ state: state.failuresInRow === 0 ? state : { ...state, failuresInRow: 0 } }),
    failed: (state, nowMs, policy) => {
      const failuresInRow = state.failuresInRow + 1;
      return failuresInRow < policy.failuresMax
        ? { state: { ...state, failuresInRow } }
        : { state: opened(state, nowMs, policy) };
    },
    cancelled: (state) => ({ state }),
  },
  open: {
    asked: (state, nowMs) =>
      nowMs < state.untilMs
        ? { state, isPermitted: false }
        : {
            state: {
              name: 'halfOpen',
              generation: state.generation + 1,
              probesUnderWay: 1,
              successes: 0,
              probedMs: nowMs,
            },
            isPermitted: true,
          },
    succeeded: (state) => ({ state }),
    failed: (state) => ({ state }),
    cancelled: (state) => ({ state }),
  },
  halfOpen: {
    // A store that hung never answers some of the probes, even once it is back.
    asked: (state, nowMs, policy) =>
      state.probesUnderWay + state.successes < policy.probesMax || nowMs - state.probedMs >= policy.openMs
        ? {
            state: { ...state, probesUnderWay: state.probesUnderWay + 1, probedMs: nowMs },
            isPermitted: true,
          }
        : { state, isPermitted: false },
    succeeded: (state, _nowMs, policy) => {
      const successes = state.successes + 1;
      return successes < policy.probesMax
        ? { state: { ...state, successes, probesUnderWay: state.probesUnderWay - 1 } }
        : { state: { name: 'closed', generation: state.generation + 1, failuresInRow: 0 } };
    },
    failed: (state, nowMs, policy) => ({ state: opened(state, nowMs, policy) }),
    cancelled: (state) => ({ state: { ...state, probesUnderWay: state.probesUnderWay - 1 } }),
  },
};

function opened(state: BreakerState, nowMs: number, policy: BreakerPolicy): Open {
  return { name: 'open', generation: state.generation + 1, untilMs: nowMs + policy.openMs };
}

/** `generation` is that of the permit, for events that are the result of a call. */
export function stepBreaker(
  state: BreakerState,
  event: BreakerEvent,
  nowMs: number,
  policy: BreakerPolicy,
  generation = state.generation,
): BreakerStep {
  if (event !== 'asked' && generation !== state.generation) return { state };
  switch (state.name) {
    case 'closed':
      return transitions.closed[event](state, nowMs, policy);
    case 'open':
      return transitions.open[event](state, nowMs, policy);
    case 'halfOpen':
      return transitions.halfOpen[event](state, nowMs, policy);
  }
}
