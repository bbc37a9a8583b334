import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type BreakerEvent,
  type BreakerPolicy,
  type BreakerState,
  type BreakerStateName,
  initialBreakerState,
  stepBreaker,
} from './breaker-state.ts';

const policy: BreakerPolicy = { failuresMax: 3, openMs: 100, probesMax: 2 };

const closed = { name: 'closed', generation: 4, failuresInRow: 2 } as const;
const open = { name: 'open', generation: 5, untilMs: 1000 } as const;
const halfOpen = { name: 'halfOpen', generation: 6, probesUnderWay: 1, successes: 1, probedMs: 450 } as const;

/** Every state with every event; the compiler rejects a missing cell. */
const table: Record<BreakerStateName, Record<BreakerEvent, BreakerState>> = {
  closed: {
    asked: closed,
    succeeded: { ...closed, failuresInRow: 0 },
    failed: { name: 'open', generation: 5, untilMs: 600 },
    cancelled: closed,
  },
  open: { asked: open, succeeded: open, failed: open, cancelled: open },
  halfOpen: {
    asked: halfOpen,
    succeeded: { name: 'closed', generation: 7, failuresInRow: 0 },
    failed: { name: 'open', generation: 7, untilMs: 600 },
    cancelled: { ...halfOpen, probesUnderWay: 0 },
  },
};

for (const [name, row] of Object.entries(table)) {
  for (const [event, expected] of Object.entries(row)) {
    test(`${name} and ${event}`, () => {
      const state = { closed, open, halfOpen }[name as BreakerStateName];
      assert.deepEqual(stepBreaker(state, event as BreakerEvent, 500, policy).state, expected);
    });
  }
}

test('permits everything when closed, nothing when open, and single calls when half open', () => {
  assert.equal(stepBreaker(closed, 'asked', 500, policy).isPermitted, true);
  assert.equal(stepBreaker(open, 'asked', 999, policy).isPermitted, false);
  assert.deepEqual(stepBreaker(open, 'asked', 1000, policy), {
    state: { name: 'halfOpen', generation: 6, probesUnderWay: 1, successes: 0, probedMs: 1000 },
    isPermitted: true,
  });
  assert.equal(stepBreaker(halfOpen, 'asked', 500, policy).isPermitted, false);
});

test('half open, probes without an answer do not keep others from the store for long', () => {
  let state: BreakerState = open;
  const permittedAt = (nowMs: number) => {
    const next = stepBreaker(state, 'asked', nowMs, policy);
    state = next.state;
    return next.isPermitted;
  };
  const permitted = [1000, 1010, 1020, 1109, 1110, 1111, 1210].map(permittedAt);
  assert.deepEqual(permitted, [true, true, false, false, true, false, true]);
  // The store is back, and answers the last ones.
  for (let left = policy.probesMax; left > 0; left--)
    state = stepBreaker(state, 'succeeded', 1220, policy).state;
  assert.equal(state.name, 'closed');
});

test('the result of a call from before the last state change is ignored', () => {
  for (const state of [closed, open, halfOpen]) {
    for (const event of ['succeeded', 'failed', 'cancelled'] as const) {
      assert.equal(stepBreaker(state, event, 500, policy, state.generation - 1).state, state);
    }
  }
});

test('from any state, a healthy store is let through in the end', () => {
  const events = fc.constantFrom<BreakerEvent>('asked', 'succeeded', 'failed', 'cancelled');
  fc.assert(
    fc.property(fc.array(fc.tuple(events, fc.nat(50))), (history) => {
      let state = initialBreakerState;
      let nowMs = 0;
      const underWay: number[] = [];
      function step(event: BreakerEvent): void {
        const generation = event === 'asked' ? undefined : underWay.shift();
        if (event !== 'asked' && generation === undefined) return;
        const next = stepBreaker(state, event, nowMs, policy, generation);
        state = next.state;
        if (next.isPermitted === true) underWay.push(state.generation);
      }
      let halfOpenMs = 0;
      for (const [event, waitMs] of history) {
        nowMs += waitMs;
        const before = state.name;
        step(event);
        if (state.name !== 'halfOpen') continue;
        if (before !== 'halfOpen') halfOpenMs = nowMs;
        const late = Math.floor((nowMs - halfOpenMs) / policy.openMs);
        assert.ok(state.probesUnderWay >= 0);
        assert.ok(state.probesUnderWay + state.successes <= policy.probesMax + late);
      }
      while (underWay.length > 0) step('cancelled');
      nowMs += policy.openMs;
      for (let i = 0; i < policy.probesMax; i++) {
        step('asked');
        step('succeeded');
      }
      assert.equal(state.name, 'closed');
    }),
  );
});
