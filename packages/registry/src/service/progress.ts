import type { Clock } from '@weir/core';
import { WorkPending } from '../schema-work/schema-work.ts';

/** How long decisions hold the serving thread in one turn of the event loop, before other requests have theirs. */
const turnMsMax = 5;

/** The time of the serving thread that all long decisions of a registry share. */
export class ServingTime {
  readonly #clock: Clock;
  #turn: { readonly beganMs: number; readonly end: Promise<void> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  /** Whether other requests should have their turn. */
  isOver(): boolean {
    return this.nowMs() - this.#current().beganMs >= turnMsMax;
  }

  /** Resolves after other requests have had their turn. */
  nextTurn(): Promise<void> {
    return this.#current().end;
  }

  /** The turn begins with the first question about it, and ends when a timer gets its turn. */
  #current() {
    this.#turn ??= {
      beganMs: this.nowMs(),
      end: new Promise((resolve) => {
        this.#clock.after(0, () => {
          this.#turn = undefined;
          resolve();
        });
      }),
    };
    return this.#turn;
  }
}

/**
 * How far a decision has come that does many steps. It begins anew whenever it lets other requests have their turn, or
 * waits for work; steps that are remembered are not done again.
 */
export class Progress {
  readonly #time: ServingTime;
  readonly #remembered = new Set<string>();
  /** Steps that the attempt before this one did until it let others have their turn. */
  #stepsBefore = 0;
  #isPaused = false;
  #steps = 0;
  #beganMs = 0;
  #newSinceMs = 0;

  constructor(time: ServingTime) {
    this.#time = time;
  }

  /** Called when the decision begins, or begins anew. */
  begin(): void {
    this.#stepsBefore = this.#isPaused ? this.#steps : 0;
    this.#isPaused = false;
    this.#steps = 0;
    this.#beganMs = this.#time.nowMs();
    this.#newSinceMs = this.#beganMs;
  }

  isDone(step: string): boolean {
    if (!this.#remembered.has(step)) return false;
    this.#steps++;
    return true;
  }

  /**
   * Ends a step. One whose result may change with the state has no name and is not remembered. Throws `WorkPending` if
   * others should have their turn and the decision has come farther than before: new steps get at least as much time as
   * those that had to be repeated.
   */
  endStep(step: string | undefined): void {
    if (step !== undefined) this.#remembered.add(step);
    this.#steps++;
    if (this.#steps <= this.#stepsBefore) {
      this.#newSinceMs = this.#time.nowMs();
      return;
    }
    if (!this.#time.isOver()) return;
    if (this.#time.nowMs() - this.#newSinceMs < this.#newSinceMs - this.#beganMs) return;
    this.#isPaused = true;
    throw new WorkPending(this.#time.nextTurn());
  }
}

/** Filters a long list over as many turns as it takes. */
export async function filterInTurns<Element>(
  elements: Iterable<Element>,
  isWanted: (element: Element) => boolean,
  time: ServingTime,
): Promise<Element[]> {
  const found: Element[] = [];
  for (const element of elements) {
    if (isWanted(element)) found.push(element);
    if (time.isOver()) await time.nextTurn();
  }
  return found;
}
