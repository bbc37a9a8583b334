import { type Clock, nextTurn } from '@weir/core';

/** Runs the steps of a plan, with other work in between. */
export async function allSteps<Plan>(steps: Generator<void, Plan>, clock: Clock): Promise<Plan> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await nextTurn(clock);
  }
}
