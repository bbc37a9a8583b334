import type { WorkInTurns } from '../src/requests/turns.ts';

/** Does work in one turn, however long it is. */
export function atOnce<Result>(work: WorkInTurns<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
