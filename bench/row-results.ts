import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import type { Row } from './benchmark.ts';
import { wrapped } from './compare/report.ts';
import { commit, machine } from './kafka/machine.ts';
import { markdownTable } from './kafka/table.ts';
import { type Section, writeSection } from './section.ts';

/** Rows with their bars, and where they were taken. */
export interface RowResults {
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

export function resultsText({ machine, commit, date, load, rows }: RowResults): string {
  const table = rows.map(({ what, bar, result, unit, isMet, detail }) => [
    what,
    bar,
    `${result} ${unit}`,
    bar === '' ? '' : isMet ? 'met' : 'MISSED',
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

const root = join(import.meta.dirname, '..');
const loadNow = () => loadavg()[0]!;

/** Takes the rows, prints them, and stores them in `bench/results/<name>.json` and in a section of the page. */
export async function storeRows(
  name: string,
  section: Section,
  take: () => Promise<readonly Row[]>,
): Promise<void> {
  const before = loadNow();
  const rows = await take();
  const results: RowResults = {
    format: 1,
    machine: machine(),
    commit: commit(root),
    date: new Date(systemClock.nowMs()).toISOString().slice(0, 10),
    load: [before, loadNow()],
    rows: rows.map(({ what, result, unit, bar, detail }) => ({
      ...{ what, result, unit, detail },
      bar: bar?.text ?? '',
      isMet: bar?.isMet(result) ?? true,
    })),
  };
  const text = resultsText(results);
  process.stdout.write(`${text}\n`);
  writeFileSync(join(root, `bench/results/${name}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
  writeSection(join(root, 'docs/reference/benchmarks.md'), section, text);
}
