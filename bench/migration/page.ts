import type { Row } from '../benchmark.ts';
import { wrapped } from '../compare/report.ts';
import { markdownTable } from '../kafka/table.ts';
import type { Section } from '../section.ts';

export interface MigrationResults {
  readonly format: 1;
  readonly machine: string;
  readonly commit: string;
  readonly date: string;
  /** Load of the machine, by its average of a minute, at the beginning and at the end. */
  readonly load: readonly [before: number, after: number];
  readonly rows: readonly (Pick<Row, 'what' | 'result' | 'unit' | 'detail'> & {
    readonly bar: string;
    readonly isMet: boolean;
  })[];
}

const begin = '<!-- migrations: written by npm run bench:migrations -->';
const end = '<!-- end of migrations -->';

export const migrationSection: Section = {
  begin,
  end,
  initial: `
## Migrations

\`npm run bench:migrations\` measures what a migration takes to copy topics of another cluster, and how long producers
wait for a cut-over. [bench/README.md](../../bench/README.md#migrations) says how.

${begin}
${end}
`,
};

export function resultsText({ machine, commit, date, load, rows }: MigrationResults): string {
  const table = rows.map(({ what, bar, result, unit, isMet, detail }) => [
    what,
    bar,
    `${result} ${unit}`,
    isMet ? 'met' : 'MISSED',
    detail,
  ]);
  const loads = load.map((one) => one.toFixed(1)).join(' and ');
  return [
    wrapped(
      `${date}, commit ${commit}. Machine: ${machine}. Load at the beginning and at the end, this benchmark included: ${loads}.`,
    ),
    markdownTable(['figure', 'bar', 'Weir', '', 'runs'], table).trimEnd(),
  ].join('\n\n');
}
