import type { Check, CheckResult, Finding } from './check.ts';
import type { DiagnosticSnapshot } from './diagnostic-snapshot.ts';
import type { ClusterHistory } from './history.ts';
import { checkFailedToRun } from './registry.ts';

interface CheckRunResult {
  readonly name: string;
  readonly result: CheckResult;
}

export interface CheckRun {
  /** One per check for this type of cluster, and one for whether all of them ran. */
  readonly results: readonly CheckRunResult[];
  /** Errors thrown by checks, for the log. */
  readonly errors: readonly { readonly name: string; readonly error: unknown }[];
}

/** Runs checks over a snapshot. A check that throws is reported by a separate diagnostic, and the others still run. */
export function runChecks(
  checks: readonly Check[],
  snapshot: DiagnosticSnapshot,
  history: ClusterHistory,
): CheckRun {
  const results: CheckRunResult[] = [];
  const errors: { name: string; error: unknown }[] = [];
  for (const check of checks) {
    if (!check.kinds.includes(snapshot.cluster.kind)) continue;
    try {
      results.push({ name: check.name, result: check.run(snapshot, history) });
    } catch (error) {
      errors.push({ name: check.name, error });
      results.push({ name: check.name, result: { missing: 'the check failed to run' } });
    }
  }
  const failures = errors.map(({ name }): Finding => {
    return { entity: { kind: 'check', name }, message: `Check ${name} failed to run.`, weight: 1 };
  });
  results.push({ name: checkFailedToRun.name, result: failures });
  return { results, errors };
}

/** The results for a cluster without a snapshot: no data for the earlier checks. */
export function runWithoutData(clusterId: string, names: readonly string[]): CheckRun {
  const failure: Finding = {
    entity: { kind: 'cluster', name: clusterId },
    message: 'Failed to collect cluster data.',
    weight: 1,
  };
  const blind = names
    .filter((name) => name !== checkFailedToRun.name)
    .map((name) => ({ name, result: { missing: 'cluster data' } }));
  return { results: [...blind, { name: checkFailedToRun.name, result: [failure] }], errors: [] };
}
