import type { OutputOf } from '@weir/api/client';
import { useMemo, useState } from 'react';
import { csvOf } from '../../../format/csv.ts';
import { download } from '../../../format/download.ts';
import { counted, formatDuration } from '../../../format/format.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { Card } from '../../../ui/page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { cellText } from './cell-text.ts';

type Result = OutputOf<'dl/query_table'>;

/** Rows have no key of their own. */
interface Row {
  readonly at: number;
  readonly values: Result['rows'][number];
}

const cellChars = 200;
/** Types whose values stand right, as DuckDB names them. */
const numberType = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|UBIGINT|FLOAT|DOUBLE|DECIMAL)/i;

/** The rows that a query found. */
export function QueryResult({ result }: { readonly result: Result }) {
  const { columns: found, rows: values, is_complete, took_ms } = result;
  const [open, setOpen] = useState<Row>();
  const rows = useMemo(() => values.map((one, at): Row => ({ at, values: one })), [values]);
  const columns = useMemo(() => found.map(columnOf), [found]);
  const table = (
    <DataTable
      label="Result"
      columns={columns}
      rows={rows}
      keyOf={({ at }) => String(at)}
      onOpen={setOpen}
      heightClass="max-h-[60vh]"
    />
  );
  return (
    <>
      <Card
        title={`${counted(rows.length, 'row')} in ${formatDuration(took_ms)}`}
        actions={rows.length > 0 && <Download result={result} />}
      >
        {!is_complete && (
          <p className="border-b border-line px-4 py-2">
            <Status kind="warn" wraps>
              There are more rows than these. Add a condition or a LIMIT, or take more rows at most.
            </Status>
          </p>
        )}
        {rows.length === 0 ? <Empty title="No rows">The query found nothing.</Empty> : table}
      </Card>
      {open !== undefined && <RowSheet columns={found} row={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function columnOf({ name, type }: Result['columns'][number], at: number): Column<Row> {
  return {
    id: `${at} ${name}`,
    title: name,
    width: 'minmax(9rem, 1fr)',
    isNumber: numberType.test(type),
    cell: ({ values }) => {
      const value = values[at];
      return value === null || value === undefined ? (
        <span className="text-muted">null</span>
      ) : (
        <bdi className="font-mono text-xs" title={visibleText(cutText(cellText(value), cellChars * 5))}>
          {visibleText(cutText(cellText(value), cellChars))}
        </bdi>
      );
    },
  };
}

interface RowSheetProps {
  readonly columns: Result['columns'];
  readonly row: Row;
  readonly onClose: () => void;
}

/** All of one row. */
function RowSheet({ columns, row, onClose }: RowSheetProps) {
  return (
    <Dialog isOpen isSheet onClose={onClose} title={`Row ${row.at + 1}`}>
      <dl className="divide-y divide-line rounded-md border border-line">
        {columns.map(({ name, type }, at) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: names of columns may repeat.
            key={at}
            className="grid items-start gap-x-3 px-3 py-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]"
          >
            <dt className="font-mono text-xs break-all text-muted">
              {visibleText(name)} <span className="text-muted">{visibleText(type)}</span>
            </dt>
            <dd className="flex min-w-0 items-start gap-1">
              <span className="max-h-60 min-w-0 flex-1 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap text-ink">
                {visibleText(cellText(row.values[at] ?? null))}
              </span>
              <CopyButton text={cellText(row.values[at] ?? null)} what={`the value of ${name}`} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** In CSV nothing stands for null. */
const withoutNulls = (row: Result['rows'][number]) => row.map((value) => value ?? undefined);

function Download({ result: { columns, rows } }: { readonly result: Result }) {
  const names = columns.map(({ name }) => name);
  const line = (row: Result['rows'][number]) =>
    `${JSON.stringify(Object.fromEntries(names.map((name, at) => [name, row[at]])))}\n`;
  return (
    <Menu
      trigger={<Button>Download</Button>}
      entries={[
        {
          id: 'csv',
          label: 'CSV',
          onSelect: () => download('result.csv', csvOf(names, rows.map(withoutNulls))),
        },
        {
          id: 'ndjson',
          label: 'JSON lines',
          onSelect: () => download('result.ndjson', rows.map(line).join('')),
        },
      ]}
    />
  );
}
