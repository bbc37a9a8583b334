import type { Entity, Severity } from './check.ts';

/**
 * `unknown`: nothing to judge by yet. `healthy`: nothing found, and nothing before either. `failed`: found in enough
 * looks in a row. `recovered`: it failed before, and enough looks found nothing.
 */
const diagnosticStatuses = ['unknown', 'healthy', 'failed', 'recovered'] as const;
type DiagnosticStatus = (typeof diagnosticStatuses)[number];

/** What is known of one check of one cluster. It is all that a process needs to go on where another one left off. */
export interface DiagnosticRecord {
  readonly clusterId: string;
  /** The name of the check, which is the id of the diagnostic within its cluster. */
  readonly name: string;
  readonly status: DiagnosticStatus;
  /** The worst of what was found; `null` when nothing was. */
  readonly severity: Severity | null;
  /** What the last look found that found something, the worst first; as many as are kept. */
  readonly findings: readonly StoredFinding[];
  /** Of all, those that are not kept included. */
  readonly findingCount: number;
  /** Looks in a row that speak for another status than the present one. */
  readonly looksAgainst: number;
  /** Since when there are no stats, and which; `null` when there are. */
  readonly noData: { readonly sinceMs: number; readonly missing: string } | null;
  /** When it began to fail; kept until it fails again. */
  readonly failedMs: number | null;
  readonly recoveredMs: number | null;
  readonly mute: Mute | null;
  /** When anything in this record changed. */
  readonly changedMs: number;
  /** How many transitions there were, and so the number of the next. */
  readonly transitionCount: number;
}

export interface StoredFinding {
  readonly entity: Entity;
  readonly message: string;
  readonly severity: Severity;
  readonly sinceMs: number;
}

export interface Mute {
  /** Who asked for it. */
  readonly by: string;
  readonly atMs: number;
  /** `null` for until it is unmuted. */
  readonly untilMs: number | null;
  readonly reason: string;
}

const transitionKinds = ['failed', 'recovered', 'muted', 'unmuted'] as const;
export type TransitionKind = (typeof transitionKinds)[number];

/** A change that people are told of, unless it is silent. */
export interface Transition {
  readonly clusterId: string;
  readonly name: string;
  /** Counted up from 0 within the diagnostic. */
  readonly number: number;
  readonly kind: TransitionKind;
  readonly atMs: number;
  /** Who did it; `null` for what happened by itself. */
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

/**
 * In one word, as lists show it. A diagnostic that is muted shows so only while there is something to be silent about.
 */
type ShownStatus = DiagnosticStatus | 'muted';

export function shownStatus({ status, mute }: Pick<DiagnosticRecord, 'status' | 'mute'>): ShownStatus {
  return status === 'failed' && mute !== null ? 'muted' : status;
}
