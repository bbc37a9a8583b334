import { markdownTable } from '../kafka/table.ts';
import { type BarOutcome, outcomesOf, valuesOf } from './bars.ts';
import { metricNames, metrics } from './metrics.ts';
import type { ResultsFile, RowResults } from './results-file.ts';
import { type SideId, sideIds, sideNames } from './side-names.ts';
import { ratioSpread, spreadOf } from './spread.ts';
import { digits, spreadText } from './svg.ts';

const weirSides: readonly SideId[] = ['playground', 'local'];

/** Results of a row by side, with the ratios of Weir to Kafka. */
export function figuresTable({ runs }: RowResults): string {
  const sides = sideIds.filter((side) => runs[side] !== undefined);
  const compared = weirSides.filter((side) => sides.includes(side) && sides.includes('kafka'));
  const head = [
    'figure',
    ...sides.map((side) => sideNames[side]),
    ...compared.map((side) => `${sideNames[side]} / Kafka`),
  ];
  const lines = metricNames.flatMap((name) => {
    const { title, unit } = metrics[name];
    const spreads = sides.map((side) => spreadOf(valuesOf(runs, side, name)));
    if (spreads.every((spread) => spread === undefined)) return [];
    const ratios = compared.map((side) =>
      ratioSpread(valuesOf(runs, side, name), valuesOf(runs, 'kafka', name)),
    );
    return [
      [
        title,
        ...spreads.map((spread) => (spread === undefined ? '' : spreadText(spread, unit))),
        ...ratios.map((ratio) => (ratio === undefined ? '' : spreadText(ratio, 'x'))),
      ],
    ];
  });
  return markdownTable(head, lines);
}

/** CPU of a row by what threads do; medians. */
export function threadsTable({ runs }: RowResults): string | undefined {
  const sides = sideIds.filter((side) => runs[side]?.some(({ threads }) => threads !== undefined));
  const groups = new Set(
    sides.flatMap((side) => (runs[side] ?? []).flatMap(({ threads = {} }) => Object.keys(threads))),
  );
  if (groups.size === 0) return undefined;
  const lines = [...groups].map((group) => [
    group,
    ...sides.map((side) => {
      const spread = spreadOf((runs[side] ?? []).map(({ threads }) => threads?.[group]));
      return spread === undefined ? '' : `${digits(spread.median)} s/GB`;
    }),
  ]);
  return markdownTable(['threads', ...sides.map((side) => sideNames[side])], lines);
}

/** One line per bar: what it asks for, what was measured, and whether that is enough. */
export function barLine({ bar, spread, value, isMet }: BarOutcome): string {
  const { title, unit } = metrics[bar.metric];
  const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  const wanted = bar.against === undefined ? `${limit} ${unit}` : `${limit} x ${sideNames[bar.against]}`;
  const found = spreadText({ ...spread, median: value }, bar.against === undefined ? unit : 'x');
  return `${isMet ? 'met' : 'MISSED'}: ${sideNames[bar.side]}, ${title}: ${found}, bar ${wanted}`;
}

function barLines({ name, runs }: RowResults): string[] {
  return outcomesOf(name, runs).map(barLine);
}

export function verdict(rows: readonly RowResults[]): string {
  const outcomes = rows.flatMap(({ name, runs }) => outcomesOf(name, runs));
  return `${outcomes.filter(({ isMet }) => isMet).length} of ${outcomes.length} bars met`;
}

/** What the terminal and the page show of a row. */
export function rowText(row: RowResults): string {
  // Some sides have another run that only shows their garbage collector.
  const runs = Math.min(...Object.values(row.runs).map((side) => side.length));
  const effort = `${runs} run${runs === 1 ? '' : 's'} of each side${row.isQuick ? ', quick' : ''}`;
  const client = row.isColdClient ? ', a new client process for each run' : '';
  const threads = threadsTable(row);
  const verdicts = barLines(row).map((line) => `- ${line}\n`);
  return [
    `## ${row.title}\n`,
    `${row.date}, commit ${row.commit}, ${effort}${client}: median and range.\n`,
    figuresTable(row),
    ...(threads === undefined ? [] : [`CPU by threads, medians:\n`, threads]),
    ...(verdicts.length === 0 ? [] : [verdicts.join('')]),
  ].join('\n');
}

export function resultsText({ machine, rows }: ResultsFile): string {
  return [`Machine: ${machine}. ${verdict(rows)}.\n`, ...rows.map(rowText)].join('\n');
}
