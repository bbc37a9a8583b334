import { type Row, Skipped } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { printCostModel } from './compare/cost-model.ts';
import { profileRow } from './compare/profile-row.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { fullEffort } from './side-by-side.ts';

/**
 * `npm run bench` runs all benchmarks, `npm run bench -- metadata` those whose name contains the word;
 * `--profile <row>` and `--cost-model` look into a row of `npm run bench:kafka`.
 */
// Some benchmarks start servers, which must not outlive an interrupted run.
process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const argv = process.argv.slice(2);
if (argv.includes('--profile')) await endWith(profileRow(argv));
if (argv.includes('--cost-model')) await endWith(printCostModel(argv));

async function endWith(work: Promise<string | undefined>): Promise<never> {
  let problem: string | undefined;
  try {
    problem = await work;
  } catch (error) {
    problem = (error as Error).message;
  }
  if (problem !== undefined) process.stderr.write(`bench: ${problem}\n`);
  process.exit(problem === undefined ? 0 : 2);
}

const [wanted = ''] = argv;
const chosen = benchmarks.filter(({ name }) => name.includes(wanted));
if (chosen.length === 0) {
  process.stderr.write(
    `bench: ${wanted}: no such benchmark; there are ${benchmarks.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const rows: Row[] = [];
for (const benchmark of chosen) {
  process.stderr.write(`${benchmark.name} …\n`);
  try {
    rows.push(...(await benchmark.run(fullEffort, (text) => process.stdout.write(`${text}\n`))));
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    process.stderr.write(`skipped ${benchmark.name}: ${error.message}\n`);
  }
}

const table = rows.map(({ what, result, unit, bar, detail }) => [
  what,
  unit === 'x' ? `${result.toFixed(2)} x` : `${result} ${unit}`,
  bar === undefined ? '' : `${bar.text}${bar.isMet(result) ? '' : ', MISSED'}`,
  detail,
]);
table.unshift(['what', 'figure', 'bar', 'medians']);
const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
for (const row of table) {
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()}\n`,
  );
}
