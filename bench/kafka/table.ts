import { type Figure, isMet } from './figure.ts';

export const columns = ['measurement', 'figure', 'Weir', 'Kafka', 'ratio', 'bar', 'met'] as const;

/** The cells of a line, as many as there are columns. */
export function cellsOf(figure: Figure): string[] {
  const { row, figure: name, unit, weir, kafka, ratio, bar } = figure;
  const met = isMet(figure);
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

/** Three digits are more than a shared machine can tell of a time; a count is exact, and may miss its bar by little. */
function amount(value: number | undefined, unit: string): string {
  if (value === undefined) return '';
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : unit === '' ? 3 : 2;
  return `${value.toFixed(digits)} ${unit}`.trimEnd();
}

/** A Markdown table whose columns line up for people who read it as text. */
export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => line[column]!.length)),
  );
  const text = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  return text(head) + text(widths.map((width) => '-'.repeat(width))) + lines.map(text).join('');
}
