import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import { Lifetime } from '../kafka/lifetime.ts';
import { commit, machine } from '../kafka/machine.ts';
import { migrationCopy } from '../migration-copy.ts';
import { migrationCutOver } from '../migration-cut-over.ts';
import { writeSection } from '../section.ts';
import { fullEffort } from '../side-by-side.ts';
import { type MigrationResults, migrationSection, resultsText } from './page.ts';

/** `npm run bench:migrations`: the bars of migrations. Stores the results, and writes their section of the page. */
const root = join(import.meta.dirname, '../..');

process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const loadNow = () => loadavg()[0]!;
const before = loadNow();
const rows = [...(await migrationCopy.run(fullEffort)), ...(await migrationCutOver.run(fullEffort))];
const results: MigrationResults = {
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
writeFileSync(join(root, 'bench/results/migrations.json'), `${JSON.stringify(results, undefined, 2)}\n`);
writeSection(join(root, 'docs/reference/benchmarks.md'), migrationSection, text);
