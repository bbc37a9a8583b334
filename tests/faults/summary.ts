import { type Defect, defects } from './history/check-history.ts';
import type { Outcome } from './run-scenario.ts';

const kinds = Object.keys(defects) as Defect[];
const columns = ['scenario', 'harms', 'acknowledged', 'read', 'committed', 'aborted', 'offsets'];

/** Whether a scenario passed or was skipped. A scenario without writes or faults fails. */
export function isWell(outcome: Outcome): boolean {
  if ('skipped' in outcome) return true;
  const { verdict, harms, problem } = outcome;
  return problem === undefined && verdict.findings.length === 0 && verdict.acknowledged > 0 && harms > 0;
}

/** Renders the table at the end of a run. */
export function summaryOf(outcomes: ReadonlyMap<string, Outcome>): string {
  const rows = [
    [
      ...columns,
      ...kinds.map((kind) => (kind === 'aborted' ? 'dirty' : kind)),
      'gap ms',
      'stall ms',
      'seconds',
      '',
    ],
  ];
  for (const [name, outcome] of outcomes) {
    if ('skipped' in outcome) {
      rows.push([name, ...rows[0]!.slice(2).map(() => '-'), `skipped: ${outcome.skipped}`]);
      continue;
    }
    const { verdict, harms, seconds } = outcome;
    const counts = kinds.map((kind) => verdict.findings.filter(({ defect }) => defect === kind).length);
    rows.push([
      name,
      ...[
        harms,
        verdict.acknowledged,
        verdict.read,
        verdict.transactionsCommitted,
        verdict.transactionsAborted,
        verdict.offsetsCommitted,
        ...counts,
        Math.round(verdict.worstGapMs),
        Math.round(verdict.worstStall.ms),
        Math.round(seconds),
      ].map(String),
      isWell(outcome)
        ? 'ok'
        : `FAILED${outcome.problem === undefined ? '' : `: ${outcome.problem.split('\n')[0]}`}`,
    ]);
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const last = widths.length - 1;
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          if (column === last) return cell;
          return column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
