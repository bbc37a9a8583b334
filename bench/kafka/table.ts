import { type BenchResult, isMet } from './bench-result.ts';

export const columns = ['measurement', 'figure', 'Weir', 'Kafka', 'ratio', 'bar', 'met'] as const;

/** Returns the cells of a line, one per column. */
export function cellsOf(result: BenchResult): string[] {
  const { row, metric: name, unit, weir, kafka, ratio, bar } = result;
  const met = isMet(result);
  return [
    row,
    name,
    amount(weir, unit),
    amount(kafka, unit),
    ratio === undefined ? '' : `${ratio.toFixed(2)} x`,
    bar?.text ?? '',
    bar === undefined ? '' : met === undefined ? 'not measured' : met ? 'yes' : 'NO',
  ];
}

/**
 * Formats a value with about three digits, because a shared machine is not more precise. Counts below 10 get three
 * decimals, because they are exact and may miss their bar by little.
 */
function amount(value: number | undefined, unit: string): string {
  if (value === undefined) return '';
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : unit === '' ? 3 : 2;
  return `${value.toFixed(digits)} ${unit}`.trimEnd();
}

/** Renders a Markdown table with aligned columns. */
export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => line[column]!.length)),
  );
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  return text(head) + text(widths.map((width) => '-'.repeat(width))) + lines.map(text).join('');
}
