import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConformanceResult, runTool } from './conformance-tools.ts';

/** A scenario of the conformance suite, and its result. */
export interface Scenario {
  readonly name: string;
  /** Why it is not scored for the revision, in the suite's words; undefined for scored scenarios. */
  readonly unscoredAs: string | undefined;
  readonly passedCount: number;
  readonly warnings: readonly string[];
  readonly failures: readonly string[];
}

export interface Report {
  /** Exit status of the suite: 0 if no scored scenario failed. */
  readonly status: ConformanceResult['status'];
  readonly scenarios: readonly Scenario[];
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/**
 * Runs the official conformance suite against a URL. The suite's own verdict ignores warnings, and scenarios that ended
 * before they had checked anything; hence the individual checks.
 */
export async function conformanceOf(url: string, revision: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-conformance-'));
  try {
    const args = ['server', '--url', url, '--requirements', revision, '--output-dir', folder];
    const { status, out, err } = await runTool('conformance', args);
    const unscored = new Map(
      Array.from(out.matchAll(/^ {2}[✓✗] (\S+) \((.+)\)$/gm), ([, name, reason]) => [name!, reason!]),
    );
    const scenarios = readdirSync(folder).map((result) => {
      const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(result)![1]!;
      const checks = JSON.parse(readFileSync(join(folder, result, 'checks.json'), 'utf8')) as Check[];
      return { name, unscoredAs: unscored.get(name), ...foundIn(checks) };
    });
    if (scenarios.length === 0)
      throw new Error(`the conformance suite tried nothing: ${out.slice(-500)}${err.slice(-500)}`);
    return { status, scenarios };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function foundIn(checks: readonly Check[]) {
  const of = (status: Check['status']) => checks.filter((check) => check.status === status);
  const describe = ({ id, errorMessage = '' }: Check) => `${id}: ${errorMessage}`;
  return {
    passedCount: of('SUCCESS').length,
    warnings: of('WARNING').map(describe),
    failures: of('FAILURE').map(describe),
  };
}
