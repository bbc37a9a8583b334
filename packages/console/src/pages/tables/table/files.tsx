import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { formatBytes } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { countColumn, textColumn } from '../../../ui/columns.tsx';
import { CopyableId } from '../../../ui/copy-button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListTable } from '../../../ui/list-page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { ForRecordReaders } from '../for-record-readers.tsx';
import { useTableOfPage } from './use-described.ts';

type File = OutputOf<'dl/list_table_files'>['files'][number];

const baseOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const columns: readonly Column<File>[] = [
  {
    id: 'file',
    title: 'File',
    width: 'minmax(14rem, 3fr)',
    sortBy: ({ path }) => baseOf(path),
    cell: ({ path }) => (
      <span title={visibleText(path)}>
        <CopyableId text={baseOf(path)} what="the name of the file" />
      </span>
    ),
  },
  textColumn('partition', 'Partition', 'minmax(10rem, 2fr)', ({ partition }) => partition || '–'),
  countColumn('rows', 'Rows', 'minmax(7rem, 1fr)', ({ records }) => records),
  countColumn('size', 'Size', 'minmax(6rem, 1fr)', ({ bytes }) => bytes, formatBytes),
];

/** The data files of the newest snapshot. */
export function TableFiles() {
  // Partitions show values of rows.
  return (
    <ForRecordReaders>
      <Files />
    </ForRecordReaders>
  );
}

function Files() {
  const { uuid } = useTableOfPage();
  const listed = useClusterOperation(
    'dl/list_table_files',
    { table_uuid: uuid ?? '' },
    { isEnabled: uuid !== undefined },
  );
  return (
    <ListTable
      label="Files"
      of={listed}
      what="list the files of the table"
      rowsOf={({ files }) => files}
      filter={{
        label: 'Filter files by name or partition',
        noun: 'file',
        textOf: ({ path, partition }) => `${path} ${partition}`,
        notes: listed.data?.is_complete === false && (
          <p className="text-sm text-muted">The table has more files than are listed here.</p>
        ),
      }}
      columns={columns}
      keyOf={({ path }) => path}
      sort="-size"
    >
      <Empty title="No files yet">
        Rows are written to Parquet files, which appear with the first commit.
      </Empty>
    </ListTable>
  );
}
