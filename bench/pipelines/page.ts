import { wrapped } from '../compare/report.ts';
import { markdownTable } from '../kafka/table.ts';
import { type Section, withSection, writeSection } from '../section.ts';
import { median } from '../side-by-side.ts';
import { reasonOf } from './reasons.ts';
import { isMet, type PipelineRow } from './rows.ts';

export interface PipelineResults {
  readonly format: 1;
  readonly machine: string;
  readonly commit: string;
  readonly date: string;
  readonly isQuick: boolean;
  readonly rows: readonly PipelineRow[];
}

const begin = '<!-- pipelines: written by npm run bench:pipelines -->';
const end = '<!-- end of pipelines -->';

const section: Section = {
  begin,
  end,
  initial: `
## Pipelines

\`npm run bench:pipelines\` measures managed pipelines as agents run them, in a process of their own made of the bundle,
and beside it Bento, which Go builds, with the same configurations. [bench/README.md](../../bench/README.md) says how.

${begin}
${end}
`,
};

const digits = (value: number) => {
  const rounded = value >= 1000 ? Math.round(value / 100) * 100 : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US');
};

/** The median, and where there were several runs the lowest and the highest. */
function figure(runs: readonly number[], unit: string): string {
  if (runs.length === 0) return '';
  const range = runs.length === 1 ? '' : ` (${digits(Math.min(...runs))}–${digits(Math.max(...runs))})`;
  return `${digits(median(runs))} ${unit}${range}`;
}

/** What the machine could have done: its memory is shared with other machines, and its speed differs between runs. */
function runtimeText({ runtime, unit }: PipelineRow): string {
  return runtime === undefined
    ? ''
    : ` In turn with these runs, \`JSON.parse\` and \`JSON.stringify\` alone did ${figure(runtime, unit)}.`;
}

/** The table, and why bars are missed. */
export function resultsText({ machine, commit, date, isQuick, rows }: PipelineResults): string {
  const table = rows.map((row) => [
    row.what,
    'atLeast' in row.bar
      ? `at least ${row.bar.atLeast.toLocaleString('en-US')}`
      : `at most ${row.bar.atMost}`,
    figure(row.weir, row.unit),
    isMet(row) ? 'met' : 'MISSED',
    figure(row.bento, row.unit),
  ]);
  const reasons = rows
    .filter((row) => !isMet(row))
    .map((row) => wrapped(`- **${row.what}.** ${reasonOf(row)}${runtimeText(row)}`));
  const about = wrapped(`${date}, commit ${commit}${isQuick ? ', quick runs' : ''}. Machine: ${machine}.`);
  return [about, markdownTable(['figure', 'bar', 'Weir', '', 'Bento'], table).trimEnd(), reasons.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Puts the results between the marks and keeps the text around them. */
export function pageWith(before: string, results: PipelineResults): string {
  return withSection(before, section, resultsText(results));
}

export function writePage(path: string, results: PipelineResults): void {
  writeSection(path, section, resultsText(results));
}
