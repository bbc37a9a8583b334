import { type CheckDescription, entityKey, type Finding, type Severity, severityRank } from './check.ts';
import { diagnosticLimits } from './limits.ts';
import type { DiagnosticRecord, StoredFinding } from './record.ts';

/** Sorts by severity; of several findings about one entity the worst counts. */
export function worstFirst(check: CheckDescription, findings: readonly Finding[]): readonly Finding[] {
  const byEntity = new Map<string, Finding>();
  const sorted = [...findings].sort(
    (a, b) =>
      severityRank(severityOf(check, b)) - severityRank(severityOf(check, a)) ||
      b.weight - a.weight ||
      compareTexts(entityKey(a.entity), entityKey(b.entity)),
  );
  for (const finding of sorted) {
    const key = entityKey(finding.entity);
    if (!byEntity.has(key)) byEntity.set(key, finding);
  }
  return [...byEntity.values()];
}

/** Returns the findings to store: the worst ones, each with the time since when it exists. */
export function storedFindings(
  check: CheckDescription,
  before: Pick<DiagnosticRecord, 'findings'>,
  findings: readonly Finding[],
  atMs: number,
): Pick<DiagnosticRecord, 'findings' | 'findingCount' | 'severity'> {
  const sorted = worstFirst(check, findings);
  const sinceByKey = new Map(before.findings.map(({ entity, sinceMs }) => [entityKey(entity), sinceMs]));
  const stored = sorted.slice(0, diagnosticLimits.diagnosticFindingsMax).map((finding): StoredFinding => {
    const { message, sinceMs } = finding;
    const entity = { kind: finding.entity.kind, name: plain(finding.entity.name) };
    return {
      entity,
      message: plain(message),
      severity: severityOf(check, finding),
      sinceMs: sinceMs ?? sinceByKey.get(entityKey(entity)) ?? atMs,
    };
  });
  return { findings: stored, findingCount: sorted.length, severity: stored[0]?.severity ?? null };
}

function severityOf(check: CheckDescription, finding: Finding): Severity {
  return finding.severity ?? check.severity;
}

/** Users choose the names: they may be long and contain characters that are unsafe for terminals. */
function plain(text: string): string {
  const { diagnosticTextCharsMax: charsMax } = diagnosticLimits;
  const short = text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
  return short.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
