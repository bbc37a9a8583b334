import { formatBytes } from '../../format/format.ts';
import { countColumn, textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Time } from '../../ui/time.tsx';
import { TableHealth } from './table-health.tsx';
import { bytesOf, lagText, rowsOf } from './table-words.ts';
import type { Table } from './use-tables.ts';

export const tableColumns: readonly Column<Table>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(14rem, 3fr)',
    sortBy: ({ table_name }) => table_name,
    cell: ({ table_name }) => <ObjectLink of={{ kind: 'table', name: table_name }} />,
  },
  {
    id: 'health',
    title: 'Health',
    width: 'minmax(7.5rem, 1fr)',
    sortBy: ({ status }) => status?.health.status ?? '',
    cell: ({ status }) => <TableHealth status={status} />,
  },
  textColumn('topic', 'Source topic', 'minmax(10rem, 2fr)', (table) => table.source_stream_name),
  countColumn('rows', 'Rows', 'minmax(7rem, 1fr)', rowsOf),
  countColumn('bytes', 'Size', 'minmax(6rem, 1fr)', bytesOf, formatBytes),
  {
    ...countColumn<Table>(
      'lag',
      'Lag',
      'minmax(6rem, 1fr)',
      ({ status }) => status?.query_lag_seconds ?? null,
      lagText,
    ),
    // On a phone it matters more than rows and bytes.
    priority: 15,
  },
  {
    id: 'commit',
    title: 'Last commit',
    width: 'minmax(7rem, 1fr)',
    isNumber: true,
    sortBy: ({ status }) => status?.last_commit_at ?? '',
    cell: ({ status }) => <Time of={status?.last_commit_at ?? null} isAgo />,
  },
];
