import { KiB } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { defaultLimits, type MachineLimits } from '../../../packages/machine/src/machine-limits.ts';
import type { Timing } from '../../../packages/metadata/src/leader/timing.ts';

export const clusterId = 'vci_life';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The simulated time with traffic, and the time after it in which jobs finish what they have. */
export const busyMs = 30 * dayMs;
export const quietMs = 3 * dayMs;

/**
 * How many times faster calendars run than timers. A leader polls its lease, its agents and its jobs every second or
 * so, and a month of that would take minutes; retention, graces and the ages of files are measured by the calendar.
 */
const calendarSpeed = 300;

/** Converts a time by the calendar to the time of timers. */
export function timerMs(calendarMs: number): number {
  return calendarMs / calendarSpeed;
}

/** The clock of a simulation, whose calendar runs faster than its timers. */
export class FastCalendar extends HandClock {
  readonly #startMs = 1_700_000_000_000;

  override nowMs(): number {
    return this.#startMs + Math.floor(this.monotonicMs() * calendarSpeed);
  }
}

/** By the calendar. Longer than the interval of backups, as in reality (ADR 0038). */
export const graceMs = 3 * hourMs;
export const scanIntervalMs = 4 * hourMs;
export const softDeleteTtlMs = 2 * dayMs;
/** `orphanAgeMsMin` of the leader. */
export const orphanAgeMs = 6 * hourMs;

/** How far the calendars of processes are off. Agents may be an hour behind (ADR 0035). */
export const agentSkewMsMax = 20 * minuteMs;
export const leaderSkewMsMax = 4 * minuteMs;

/** Small, so that files reach high levels, and every limit is met within a month of little traffic. */
export const lifeLimits: MachineLimits = {
  ...defaultLimits,
  compactionFanIn: 4,
  compactionWaitMs: 90 * minuteMs,
  compactedFileBytesMax: 12 * KiB,
  compactionPointersMax: 96,
  compactionJobsPerPlanMax: 4,
  compactionRowsPerStep: 40,
  retentionPartitionsPerCallMax: 4,
  retentionPointersPerCallMax: 24,
  pointersPerAnswerMax: 24,
  recentFilesMax: 64,
  // Of the calendar, and longer than a failover takes.
  recentRequestMsMax: 6 * hourMs,
};

export const keyLimits = {
  fileBytesMax: 12 * KiB,
  pointerBytesMax: KiB,
  readBytesMax: 64 * KiB,
  mapBytesMax: 4 * KiB,
};
export const mergeLimits = { fileBytesMax: 12 * KiB, pointerBytesMax: KiB, readBytesMax: 64 * KiB };

/** Of timers. */
export const leaderTiming: Partial<Timing> = {
  leaseTtlMs: 6_000,
  leaseRenewalMs: 2_000,
  standbyPollMs: 2_000,
  standbyPauseMs: 1_000,
  purgeIntervalMs: 3_000,
  transactionSweepMs: 2_000,
  retentionIntervalMs: 6_000,
  agentSweepMs: 2_000,
  loginNoteMs: 600_000,
};
export const backupIntervalMs = 2_000;
export const heartbeatIntervalMs = 4_000;
