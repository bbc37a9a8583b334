import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../kafka/table.ts';
import { type RowName, valuesOf } from './bars.ts';
import { type MetricName, metrics } from './metrics.ts';
import { outcomesOfRows } from './report.ts';
import { type ResultsFile, type RowResults, rowsOfOneCommit } from './results-file.ts';
import type { SideId } from './side-names.ts';
import { spreadOf } from './spread.ts';
import { digits } from './svg.ts';

/** The measured tables of the page that compares Weir with others: medians of some rows of the benchmarks. */

const pageName = 'docs/reference/comparisons.md';
/** The last results with tansu, which is not on every machine that measures. */
const tansuName = 'bench/results/tansu.json';
const tansuRow: RowName = 'store-8';

interface Line {
  readonly title: string;
  readonly row: RowName;
  readonly metric: MetricName;
}

const besideKafka: readonly Line[] = [
  { title: 'process start to first produce', row: 'start', metric: 'startMs' },
  { title: 'resident memory, idle', row: 'start', metric: 'idleMib' },
  {
    title: 'CPU of the server for a GB written at 60 MB/s, without compiler threads',
    row: 'steady',
    metric: 'warmCpuSecondsPerGb',
  },
  {
    title: 'CPU for a GB fetched from one partition, without compiler threads',
    row: 'light-fetch-1',
    metric: 'warmCpuSecondsPerGb',
  },
  { title: 'resident memory when at least 6 GB were written', row: 'memory', metric: 'residentMib' },
];

const besideTansu: readonly Line[] = (
  [
    ['throughput of writes', 'mbPerSecond'],
    ['CPU of the server for a GB written', 'cpuSecondsPerGb'],
    ['p50 of a produce at 10 MB/s', 'openP50Ms'],
    ['p99 of a produce at 10 MB/s', 'openP99Ms'],
    ['PUTs for a GiB at full speed', 'putsPerGib'],
    ['throughput of fetches', 'fetchMbPerSecond'],
    ['peak memory', 'peakMib'],
  ] as const
).map(([title, metric]) => ({ title, row: tansuRow, metric }));

function tableOf(
  rows: readonly RowResults[],
  lines: readonly Line[],
  sides: Readonly<Partial<Record<SideId, string>>>,
): string {
  const ids = Object.keys(sides) as SideId[];
  const cells = lines.map(({ title, row, metric }) => [
    title,
    ...ids.map((side) => {
      const spread = spreadOf(valuesOf(rows.find(({ name }) => name === row)?.runs ?? {}, side, metric));
      return spread === undefined
        ? 'not measured'
        : `${digits(spread.median)} ${metrics[metric].unit.replace(/^s\/GB$/, 's').replace(/^\/GiB$/, '')}`.trimEnd();
    }),
  ]);
  return markdownTable(['', ...ids.map((side) => sides[side]!)], cells).trimEnd();
}

const occasion = ({ date, commit }: RowResults) => `Measured on ${date}, commit ${commit}:`;

function blocksOf(kafka: ResultsFile, tansu: ResultsFile): Readonly<Record<string, string>> {
  const rows = rowsOfOneCommit(kafka);
  const outcomes = outcomesOfRows(rows);
  const missed = outcomes.filter(({ isMet }) => !isMet).length;
  return {
    kafka: [
      occasion(rows[0]!),
      tableOf(rows, besideKafka, {
        kafka: 'Apache Kafka',
        playground: 'Weir on disk',
        local: 'Weir in memory',
      }),
      `${missed} of the ${outcomes.length} bars of that page are missed; it says why.`,
    ].join('\n\n'),
    tansu: [
      occasion(tansu.rows[0]!),
      tableOf(tansu.rows, besideTansu, { 'tansu-s3': 'Tansu', agent: 'Weir' }),
    ].join('\n\n'),
  };
}

/** Puts the tables between their marks. */
export function comparisonsWith(before: string, kafka: ResultsFile, tansu: ResultsFile): string {
  return Object.entries(blocksOf(kafka, tansu)).reduce((page, [name, text]) => {
    const [begin, end] = [`<!-- measured: ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [page.indexOf(begin), page.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`${pageName} has no marks ${begin} and ${end}`);
    return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
  }, before);
}

/** The page as it is, and as the results have it. */
export function comparisonsPage(root: string, kafka: ResultsFile) {
  const path = join(root, pageName);
  const tansu = JSON.parse(readFileSync(join(root, tansuName), 'utf8')) as ResultsFile;
  const before = readFileSync(path, 'utf8');
  return { path, before, after: comparisonsWith(before, kafka, tansu) };
}

/** Keeps results with tansu, if these have some, and writes the page. */
export function writeComparisons(root: string, results: ResultsFile): void {
  if (!existsSync(join(root, pageName))) return;
  const row = results.rows.find(({ name, runs }) => name === tansuRow && runs['tansu-s3'] !== undefined);
  if (row !== undefined) {
    const kept: ResultsFile = { ...results, commit: row.commit, rows: [row] };
    writeFileSync(join(root, tansuName), `${JSON.stringify(kept, null, 2)}\n`);
  }
  const { path, after } = comparisonsPage(root, results);
  writeFileSync(path, after);
}
