import { isDeepStrictEqual } from 'node:util';
import { type CheckDescription, type CheckResult, isNoData } from './check.ts';
import { storedFindings } from './findings.ts';
import { duration } from './number-texts.ts';
import type { DiagnosticRecord, Mute, Transition, TransitionKind } from './record.ts';

/**
 * The transitions of a diagnostic. Pure: previous record and event in; next record and notifications out.
 *
 *     unknown ──nothing found──▶ healthy ──found, N runs in a row───▶ failed
 *        ▲                          ▲                                  │  ▲
 *        │                      (at first)     nothing found, M runs   │  │ found, N runs
 *        │                                                             ▼  │
 *        └───────────────── no stats for half an hour ───────────── recovered
 *
 * Muting is orthogonal and only suppresses notifications: a muted diagnostic still fails and recovers, silently.
 */
export type DiagnosticEvent =
  | { readonly kind: 'looked'; readonly atMs: number; readonly result: CheckResult }
  | { readonly kind: 'mute'; readonly mute: Mute }
  | { readonly kind: 'unmute'; readonly atMs: number; readonly by: string };

export interface Step {
  /** The same object if nothing changed. */
  readonly record: DiagnosticRecord;
  readonly transitions: readonly Transition[];
}

/** Without stats for this long, the previous status is too old to report. */
export const noDataMsMax = 30 * 60_000;

export function step(check: CheckDescription, before: DiagnosticRecord, event: DiagnosticEvent): Step {
  switch (event.kind) {
    case 'looked': {
      const expired = withoutExpiredMute(before, event.atMs);
      const observed = isNoData(event.result)
        ? withoutData(expired.record, event.result.missing, event.atMs)
        : withFindings(check, expired.record, event.result, event.atMs);
      return settled(before, event.atMs, observed.record, [...expired.transitions, ...observed.transitions]);
    }
    case 'mute':
      return muted(before, event.mute);
    case 'unmute': {
      if (before.mute === null) return { record: before, transitions: [] };
      const { atMs, by } = event;
      const { record, transitions } = transitioned(
        { ...before, mute: null },
        'unmuted',
        atMs,
        'Unmuted.',
        by,
      );
      return settled(before, atMs, record, transitions);
    }
  }
}

function withFindings(
  check: CheckDescription,
  before: DiagnosticRecord,
  result: Exclude<CheckResult, { missing: string }>,
  atMs: number,
): Step {
  const { failAfterRuns, recoverAfterRuns } = check.damping;
  const isFailed = before.status === 'failed';
  const hasFindings = result.length > 0;
  // The last findings stay visible while a failed diagnostic is about to recover.
  const found = hasFindings || !isFailed ? storedFindings(check, before, result, atMs) : {};
  const record = { ...before, ...found, noData: null };
  if (hasFindings === isFailed) {
    const status = before.status === 'unknown' ? 'healthy' : before.status;
    return { record: { ...record, status, looksAgainst: 0 }, transitions: [] };
  }
  const looksAgainst = before.looksAgainst + 1;
  if (looksAgainst < (isFailed ? recoverAfterRuns : failAfterRuns)) {
    return { record: { ...record, looksAgainst }, transitions: [] };
  }
  if (isFailed) return recovered(record, atMs, 'Recovered: no findings.');
  const failed = { ...record, status: 'failed' as const, looksAgainst: 0, failedMs: atMs };
  return transitioned(failed, 'failed', atMs, failed.findings[0]!.message);
}

function withoutData(before: DiagnosticRecord, missing: string, atMs: number): Step {
  const noData = { sinceMs: before.noData?.sinceMs ?? atMs, missing };
  const record = { ...before, noData };
  if (atMs - noData.sinceMs < noDataMsMax) return { record, transitions: [] };
  const message = `No data for ${duration(noDataMsMax)} (${missing}); earlier findings are discarded.`;
  const forgotten =
    before.status === 'failed' ? recovered(record, atMs, message) : { record, transitions: [] };
  const { transitions } = forgotten;
  const unknown = {
    status: 'unknown',
    severity: null,
    findings: [],
    findingCount: 0,
    looksAgainst: 0,
  } as const;
  return { record: { ...forgotten.record, ...unknown }, transitions };
}

function recovered(before: DiagnosticRecord, atMs: number, message: string): Step {
  const transition = transitioned(before, 'recovered', atMs, message);
  const record: DiagnosticRecord = {
    ...transition.record,
    status: 'recovered',
    severity: null,
    findings: [],
    findingCount: 0,
    looksAgainst: 0,
    recoveredMs: atMs,
  };
  return { record, transitions: transition.transitions };
}

/** A new mute replaces the previous one. An expiry in the past mutes nothing. */
function muted(before: DiagnosticRecord, mute: Mute): Step {
  const { atMs, untilMs, by, reason } = mute;
  if (untilMs !== null && untilMs <= atMs) return { record: before, transitions: [] };
  const { record, transitions } = transitioned({ ...before, mute }, 'muted', atMs, reason, by);
  return settled(before, atMs, record, transitions);
}

function withoutExpiredMute(before: DiagnosticRecord, atMs: number): Step {
  const untilMs = before.mute?.untilMs ?? null;
  if (untilMs === null || atMs < untilMs) return { record: before, transitions: [] };
  return transitioned({ ...before, mute: null }, 'unmuted', atMs, 'The mute expired.');
}

function transitioned(
  record: DiagnosticRecord,
  kind: TransitionKind,
  atMs: number,
  message: string,
  by: string | null = null,
): Step {
  const { clusterId, name, severity, mute, transitionCount } = record;
  const isSilent = mute !== null && (kind === 'failed' || kind === 'recovered');
  const transition = {
    clusterId,
    name,
    number: transitionCount,
    kind,
    atMs,
    by,
    severity,
    message,
    isSilent,
  };
  return { record: { ...record, transitionCount: transitionCount + 1 }, transitions: [transition] };
}

/** A run without changes returns the same record, so that it is not written again. */
function settled(
  before: DiagnosticRecord,
  atMs: number,
  after: DiagnosticRecord,
  transitions: readonly Transition[],
): Step {
  if (isDeepStrictEqual(before, after)) return { record: before, transitions };
  return { record: { ...after, changedMs: atMs }, transitions };
}
