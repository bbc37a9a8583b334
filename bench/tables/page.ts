import { wrapped } from '../compare/report.ts';
import { markdownTable } from '../kafka/table.ts';
import { type Section, withSection, writeSection } from '../section.ts';
import { median } from '../side-by-side.ts';
import { reasonOf } from './reasons.ts';
import { isMet, type TableRows } from './rows.ts';

export interface TableResults extends TableRows {
  readonly format: 1;
  readonly machine: string;
  readonly commit: string;
  readonly date: string;
  readonly isQuick: boolean;
}

const begin = '<!-- tables: written by npm run bench:tables -->';
const end = '<!-- end of tables -->';

const section: Section = {
  begin,
  end,
  initial: `
## Tables

\`npm run bench:tables\` measures how topics become tables, in a process of their own as agents have it.
[bench/README.md](../../bench/README.md) says how.

${begin}
${end}
`,
};

const digits = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US');

/** The median, and where there were several runs the lowest and the highest. */
function figure(runs: readonly number[], unit: string): string {
  const range = runs.length === 1 ? '' : ` (${digits(Math.min(...runs))}–${digits(Math.max(...runs))})`;
  return `${digits(median(runs))} ${unit}${range}`;
}

/** The table, what CPU time goes to, and why bars are missed. */
export function resultsText({ machine, commit, date, isQuick, rows, parts }: TableResults): string {
  const table = rows.map((row) => [
    row.what,
    'atLeast' in row.bar ? `at least ${row.bar.atLeast}` : `at most ${row.bar.atMost}`,
    figure(row.weir, row.unit),
    isMet(row) ? 'met' : 'MISSED',
  ]);
  const shares = parts
    .filter(({ percent }) => percent >= 1)
    .map(({ part, percent }) => `${part} ${Math.round(percent)} %`);
  const reasons = rows
    .filter((row) => !isMet(row))
    .map((row) => wrapped(`- **${row.what}.** ${reasonOf(row)}`));
  return [
    wrapped(`${date}, commit ${commit}${isQuick ? ', quick runs' : ''}. Machine: ${machine}.`),
    markdownTable(['figure', 'bar', 'Weir', ''], table).trimEnd(),
    wrapped(`CPU time of the first row: ${shares.join(', ')}.`),
    reasons.join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Puts the results between the marks and keeps the text around them. */
export function pageWith(before: string, results: TableResults): string {
  return withSection(before, section, resultsText(results));
}

export function writePage(path: string, results: TableResults): void {
  writeSection(path, section, resultsText(results));
}
