import type { OutputOf } from '@weir/api/client';
import { type ComponentProps, useEffect, useState } from 'react';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer } from '../../../ui/states.tsx';
import type { Table } from '../use-tables.ts';

interface TablesPanelProps {
  readonly of: ComponentProps<typeof Answer<OutputOf<'dl/list_tables'>>>['of'];
  readonly onChoose: (table: string) => void;
  /** Called with the columns of a table when they are known. */
  readonly onColumns: (columns: readonly string[]) => void;
}

/** What queries may name: the tables, and the columns of those that are open. */
export function TablesPanel({ of, ...props }: TablesPanelProps) {
  return (
    <Card title="Tables">
      <Answer of={of} what="list the tables" rows={3}>
        {({ tables }) =>
          tables.length === 0 ? (
            <p className="px-4 py-3 text-sm text-muted">The cluster has no tables yet.</p>
          ) : (
            <ul aria-label="Tables" className="max-h-[60vh] overflow-y-auto py-1">
              {tables.map((table) => (
                <TableEntry key={table.table_uuid} table={table} {...props} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

interface TableEntryProps extends Omit<TablesPanelProps, 'of'> {
  readonly table: Table;
}

function TableEntry({ table, onChoose, onColumns }: TableEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const name = visibleText(table.table_name);
  return (
    <li className="px-2">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        title={name}
        className="flex min-h-7 w-full items-center gap-1 rounded px-1 text-left text-sm text-ink hover:bg-hover"
      >
        <span aria-hidden="true" className="inline-block w-4 shrink-0 text-center text-muted">
          {isOpen ? '▾' : '▸'}
        </span>
        <bdi className="truncate">{name}</bdi>
      </button>
      {isOpen && (
        <div className="flex flex-col gap-1 pb-2 pl-6">
          <Columns table={table} onColumns={onColumns} />
          <div>
            <Button aria-label={`Query ${name}`} onClick={() => onChoose(table.table_name)}>
              Query
            </Button>
          </div>
        </div>
      )}
    </li>
  );
}

function Columns({ table, onColumns }: Omit<TableEntryProps, 'onChoose'>) {
  const described = useClusterOperation('dl/describe_table', { table_uuid: table.table_uuid });
  const fields = described.data?.schemas.find(({ is_current }) => is_current)?.fields;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the fields; the callback is new each time.
  useEffect(() => {
    if (fields !== undefined) onColumns(fields.map(({ name }) => name));
  }, [fields]);
  return (
    <Answer of={described} what="read the columns of the table" rows={2}>
      {() => (
        <dl className="flex flex-col font-mono text-xs">
          {(fields ?? []).map(({ id, name, type }) => (
            <div key={id} className="flex gap-2">
              <dt className="min-w-0 flex-1 truncate text-ink" title={visibleText(name)}>
                {visibleText(name)}
              </dt>
              <dd className="max-w-24 truncate text-muted" title={visibleText(type)}>
                {visibleText(type)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Answer>
  );
}
