import { markdownTable } from '../kafka/table.ts';
import { type BarOutcome, outcomesOf, rowNames, valuesOf } from './bars.ts';
import { metricNames, metrics } from './metrics.ts';
import { type MissedReason, reasonFor, reasons } from './reasons.ts';
import { type ResultsFile, type RowResults, rowsOfOneCommit } from './results-file.ts';
import { comparedOf, sideIds, sideNames } from './side-names.ts';
import { ratioSpread, spreadOf } from './spread.ts';
import { digits, spreadText } from './svg.ts';

/** Results of a row by side, with the ratios of Weir to the side that it is compared with. */
export function figuresTable({ runs }: RowResults): string {
  const sides = sideIds.filter((side) => runs[side] !== undefined);
  const { base, compared } = comparedOf(sides) ?? { base: undefined, compared: [] };
  const head = [
    'figure',
    ...sides.map((side) => sideNames[side]),
    ...compared.map((side) => `${sideNames[side]} / ${sideNames[base!]}`),
  ];
  const lines = metricNames.flatMap((name) => {
    const { title, unit } = metrics[name];
    const spreads = sides.map((side) => spreadOf(valuesOf(runs, side, name)));
    if (spreads.every((spread) => spread === undefined)) return [];
    const ratios = compared.map((side) =>
      ratioSpread(valuesOf(runs, side, name), valuesOf(runs, base!, name)),
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

/** What a bar asks for, and what was measured. */
function barCells({ bar, spread, value }: BarOutcome): { readonly wanted: string; readonly found: string } {
  const { unit } = metrics[bar.metric];
  const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  const isRatio = bar.against !== undefined;
  return {
    wanted: isRatio ? `${limit} x ${sideNames[bar.against]}` : `${limit} ${unit}`,
    found: spreadText({ ...spread, median: value }, isRatio ? 'x' : unit),
  };
}

const verdictOf = ({ isMet }: BarOutcome) => (isMet ? 'met' : 'MISSED');

/** One line per bar: what it asks for, what was measured, and whether that is enough. */
export function barLine(outcome: BarOutcome): string {
  const { metric, side } = outcome.bar;
  const { wanted, found } = barCells(outcome);
  return `${verdictOf(outcome)}: ${sideNames[side]}, ${metrics[metric].title}: ${found}, bar ${wanted}`;
}

/** All bars in one table, for a reader who wants to know that first. */
function barsTable(rows: readonly RowResults[]): string[] {
  const lines = outcomesOfRows(rows).map((outcome) => {
    const { row, side, metric } = outcome.bar;
    const { wanted, found } = barCells(outcome);
    return [row, sideNames[side], metrics[metric].title, wanted, found, verdictOf(outcome)];
  });
  return lines.length === 0 ? [] : [markdownTable(['row', 'side', 'figure', 'bar', 'measured', ''], lines)];
}

/** A missed bar with its reason and the next idea, as a reader of the page wants it. */
export function barItem(outcome: BarOutcome, among: readonly MissedReason[] = reasons): string {
  const line = `- ${barLine(outcome)}.`;
  if (outcome.isMet) return line;
  const reason = reasonFor(outcome.bar, among);
  return reason === undefined
    ? `${line} No reason is written down yet (\`bench/compare/reasons.ts\`).`
    : `${line} Missed because ${reason.because} Next: ${reason.next}`;
}

export function outcomesOfRows(rows: readonly RowResults[]): BarOutcome[] {
  return rows.flatMap(({ name, runs }) => outcomesOf(name, runs));
}

export function verdict(rows: readonly RowResults[]): string {
  const outcomes = outcomesOfRows(rows);
  return `${outcomes.filter(({ isMet }) => isMet).length} of ${outcomes.length} bars met`;
}

/** Names the missed bars without a reason, for the one who measured. */
export function unexplained(rows: readonly RowResults[]): string[] {
  return outcomesOfRows(rows)
    .filter(({ bar, isMet }) => !isMet && reasonFor(bar) === undefined)
    .map(({ bar }) => `${bar.row}: ${sideNames[bar.side]}, ${metrics[bar.metric].title}`);
}

/** What the terminal and the page show of a row; of which commit the other rows are. */
export function rowText(row: RowResults, commit: string): string {
  // Some sides have another run that only shows their garbage collector.
  const runs = Math.min(...Object.values(row.runs).map((side) => side.length));
  const effort = `${runs} run${runs === 1 ? '' : 's'} of each side${row.isQuick ? ', quick' : ''}`;
  const client = row.isColdClient ? ', a new client process for each run' : '';
  const occasion = `${row.date}, commit ${row.commit}`;
  const threads = threadsTable(row);
  const isOther = row.commit !== commit;
  const items = isOther ? [] : outcomesOf(row.name, row.runs).map((outcome) => barItem(outcome));
  const notes = (row.notes ?? []).map((note) => `- ${note}`);
  return [
    `## ${row.name}: ${row.title}\n`,
    ...(isOther
      ? [`**Of another commit (${row.commit}) than the page: not comparable, not counted.**\n`]
      : []),
    ...(Number.isFinite(runs)
      ? [`${occasion}, ${effort}${client}: median and range.\n`, figuresTable(row)]
      : [`${occasion}: not measured.\n`]),
    ...(threads === undefined ? [] : [`CPU by threads, medians:\n`, threads]),
    ...(items.length === 0 ? [] : [`${items.map(wrapped).join('\n')}\n`]),
    ...(notes.length === 0 ? [] : [`Notes:\n\n${notes.map(wrapped).join('\n')}\n`]),
  ].join('\n');
}

export function resultsText(results: ResultsFile): string {
  const { machine, commit, rows } = results;
  const counted = rowsOfOneCommit(results);
  const missing = rowNames.filter((name) => !counted.some((row) => row.name === name && isMeasured(row)));
  const what = [
    `Machine: ${machine}. Commit ${commit}${counted.some(({ isQuick }) => isQuick) ? ', quick runs' : ''}.`,
    `${verdict(counted)}.`,
    ...(missing.length === 0 ? [] : [`Rows that were not measured of this commit: ${missing.join(', ')}.`]),
  ];
  return [
    `${wrapped(what.join(' '))}\n`,
    ...barsTable(counted),
    ...rows.map((row) => rowText(row, commit)),
  ].join('\n');
}

function isMeasured({ runs }: RowResults): boolean {
  return Object.keys(runs).length > 0;
}

const proseColumns = 120;

/** Prose in lines of 120 columns; those of a list item are indented. */
export function wrapped(text: string): string {
  const indent = text.startsWith('- ') ? '  ' : '';
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    if (line.trim() === '') lines[lines.length - 1] = `${line}${word}`;
    else if (line.length + 1 + word.length <= proseColumns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}
