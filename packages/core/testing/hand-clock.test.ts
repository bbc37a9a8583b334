import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HandClock } from './hand-clock.ts';

/** The two ways to advance time, which differ only in whether promises settle on the way. */
const ways: Record<string, (clock: HandClock, byMs: number) => unknown> = {
  advance: (clock, byMs) => clock.advance(byMs),
  pass: (clock, byMs) => clock.pass(byMs),
};

/** A clock, and a log of which timer ran when. */
function stage() {
  const clock = new HandClock();
  const ran: string[] = [];
  const note = (name: string) => ran.push(`${name} at ${clock.monotonicMs()}`);
  return { clock, ran, note, set: (name: string, delayMs: number) => clock.after(delayMs, () => note(name)) };
}

test('time stands still until it is moved', () => {
  const clock = new HandClock(5_000);
  assert.deepEqual([clock.nowMs(), clock.monotonicMs()], [5_000, 0]);
  clock.advance(0);
  assert.deepEqual([clock.nowMs(), clock.monotonicMs()], [5_000, 0]);
  clock.advance(1_500);
  assert.deepEqual([clock.nowMs(), clock.monotonicMs()], [6_500, 1_500]);
});

for (const [way, move] of Object.entries(ways)) {
  test(`${way}: timers run once, when they are due, the earlier one first`, async () => {
    const { clock, ran, set } = stage();
    set('late', 30);
    set('early', 10);
    set('too late', 41);
    await move(clock, 9);
    assert.deepEqual(ran, []);
    await move(clock, 1);
    assert.deepEqual(ran, ['early at 10']);
    await move(clock, 30);
    assert.deepEqual(ran, ['early at 10', 'late at 30']);
    assert.deepEqual([clock.monotonicMs(), clock.waiting], [40, 1]);
  });

  test(`${way}: timers of one moment run in the order in which they were set`, async () => {
    const { clock, ran, set } = stage();
    set('first', 10);
    set('second', 10);
    await move(clock, 4);
    set('third', 6);
    set('before them', 5);
    await move(clock, 6);
    assert.deepEqual(ran, ['before them at 9', 'first at 10', 'second at 10', 'third at 10']);
  });

  test(`${way}: a timer that sets timers gets them run on the same way`, async () => {
    const { clock, ran, note, set } = stage();
    clock.after(10, () => {
      note('outer');
      set('at once', 0);
      set('inner', 10);
      set('beyond', 100);
    });
    set('same moment', 10);
    set('between', 15);
    await move(clock, 50);
    assert.deepEqual(ran, [
      'outer at 10',
      'same moment at 10',
      'at once at 10',
      'between at 15',
      'inner at 20',
    ]);
    assert.deepEqual([clock.monotonicMs(), clock.waiting], [50, 1]);
  });

  test(`${way}: a timer that goes on setting itself stops at the end`, async () => {
    const { clock, ran, note } = stage();
    const tick = () => {
      note('tick');
      clock.after(10, tick);
    };
    clock.after(10, tick);
    await move(clock, 35);
    assert.deepEqual(ran, ['tick at 10', 'tick at 20', 'tick at 30']);
  });

  test(`${way}: what is cancelled does not run, and is not waited for`, async () => {
    const { clock, ran, note, set } = stage();
    const cancelEarly = set('early', 5);
    const cancelLate = set('late', 10);
    clock.after(10, () => {
      note('canceller');
      cancelVictim();
    });
    const cancelVictim = set('victim of the same moment', 10);
    cancelLate();
    assert.equal(clock.waiting, 3);
    await move(clock, 20);
    assert.deepEqual(ran, ['early at 5', 'canceller at 10']);
    assert.equal(clock.waiting, 0);
    // Cancelling twice or too late does not affect other timers.
    set('other', 5);
    for (const cancel of [cancelEarly, cancelLate, cancelVictim]) cancel();
    await move(clock, 5);
    assert.deepEqual(ran.slice(2), ['other at 25']);
  });

  test(`${way}: a delay that is over already is no delay`, async () => {
    const { clock, ran, set } = stage();
    await move(clock, 100);
    set('overdue', -50);
    await move(clock, 0);
    assert.deepEqual(ran, ['overdue at 100']);
  });

  test(`${way}: a timer that moves time itself does not turn it back`, async () => {
    const { clock, ran, note, set } = stage();
    clock.after(10, () => {
      note('outer');
      clock.advance(100);
      note('outer again');
    });
    set('inner', 50);
    await move(clock, 20);
    assert.deepEqual(ran, ['outer at 10', 'inner at 50', 'outer again at 110']);
    assert.equal(clock.monotonicMs(), 110);
  });

  test(`${way}: an error of a timer is thrown to the caller that moves time, and the others still wait`, async () => {
    const { clock, ran, set } = stage();
    clock.after(10, () => {
      throw new Error('broken');
    });
    set('other', 20);
    await assert.rejects(async () => move(clock, 30), /broken/);
    assert.deepEqual([clock.monotonicMs(), clock.waiting], [10, 1]);
    await move(clock, 10);
    assert.deepEqual(ran, ['other at 20']);
  });
}

/** Waits three times in sequence. */
async function threeWaits(clock: HandClock, delayMs: number): Promise<string> {
  for (let wait = 0; wait < 3; wait++) await new Promise<void>((resolve) => clock.after(delayMs, resolve));
  return 'done';
}

