import { SearchIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useRef } from 'react';
import { DataTable } from './data-table.tsx';
import { controlClass } from './fields.tsx';
import { Card } from './page.tsx';
import { useShortcut } from './shortcuts.ts';
import { Answer, Empty } from './states.tsx';

interface FilterBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Narrows a list. `/` moves to it from anywhere on the page. */
export function FilterBox({ label, value, onChange }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  useShortcut({ keys: '/', label: 'Filter list', group: 'On this page' }, () => input.current?.focus());
  return (
    <div className="relative w-full max-w-80">
      <SearchIcon aria-hidden="true" className="absolute top-2 left-2.5 size-4 text-muted" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`${controlClass} pl-8`}
      />
    </div>
  );
}

/** Keeps entries whose name contains the text, in any case. */
export function matching<Entry>(
  entries: readonly Entry[],
  nameOf: (entry: Entry) => string,
  text: string | undefined,
): readonly Entry[] {
  if (text === undefined || text === '') return entries;
  const wanted = text.toLowerCase();
  return entries.filter((entry) => nameOf(entry).toLowerCase().includes(wanted));
}

interface ListSearch {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

/** What the URL says of a list: the filter, the order, and what else its page keeps there. */
export function useListSearch() {
  const { q, sort }: ListSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: Readonly<Record<string, unknown>>) =>
    void navigate({ to: '.', search: (now: object) => ({ ...now, ...change }), replace: true } as never);
  return { q, sort, set, setFilter: (text: string) => set({ q: text || undefined }) };
}

interface ListTableProps<Data, Row> extends Omit<ComponentProps<typeof DataTable<Row>>, 'rows' | 'onSort'> {
  readonly of: ComponentProps<typeof Answer<Data>>['of'];
  /** As a failure says it: `list the keys`. */
  readonly what: string;
  readonly rowsOf: (data: Data) => readonly Row[];
  readonly filter?: {
    readonly label: string;
    /** What a row is called: `key`. */
    readonly noun: string;
    /** The text that contains what is searched for. */
    readonly textOf: (row: Row) => string;
    /** Leaves out other rows. */
    readonly keeps?: (row: Row) => boolean;
    /** Beside the filter. */
    readonly controls?: ReactNode;
    /** Between the filter and the table. */
    readonly notes?: ReactNode;
  };
  readonly title?: ReactNode;
  /** Instead of a table without any row; absent where there always is one. */
  readonly children?: ReactNode;
}

/** A list with its filter. The URL has the filter and the order. */
export function ListTable<Data, Row>(props: ListTableProps<Data, Row>) {
  const { of, what, rowsOf, filter, title, children, sort: usualSort, ...table } = props;
  const { q, sort, set, setFilter } = useListSearch();
  return (
    <>
      {filter !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <FilterBox label={filter.label} value={q ?? ''} onChange={setFilter} />
          {filter.controls}
        </div>
      )}
      {filter?.notes}
      <Card title={title}>
        <Answer of={of} what={what}>
          {(data) => {
            const all = rowsOf(data);
            if (all.length === 0) return children;
            const kept = all.filter((row) => filter?.keeps?.(row) ?? true);
            const shown = filter === undefined ? kept : matching(kept, filter.textOf, q);
            return shown.length === 0 ? (
              <NoMatch noun={filter!.noun} />
            ) : (
              <DataTable
                {...table}
                rows={shown}
                sort={sort ?? usualSort}
                onSort={(next) => set({ sort: next })}
              />
            );
          }}
        </Answer>
      </Card>
    </>
  );
}

/** Instead of a list whose filter leaves nothing. */
export function NoMatch({ noun }: { readonly noun: string }) {
  return <Empty title={`No ${noun} matches the filter`}>Change the filter above to see more.</Empty>;
}
