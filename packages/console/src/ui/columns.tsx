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

/** A column of whole numbers, sorted by them. */
export function countColumn<Row>(
  id: string,
  title: string,
  width: string,
  countOf: (row: Row) => number,
): Column<Row> {
  return { id, title, width, isNumber: true, sortBy: countOf, cell: (row) => formatCount(countOf(row)) };
}

/** A column of moments, sorted by them. */
export function timeColumn<Row>(
  id: string,
  title: string,
  width: string,
  timeOf: (row: Row) => string | null,
): Column<Row> {
  return {
    id,
    title,
    width,
    sortBy: (row) => timeOf(row) ?? '',
    cell: (row) => <Time of={timeOf(row)} />,
  };
}
