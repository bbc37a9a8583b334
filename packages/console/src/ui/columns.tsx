import { formatCount } from '../format/format.ts';
import { visibleText } from '../format/visible-text.ts';
import type { Column } from './data-table.tsx';
import { Time } from './time.tsx';

/** A column of texts, sorted by them. */
export function textColumn<Row>(
  id: string,
  title: string,
  width: string,
  textOf: (row: Row) => string,
): Column<Row> {
  return { id, title, width, sortBy: textOf, cell: textOf };
}

/** The column of what rows are called. */
export function nameColumn<Row>(
  id: string,
  title: string,
  width: string,
  nameOf: (row: Row) => string,
): Column<Row> {
  return { id, title, width, sortBy: nameOf, cell: (row) => <Name text={nameOf(row)} /> };
}

/** What a row is called. */
export function Name({ text }: { readonly text: string }) {
  const shown = visibleText(text);
  return (
    <bdi className="font-medium text-ink" title={shown}>
      {shown}
    </bdi>
  );
}

/** A column of numbers, sorted by them. A row without one has a dash. */
export function countColumn<Row>(
  id: string,
  title: string,
  width: string,
  countOf: (row: Row) => number | null,
  format: (count: number) => string = formatCount,
): Column<Row> {
  const cell = (row: Row) => {
    const count = countOf(row);
    return count === null ? '–' : format(count);
  };
  return { id, title, width, isNumber: true, sortBy: (row) => countOf(row) ?? -1, cell };
}

/** A column of moments, sorted by them. */
export function timeColumn<Row>(
  id: string,
  title: string,
  width: string,
  timeOf: (row: Row) => string | null,
  { isNumber = false, isAgo = false }: { readonly isNumber?: boolean; readonly isAgo?: boolean } = {},
): Column<Row> {
  const cell = (row: Row) => <Time of={timeOf(row)} isAgo={isAgo} />;
  return { id, title, width, isNumber, sortBy: (row) => timeOf(row) ?? '', cell };
}
