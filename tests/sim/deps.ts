import type { Clock, Log, Metrics, Random } from '@weir/core';
import type { HandClock } from '@weir/core/testing';
import type { Tally } from './tally.ts';

export const clusterId = 'vci_sim';

/** Dependencies of clients, for a simulated cluster or a real one. */
export interface ClientDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly tally: Tally;
  /** Reports a violated invariant. */
  problem(error: unknown): void;
  /** Logs an event for the analysis of a failure. */
  note(text: string): void;
}

/** Dependencies shared by everything in one simulated world. */
export interface Deps extends ClientDeps {
  readonly clock: HandClock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly faults: SharedFaults;
}

/** Current faults of shared resources. */
export interface SharedFaults {
  /** Maximum latency of a message. */
  delayMsMax: number;
  /** Probability that a journal call fails before it takes effect, and after. */
  journalRefuses: number;
  journalLosesAnswer: number;
  /** The region that nothing enters or leaves, or whether that is so for each; the database is in the first one. */
  cutRegion: Region | 'each' | undefined;
}

/** Where a process is. A world without several regions has one. */
export type Region = 0 | 1 | 2;

/** Whether what one process sends to another is lost. */
export function isLost({ faults }: Deps, from: Region, to: Region): boolean {
  const { cutRegion } = faults;
  return from !== to && (cutRegion === 'each' || cutRegion === from || cutRegion === to);
}

/** Where the database is. */
export const databaseRegion: Region = 0;

export const wellFaults: Readonly<SharedFaults> = {
  delayMsMax: 8,
  journalRefuses: 0,
  journalLosesAnswer: 0,
  cutRegion: undefined,
};

/** Draws the latency of a message. Fractions keep two messages from arriving at the same time. */
export function delayMs({ random, faults }: Deps): number {
  return random.next() * faults.delayMsMax;
}
