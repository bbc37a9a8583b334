import type { Clock, Log, Metrics, Random } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import type { Tally } from './tally.ts';

export const clusterId = 'vci_sim';

/** What clients need, whether their cluster is simulated or not. */
export interface ClientDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly tally: Tally;
  /** A promise was broken. */
  problem(error: unknown): void;
  /** Notes an event for whoever has to find out what happened. */
  note(text: string): void;
}

/** What everything in one simulated world shares. */
export interface Deps extends ClientDeps {
  readonly clock: HandClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly faults: SharedFaults;
}

/** What is wrong just now with things that all processes share. */
export interface SharedFaults {
  /** The longest time that a message is on its way. */
  delayMsMax: number;
  /** The chance of each journal call to fail before it took effect, and after. */
  journalRefuses: number;
  journalLosesAnswer: number;
}

export const wellFaults: Readonly<SharedFaults> = {
  delayMsMax: 8,
  journalRefuses: 0,
  journalLosesAnswer: 0,
};

/** How long one message is on its way. Fractions keep two of them from arriving at the very same time. */
export function delayMs({ random, faults }: Deps): number {
  return random.next() * faults.delayMsMax;
}
