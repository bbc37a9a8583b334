import { createHash } from 'node:crypto';
import { timeText } from '@weir/core';
import { type CheckDescription, type Entity, entityKey, type Severity, severityRank } from './check.ts';
import type { DiagnosticRecord, Transition, TransitionKind } from './record.ts';
import { describeCheck } from './registry.ts';
import { type DiagnosticSummary, toDiagnosticSummaries } from './summaries.ts';

/** Diagnostics as the API shows them. */
export interface DiagnosticListing {
  readonly diagnostic_id: string;
  readonly name: string;
  readonly type: string;
  readonly source: string;
  readonly severity: Severity;
  readonly title: string;
  readonly successful: boolean;
  readonly muted: boolean;
  readonly muted_until: string | null;
  readonly first_failed_at: string | null;
  readonly updated_at: string;
  /** The first finding in one line; empty without findings. */
  readonly cause: string;
}

interface DiagnosticView extends Omit<DiagnosticListing, 'cause'> {
  readonly explanation: string;
  readonly fix: string;
  readonly groups: readonly { readonly key: string; readonly message: string; readonly since: string }[];
  readonly groups_left_out: number;
  readonly muted_by: string | null;
  readonly mute_reason: string | null;
}

interface TransitionView {
  readonly diagnostic_id: string;
  readonly name: string;
  readonly type: string;
  readonly severity: Severity;
  readonly transition: TransitionKind;
  readonly time: string;
  readonly message: string;
  readonly actor: string | null;
}

/**
 * Sorts failing diagnostics first, the worst first, with muted ones after those that are not. Diagnostics unknown to
 * this release are omitted.
 */
export function listingsOf(records: readonly DiagnosticRecord[]): readonly DiagnosticListing[] {
  return records
    .flatMap((record) => {
      const check = describeCheck(record.name);
      if (check === undefined) return [];
      const cause = record.status === 'failed' ? (record.findings[0]?.message ?? '') : '';
      return [{ ...summaryOf(check, record), cause }];
    })
    .sort(
      (a, b) =>
        Number(a.successful) - Number(b.successful) ||
        Number(a.muted) - Number(b.muted) ||
        severityRank(b.severity) - severityRank(a.severity) ||
        (a.name < b.name ? -1 : 1),
    );
}

/** Returns one diagnostic of a cluster. It needs all records, because findings of one type share a limit. */
export function viewOf(records: readonly DiagnosticRecord[], name: string): DiagnosticView | undefined {
  const summary = toDiagnosticSummaries(records).find(({ record }) => record.name === name);
  const check = describeCheck(name);
  return summary === undefined || check === undefined ? undefined : describe(check, summary);
}

function describe(
  check: CheckDescription,
  { record, findings, leftOutCount }: DiagnosticSummary,
): DiagnosticView {
  return {
    ...summaryOf(check, record),
    explanation: `${check.observes} ${check.explanation}`,
    fix: check.fix,
    groups: findings.map(({ entity, message, sinceMs }) => ({
      key: shownKey(entity),
      message,
      since: timeText(sinceMs),
    })),
    groups_left_out: leftOutCount,
    muted_by: record.mute?.by ?? null,
    mute_reason: record.mute?.reason ?? null,
  };
}

export function transitionView(transition: Transition): TransitionView | undefined {
  const { name, kind, atMs, message, severity, by } = transition;
  const check = describeCheck(name);
  if (check === undefined) return undefined;
  return {
    diagnostic_id: name,
    name,
    type: check.type,
    severity: severity ?? check.severity,
    transition: kind,
    time: timeText(atMs),
    message,
    actor: by,
  };
}

function summaryOf(check: CheckDescription, record: DiagnosticRecord) {
  const { name, status, severity, mute, failedMs, changedMs } = record;
  const isFailed = status === 'failed';
  return {
    diagnostic_id: name,
    name,
    type: check.type,
    source: check.source,
    severity: severity ?? check.severity,
    title: check.title,
    successful: !isFailed,
    muted: mute !== null,
    muted_until: timeOrNull(mute?.untilMs ?? null),
    first_failed_at: timeOrNull(isFailed ? failedMs : null),
    updated_at: timeText(changedMs),
  };
}

const keyCharsMax = 256;

/** Long names end in a digest of the whole, so that names with the same prefix stay distinct. */
function shownKey(entity: Entity): string {
  const key = entityKey(entity);
  if (key.length <= keyCharsMax) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return `${key.slice(0, keyCharsMax - digest.length - 1)}…${digest}`;
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}
