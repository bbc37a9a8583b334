import type { Clock } from '@weir/core';
import { leaveMsMax, within } from './start-and-stop.ts';

/** The time that an agent has to stop. There is none before `set`: an agent that fails to start stops at once. */
export class StopDeadline {
  readonly #clock: Clock;
  #endMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(deadlineMs: number): void {
    this.#endMs = this.#clock.monotonicMs() + deadlineMs;
  }

  leftMs(): number {
    return Math.max(0, this.#endMs - this.#clock.monotonicMs());
  }

  /** Waits for a part of the stop while time is left. */
  within(part: Promise<void>): Promise<void> {
    return within(this.#clock, this.leftMs(), part);
  }

  /** Waits for a part that others may delay, and not until the deadline, which is meant for clients. */
  briefly(part: Promise<void>): Promise<void> {
    return within(this.#clock, Math.min(this.leftMs(), leaveMsMax), part);
  }
}
