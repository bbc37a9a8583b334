import { type DiagnosticRecord, describeCheck } from '@weir/diagnostics';
import type { AlertFinding, AlertSeverity, AlertSource } from '../accounts/alerts/alert-types.ts';
import type { Observation } from './step-alert.ts';

const severities: readonly AlertSeverity[] = ['low', 'medium', 'high', 'critical'];

export function severityRank(severity: AlertSeverity): number {
  return severities.indexOf(severity);
}

/** The diagnostics of a source that fail. Muted ones do not count. */
export function observeDiagnostics(
  { diagnosticIds, minSeverity }: Extract<AlertSource, { kind: 'diagnostics' }>,
  records: readonly DiagnosticRecord[],
): Observation {
  const findings = records
    .flatMap(({ name, status, severity, mute, findings: [first] }): AlertFinding[] => {
      const check = describeCheck(name);
      if (check === undefined || status !== 'failed' || mute !== null || severity === null) return [];
      if (diagnosticIds.length > 0 && !diagnosticIds.includes(name)) return [];
      if (severityRank(severity) < severityRank(minSeverity)) return [];
      return [{ key: name, title: check.title, message: first?.message ?? check.title, severity }];
    })
    .sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || (a.key < b.key ? -1 : 1));
  return { findings, summary: summaryOf(findings) };
}

function summaryOf(findings: readonly AlertFinding[]): string {
  const [first, ...others] = findings;
  if (first === undefined) return 'No diagnostic fails.';
  if (others.length === 0) return `${first.title}: ${first.message}`;
  const shown = findings.slice(0, 5).map(({ title }) => title);
  const more = findings.length > shown.length ? ` and ${findings.length - shown.length} more` : '';
  return `${findings.length} diagnostics fail: ${shown.join(', ')}${more}`;
}

/** What a count of events means for a source. */
export function observeEvents(
  { moreThan, withinMinutes }: Extract<AlertSource, { kind: 'events' }>,
  { count, viewName }: { readonly count: number; readonly viewName: string },
): Observation {
  const time = withinMinutes === 1 ? 'the last minute' : `the last ${withinMinutes} minutes`;
  const summary = `${count} ${count === 1 ? 'event' : 'events'} of "${viewName}" in ${time}, the limit is ${moreThan}`;
  if (count <= moreThan) return { findings: [], summary };
  return { findings: [{ key: 'events', title: viewName, message: summary, severity: 'high' }], summary };
}