test('advance leaves promises for later, pass lets them settle after each timer', async () => {
  const hasty = new HandClock();
  const late = threeWaits(hasty, 10);
  hasty.advance(30);
  assert.equal(hasty.waiting, 0, 'the second wait has not begun');
  assert.equal(await hasty.until(late), 'done');
  assert.equal(hasty.monotonicMs(), 50);

  const patient = new HandClock();
  let result: string | undefined;
  void threeWaits(patient, 10).then((value) => {
    result = value;
  });
  await patient.pass(30);
  assert.equal(result, 'done');
});

test('pass stops early when its condition holds, and returns true', async () => {
  const { clock, ran, set } = stage();
  for (const ms of [10, 20, 30]) set('timer', ms);
  assert.equal(await clock.pass(100, () => ran.length === 2), true);
  assert.deepEqual([clock.monotonicMs(), clock.waiting], [20, 1]);
  assert.equal(await clock.pass(100, () => ran.length === 9), false);
  assert.deepEqual([clock.monotonicMs(), clock.waiting], [120, 0]);
  assert.equal(await clock.pass(100, () => true), true);
  assert.equal(clock.monotonicMs(), 120, 'a condition that already holds takes no time');
});

test('until takes just the time that the promise needs', async () => {
  const { clock, ran, set } = stage();
  set('on the way', 25);
  set('beyond', 31);
  assert.equal(await clock.until(threeWaits(clock, 10)), 'done');
  assert.deepEqual(ran, ['on the way at 25']);
  assert.deepEqual([clock.monotonicMs(), clock.waiting], [30, 1]);
  assert.equal(await clock.until(Promise.resolve('at once')), 'at once');
  await assert.rejects(clock.until(Promise.reject(new Error('refused'))), /refused/);
  assert.equal(clock.monotonicMs(), 30);
});

test('until gives up when there is nothing left to wait for, or no end of it', async () => {
  const never = new Promise<void>(() => {});
  await assert.rejects(new HandClock().until(never), /does not settle/);
  const clock = new HandClock();
  const tick = () => void clock.after(1, tick);
  tick();
  await assert.rejects(clock.until(never), /does not settle/);
});

/** What a timer does when it runs: sets the timers of its list, and cancels the timer with that number, if any. */
interface Plan {
  readonly delayMs: number;
  readonly cancels: number | undefined;
  readonly sets: readonly Plan[];
}

type Step =
  | { readonly kind: 'set'; readonly plan: Plan }
  | { readonly kind: 'cancel'; readonly number: number }
  | { readonly kind: 'move'; readonly byMs: number };

// Few times and few numbers, so that they often coincide.
const anyDelayMs = fc.integer({ min: -1, max: 6 });
const anyNumber = fc.nat({ max: 12 });
function anyPlan(depth: number): fc.Arbitrary<Plan> {
  return fc.record({
    delayMs: anyDelayMs,
    cancels: fc.option(anyNumber, { nil: undefined }),
    sets: depth === 0 ? fc.constant([]) : fc.array(anyPlan(depth - 1), { maxLength: 2 }),
  });
}
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), plan: anyPlan(3) }),
  fc.record({ kind: fc.constant('cancel' as const), number: anyNumber }),
  fc.record({ kind: fc.constant('move' as const), byMs: fc.nat({ max: 8 }) }),
);

/**
 * The specification of the clock: of all due timers the earliest runs next, and of those with the same time the one
 * that was set first.
 */
class Model {
  ms = 0;
  ran: string[] = [];
  timers: { readonly number: number; readonly dueMs: number; readonly plan: Plan }[] = [];
  #count = 0;

  set(plan: Plan): void {
    this.timers.push({ number: this.#count++, dueMs: this.ms + Math.max(0, plan.delayMs), plan });
  }

  cancel(number: number): void {
    this.timers = this.timers.filter((timer) => timer.number !== number);
  }

  move(byMs: number): void {
    const endMs = this.ms + byMs;
    for (;;) {
      const [next] = this.timers
        .filter(({ dueMs }) => dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs || a.number - b.number);
      if (next === undefined) break;
      this.cancel(next.number);
      this.ms = next.dueMs;
      this.ran.push(`${next.number} at ${this.ms}`);
      if (next.plan.cancels !== undefined) this.cancel(next.plan.cancels);
      for (const plan of next.plan.sets) this.set(plan);
    }
    this.ms = endMs;
  }
}

/** The real clock with the same operations as the model. */
class Real {
  readonly clock = new HandClock();
  readonly ran: string[] = [];
  readonly #cancels: (() => void)[] = [];

  set(plan: Plan): void {
    const number = this.#cancels.length;
    const cancel = this.clock.after(plan.delayMs, () => {
      this.ran.push(`${number} at ${this.clock.monotonicMs()}`);
      if (plan.cancels !== undefined) this.cancel(plan.cancels);
      for (const next of plan.sets) this.set(next);
    });
    this.#cancels.push(cancel);
  }

  cancel(number: number): void {
    this.#cancels[number]?.();
  }
}

for (const [way, move] of Object.entries(ways)) {
  test(`${way}: whatever is set, cancelled and moved, it runs as the model says`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), async (steps) => {
        const model = new Model();
        const real = new Real();
        for (const step of steps) {
          if (step.kind === 'move') {
            model.move(step.byMs);
            await move(real.clock, step.byMs);
          } else if (step.kind === 'cancel') {
            model.cancel(step.number);
            real.cancel(step.number);
          } else {
            model.set(step.plan);
            real.set(step.plan);
          }
          assert.deepEqual(real.ran, model.ran);
          assert.equal(real.clock.monotonicMs(), model.ms);
          assert.equal(real.clock.waiting, model.timers.length);
        }
      }),
    );
  });
}
