import type { Entity, Severity } from './check.ts';

/**
 * `unknown`: no data yet. `healthy`: nothing found so far. `failed`: found in enough consecutive runs. `recovered`: it
 * failed before, and enough runs found nothing.
 */
const diagnosticStatuses = ['unknown', 'healthy', 'failed', 'recovered'] as const;
type DiagnosticStatus = (typeof diagnosticStatuses)[number];

/** The state of one check of one cluster: all that a process needs to continue where another one stopped. */
export interface DiagnosticRecord {
  readonly clusterId: string;
  /** The name of the check, which is the id of the diagnostic within its cluster. */
  readonly name: string;
  readonly status: DiagnosticStatus;
  /** The worst severity of the findings; `null` if there are none. */
  readonly severity: Severity | null;
  /** The findings of the last run that had any, the worst first, up to the stored maximum. */
  readonly findings: readonly StoredFinding[];
  /** The number of all findings, including those that are not stored. */
  readonly findingCount: number;
  /** Consecutive runs that contradict the current status. */
  readonly looksAgainst: number;
  /** Since when stats are missing, and which; `null` if there are all. */
  readonly noData: { readonly sinceMs: number; readonly missing: string } | null;
  /** When it began to fail; retained until it fails again. */
  readonly failedMs: number | null;
  readonly recoveredMs: number | null;
  readonly mute: Mute | null;
  /** When anything in this record changed. */
  readonly changedMs: number;
  /** The number of transitions, which is also the number of the next. */
  readonly transitionCount: number;
}

export interface StoredFinding {
  readonly entity: Entity;
  readonly message: string;
  readonly severity: Severity;
  readonly sinceMs: number;
}

export interface Mute {
  /** Who requested it. */
  readonly by: string;
  readonly atMs: number;
  /** `null` for an unlimited mute. */
  readonly untilMs: number | null;
  readonly reason: string;
}

const transitionKinds = ['failed', 'recovered', 'muted', 'unmuted'] as const;
export type TransitionKind = (typeof transitionKinds)[number];

/** A change that is published, unless it is silent. */
export interface Transition {
  readonly clusterId: string;
  readonly name: string;
  /** Counts from 0 within the diagnostic. */
  readonly number: number;
  readonly kind: TransitionKind;
  readonly atMs: number;
  /** The user who caused it; `null` if none did. */
  readonly by: string | null;
  readonly severity: Severity | null;
  readonly message: string;
  /** It failed or recovered while it was muted: recorded, without a notification. */
  readonly isSilent: boolean;
}

export function newRecord(clusterId: string, name: string, atMs: number): DiagnosticRecord {
  return {
    clusterId,
    name,
    status: 'unknown',
    severity: null,
    findings: [],
    findingCount: 0,
    looksAgainst: 0,
    noData: null,
    failedMs: null,
    recoveredMs: null,
    mute: null,
    changedMs: atMs,
    transitionCount: 0,
  };
}

/** The status in lists. A muted diagnostic is shown as muted only while it has something to mute. */
type ShownStatus = DiagnosticStatus | 'muted';

export function shownStatus({ status, mute }: Pick<DiagnosticRecord, 'status' | 'mute'>): ShownStatus {
  return status === 'failed' && mute !== null ? 'muted' : status;
}
