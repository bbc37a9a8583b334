import { ArrowDownIcon, ArrowUpIcon } from '@primer/octicons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classNames } from './class-names.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** What rows are sorted by; a column without it does not sort. */
  readonly sortBy?: (row: Row) => string | number;
  /** Width in the grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  readonly isNumber?: boolean;
}

/** `name` or `-name`, as it stands in the URL. */
type Sort = string;

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly sort?: Sort | undefined;
  readonly onSort?: (sort: Sort) => void;
  readonly onOpen?: (row: Row) => void;
  /** The height of the part that scrolls; without it the page scrolls, and all rows are drawn. */
  readonly heightClass?: string;
}

const rowPx = 32;
/** More rows than this are drawn only where they are seen. */
const drawnWholeMax = 200;

/** A table as a grid: its header stays, numbers stand right, Enter opens a row, and arrows move between rows. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, keyOf, onOpen } = props;
  const rows = sortedRows(props);
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length > drawnWholeMax;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
    enabled: isVirtual,
  });
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  const drawn = isVirtual
    ? virtual.getVirtualItems().map(({ index, start }) => ({ index, top: start }))
    : rows.map((_, index) => ({ index, top: undefined }));
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      // Tables scroll by the keyboard too.
      tabIndex={-1}
      onKeyDown={moveByArrows}
      className={classNames(
        'overflow-auto',
        isVirtual ? (props.heightClass ?? 'h-[70vh]') : props.heightClass,
      )}
    >
      <div className="min-w-max">
        <HeaderRow {...props} template={template} />
        <div role="rowgroup" className="relative" style={isVirtual ? { height: virtual.getTotalSize() } : {}}>
          {drawn.map(({ index, top }) => {
            const row = rows[index]!;
            return (
              <div
                key={keyOf(row)}
                role="row"
                aria-rowindex={index + 2}
                tabIndex={index === 0 ? 0 : -1}
                data-row={index}
                onClick={onOpen && (() => onOpen(row))}
                onKeyDown={
                  onOpen &&
                  ((event) => event.key === 'Enter' && event.target === event.currentTarget && onOpen(row))
                }
                className={classNames(
                  'grid w-full items-center border-b border-line last:border-b-0 hover:bg-hover focus-visible:-outline-offset-2',
                  top !== undefined && 'absolute left-0',
                )}
                style={{
                  ...template,
                  height: rowPx,
                  ...(top === undefined ? {} : { transform: `translateY(${top}px)` }),
                }}
              >
                {columns.map(({ id, cell, isNumber }) => (
                  <div
                    key={id}
                    role="gridcell"
                    className={classNames(
                      'min-w-0 truncate px-4 text-sm',
                      isNumber ? 'text-right tabular-nums' : 'text-left',
                    )}
                  >
                    {cell(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function HeaderRow<Row>({
  columns,
  sort,
  onSort,
  template,
}: DataTableProps<Row> & { readonly template: { readonly gridTemplateColumns: string } }) {
  const sorted = sort?.replace(/^-/, '');
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-surface">
      <div role="row" aria-rowindex={1} className="grid border-b border-line" style={template}>
        {columns.map(({ id, title, sortBy, isNumber }) => {
          const direction = id === sorted ? (sort!.startsWith('-') ? 'descending' : 'ascending') : undefined;
          return (
            <div
              key={id}
              role="columnheader"
              aria-sort={direction ?? 'none'}
              className={classNames(
                'flex h-8 items-center px-4 text-xs font-medium text-muted',
                isNumber && 'justify-end',
              )}
            >
              {sortBy === undefined || onSort === undefined ? (
                title
              ) : (
                <button
                  type="button"
                  onClick={() => onSort(direction === 'ascending' ? `-${id}` : id)}
                  className="inline-flex items-center gap-1 rounded hover:text-ink [&_svg]:size-3"
                >
                  {title}
                  {direction === 'ascending' && <ArrowUpIcon aria-hidden="true" />}
                  {direction === 'descending' && <ArrowDownIcon aria-hidden="true" />}
                </button>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function sortedRows<Row>({ rows, columns, sort }: DataTableProps<Row>): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === sort?.replace(/^-/, ''))?.sortBy;
  if (sortBy === undefined) return rows;
  const sign = sort!.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(sortBy(a), sortBy(b)));
}

const collator = new Intl.Collator('en', { numeric: true });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

/** Moves the focus between the rows that are drawn. */
function moveByArrows(event: KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null;
  if (step === 0 || row === null) return;
  const next = event.currentTarget.querySelector<HTMLElement>(
    `[data-row="${Number(row.dataset.row) + step}"]`,
  );
  if (next === null) return;
  event.preventDefault();
  next.focus();
}
