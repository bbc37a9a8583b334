import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { formatBytes } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { countColumn, textColumn } from '../../../ui/columns.tsx';
import { CopyableId } from '../../../ui/copy-button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ListTable } from '../../../ui/list-page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { summaryCount } from './summary-count.ts';
import { useDescribed } from './use-described.ts';

type Snapshot = OutputOf<'dl/describe_table'>['snapshots'][number];

const summed = (id: string, title: string, name: string, format?: (count: number) => string) =>
  countColumn<Snapshot>(id, title, 'minmax(7rem, 1fr)', ({ summary }) => summaryCount(summary, name), format);

const columns: readonly Column<Snapshot>[] = [
  {
    id: 'time',
    title: 'Committed',
    width: 'minmax(7rem, 1fr)',
    sortBy: ({ timestamp_ms }) => timestamp_ms,
    cell: ({ committed_at }) => <Time of={committed_at} isAgo />,
  },
  textColumn('operation', 'Operation', 'minmax(6.5rem, 1fr)', ({ operation }) => operation ?? '–'),
  summed('added', 'Rows added', 'added-records'),
  summed('removed', 'Rows removed', 'deleted-records'),
  summed('files', 'Files added', 'added-data-files'),
  summed('gone', 'Files removed', 'deleted-data-files'),
  summed('total', 'Rows', 'total-records'),
  summed('size', 'Size', 'total-files-size', formatBytes),
];

/** The newest snapshots of a table, and what each of them changed. */
export function TableSnapshots() {
  const described = useDescribed();
  const [open, setOpen] = useState<Snapshot>();
  return (
    <>
      <ListTable
        label="Snapshots"
        of={described}
        what="read the snapshots of the table"
        rowsOf={({ snapshots }) => snapshots}
        filter={{
          label: 'Filter snapshots by operation or id',
          noun: 'snapshot',
          textOf: ({ snapshot_id, operation }) => `${operation ?? ''} ${snapshot_id}`,
        }}
        columns={columns}
        keyOf={({ snapshot_id }) => snapshot_id}
        sort="-time"
        onOpen={setOpen}
      >
        <Empty title="No snapshots yet">Every commit makes one. The first comes with the first rows.</Empty>
      </ListTable>
      {open !== undefined && <SnapshotSheet snapshot={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface SnapshotSheetProps {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}

function SnapshotSheet({ snapshot, onClose }: SnapshotSheetProps) {
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={`Snapshot ${snapshot.snapshot_id}`}
      description={
        <>
          {snapshot.operation ?? 'unknown operation'} · <Time of={snapshot.committed_at} />{' '}
          <CopyableId text={snapshot.snapshot_id} what="the snapshot id" />
        </>
      }
    >
      <dl className="divide-y divide-line rounded-md border border-line text-sm">
        {Object.entries(snapshot.summary).map(([name, value]) => (
          <div key={name} className="grid gap-x-3 px-3 py-1.5 sm:grid-cols-[14rem_minmax(0,1fr)]">
            <dt className="font-mono text-xs break-all text-muted">{visibleText(name)}</dt>
            <dd className="font-mono text-xs break-all text-ink">{visibleText(value)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
