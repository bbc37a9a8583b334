import { ArrowDownIcon, ArrowUpIcon } from '@primer/octicons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { visibleText } from '../format/visible-text.ts';
import { classNames } from './class-names.ts';
import { fittingColumns, narrowPx } from './phone-columns.ts';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** What rows are sorted by; a column without it does not sort. */
  readonly sortBy?: (row: Row) => string | number;
  /** Width in the grid: `minmax(12rem, 2fr)`, `8rem`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** On a phone columns with large numbers are left out first; without it those at the right. */
  readonly priority?: number;
}

/** Rows of a long list, which are loaded where they are seen. Their source has sorted them. */
interface RowWindow<Row> {
  readonly count: number;
  /** `undefined` while the row is on its way. */
  rowAt(index: number): Row | undefined;
  onSeen(first: number, last: number): void;
}

interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  /** Why a row cannot be selected. */
  readonly reasonAgainst?: (key: string) => string | undefined;
}

/** `name` or `-name`, as it stands in the URL. */
type Sort = string;

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | RowWindow<Row>;
  /** Puts a box before each row. */
  readonly selection?: Selection;
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
  const { label, keyOf, onOpen, selection, sort } = props;
  const rows = useMemo(
    () => (isWindow(props.rows) ? props.rows : wholeWindow(sortedRows(props.rows, props.columns, sort))),
    [props.rows, props.columns, sort],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const hasSelection = selection !== undefined;
  const [isWhole, setWhole] = useState(false);
  const widthPx = useWidthPx(scroller);
  const fitting = useMemo(
    () => fittingColumns(props.columns, { widthPx, remPx: remPx(), hasSelection }),
    [props.columns, widthPx, hasSelection],
  );
  const columns = isWhole ? props.columns : (fitting ?? props.columns);
  const isVirtual = rows.count > drawnWholeMax;
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 8,
    // A frame is drawn when the browser has time for it, so that scrolling never waits for rows.
    useFlushSync: false,
    enabled: isVirtual,
  });
  const widths = columns.map(({ width }) => width).join(' ');
  const template = useMemo(
    () => ({ gridTemplateColumns: hasSelection ? `2.5rem ${widths}` : widths }),
    [widths, hasSelection],
  );
  const drawn = isVirtual
    ? virtual.getVirtualItems().map(({ index, start }) => ({ index, top: start }))
    : Array.from({ length: rows.count }, (_, index) => ({ index, top: undefined }));
  const first = drawn[0]?.index ?? 0;
  const last = drawn.at(-1)?.index ?? 0;
  useEffect(() => rows.onSeen(first, last), [rows, first, last]);
  const table = (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.count + 1}
      // Tables scroll by the keyboard too.
      tabIndex={-1}
      onKeyDown={moveByArrows}
      className={classNames(
        'overflow-auto',
        isVirtual ? (props.heightClass ?? 'h-[70vh]') : props.heightClass,
      )}
    >
      <div className="min-w-min">
        <HeaderRow {...props} columns={columns} template={template} />
        <div role="rowgroup" className="relative" style={isVirtual ? { height: virtual.getTotalSize() } : {}}>
          {drawn.map(({ index, top }) => {
            const row = rows.rowAt(index);
            const key = row === undefined ? `row ${index}` : keyOf(row);
            return (
              <TableRow
                key={key}
                rowKey={key}
                row={row}
                index={index}
                top={top}
                isFirst={index === first}
                columns={columns as readonly Column<unknown>[]}
                template={template}
                onOpen={onOpen as ((row: unknown) => void) | undefined}
                isSelected={selection?.keys.has(key)}
                onToggle={selection?.onToggle}
                reasonAgainst={row === undefined ? undefined : selection?.reasonAgainst?.(key)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
  return (
    <>
      {table}
      {fitting !== undefined && (
        <LeftOut
          titles={props.columns
            .filter(({ id }) => !fitting.some((one) => one.id === id))
            .map(({ title }) => title)}
          isWhole={isWhole}
          onToggle={() => setWhole(!isWhole)}
        />
      )}
    </>
  );
}

interface LeftOutProps {
  readonly titles: readonly string[];
  readonly isWhole: boolean;
  readonly onToggle: () => void;
}

/** Which columns a phone leaves out, and the way to see them. */
function LeftOut({ titles, isWhole, onToggle }: LeftOutProps) {
  return (
    <p className="border-t border-line px-4 py-1.5 text-xs text-muted">
      {isWhole ? 'The table scrolls sideways. ' : `Not shown: ${titles.join(', ')}. `}
      <button
        type="button"
        aria-pressed={isWhole}
        onClick={onToggle}
        className="rounded text-accent underline"
      >
        {isWhole ? 'Show fewer columns' : 'Show all columns'}
      </button>
    </p>
  );
}

/** The width of an element up to where it counts, so that a wide table is not drawn again with each pixel. */
function useWidthPx(element: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const observed = element.current!;
    const read = () => setWidthPx(Math.min(observed.clientWidth, narrowPx));
    read();
    const observer = new ResizeObserver(read);
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return widthPx;
}

function remPx(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

interface TableRowProps {
  readonly rowKey: string;
  readonly row: unknown;
  readonly index: number;
  readonly top: number | undefined;
  readonly isFirst: boolean;
  readonly columns: readonly Column<unknown>[];
  readonly template: CSSProperties;
  readonly onOpen: ((row: unknown) => void) | undefined;
  /** `undefined` in a table without selection. */
  readonly isSelected: boolean | undefined;
  readonly onToggle: ((key: string) => void) | undefined;
  /** Why it cannot be selected. */
  readonly reasonAgainst: string | undefined;
}

/** Drawn again only if something of it changed: a long table moves with every frame. */
const TableRow = memo(function TableRow(props: TableRowProps) {
  const { rowKey, row, index, top, isFirst, columns, template, onOpen, isSelected, onToggle, reasonAgainst } =
    props;
  const isHere = row !== undefined;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-busy={!isHere || undefined}
      tabIndex={isFirst ? 0 : -1}
      data-row={index}
      onClick={isHere && onOpen ? () => onOpen(row) : undefined}
      onKeyDown={(event) => {
        if (!isHere || event.target !== event.currentTarget) return;
        if (event.key === 'Enter') onOpen?.(row);
        if (event.key === ' ' && onToggle !== undefined && reasonAgainst === undefined) {
          event.preventDefault();
          onToggle(rowKey);
        }
      }}
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
      {onToggle !== undefined && (
        <div role="gridcell" className="flex items-center pl-4">
          <input
            type="checkbox"
            aria-label={`Select ${visibleText(rowKey)}`}
            checked={isSelected === true}
            disabled={!isHere || reasonAgainst !== undefined}
            title={reasonAgainst}
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
            onChange={() => onToggle(rowKey)}
            className="size-4 accent-accent"
          />
        </div>
      )}
      {columns.map(({ id, cell, isNumber }) => (
        <div
          key={id}
          role="gridcell"
          className={classNames(
            'min-w-0 truncate px-4 text-sm',
            isNumber ? 'text-right tabular-nums' : 'text-left',
          )}
        >
          {isHere ? visible(cell(row)) : <span className="text-faint">…</span>}
        </div>
      ))}
    </div>
  );
});

/** Texts of cells may be names that anyone chose. */
function visible(content: ReactNode): ReactNode {
  return typeof content === 'string' ? visibleText(content) : content;
}

function HeaderRow<Row>({
  columns,
  sort,
  onSort,
  selection,
  template,
}: DataTableProps<Row> & { readonly template: { readonly gridTemplateColumns: string } }) {
  const sorted = sort?.replace(/^-/, '');
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-surface">
      <div role="row" aria-rowindex={1} className="grid border-b border-line" style={template}>
        {selection !== undefined && (
          <div role="columnheader">
            <span className="sr-only">Selected</span>
          </div>
        )}
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

function isWindow<Row>(rows: readonly Row[] | RowWindow<Row>): rows is RowWindow<Row> {
  return 'rowAt' in rows;
}

function wholeWindow<Row>(rows: readonly Row[]): RowWindow<Row> {
  return { count: rows.length, rowAt: (index) => rows[index], onSeen: () => {} };
}

function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
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
