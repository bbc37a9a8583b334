import { apiLimits } from '@weir/api/limits';
import { type CheckType, type Severity, severityRank } from './check.ts';
import type { DiagnosticRecord, StoredFinding } from './record.ts';
import { describeCheck } from './registry.ts';

/** The visible part of a diagnostic: its findings within the limit for its type, and the number of omitted ones. */
export interface DiagnosticSummary {
  readonly record: DiagnosticRecord;
  readonly findings: readonly StoredFinding[];
  readonly leftOutCount: number;
}

/**
 * Selects the visible findings of the failed diagnostics of a cluster: at most five per type, the most severe first,
 * and among equally severe ones the first of each diagnostic before the second of any. Every diagnostic is returned, in
 * the order of the records; those that have not failed have no findings.
 */
export function toDiagnosticSummaries(records: readonly DiagnosticRecord[]): readonly DiagnosticSummary[] {
  const chosen = new Set<StoredFinding>();
  for (const candidates of candidatesByType(records).values()) {
    candidates.sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || a.place - b.place);
    for (const { finding } of candidates.slice(0, apiLimits.diagnosticGroupsMax)) chosen.add(finding);
  }
  return records.map((record) => {
    const findings = record.findings.filter((finding) => chosen.has(finding));
    const leftOutCount = record.status === 'failed' ? record.findingCount - findings.length : 0;
    return { record, findings, leftOutCount };
  });
}

interface Candidate {
  readonly finding: StoredFinding;
  readonly severity: Severity;
  /** The position within its diagnostic. */
  readonly place: number;
}

function candidatesByType(
  records: readonly DiagnosticRecord[],
): ReadonlyMap<CheckType | undefined, Candidate[]> {
  const byType = new Map<CheckType | undefined, Candidate[]>();
  for (const { name, status, findings } of records) {
    if (status !== 'failed') continue;
    const type = describeCheck(name)?.type;
    const candidates = byType.get(type) ?? [];
    byType.set(type, candidates);
    findings.forEach((finding, place) => {
      candidates.push({ finding, severity: finding.severity, place });
    });
  }
  return byType;
}
