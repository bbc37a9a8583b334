import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { counted } from '../../../format/format.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { ChangeButton } from '../../../session/change-button.tsx';
import { useButtonAction } from '../../../ui/actions.ts';
import { textColumn, timeColumn } from '../../../ui/columns.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListTable } from '../../../ui/list-page.tsx';
import { Empty } from '../../../ui/states.tsx';
import { ForRecordReaders } from '../for-record-readers.tsx';
import { useTable } from '../use-tables.ts';
import { payloadOf } from './failed-payload.ts';
import { type FailedRecord, FailureSheet } from './failure-sheet.tsx';
import { useTableOfPage } from './use-described.ts';

const previewChars = 200;

const columns: readonly Column<FailedRecord>[] = [
  timeColumn('failed', 'Failed', 'minmax(7rem, 1fr)', ({ failed_at }) => failed_at, { isAgo: true }),
  {
    id: 'offset',
    title: 'Offset',
    width: 'minmax(7rem, 1fr)',
    isNumber: true,
    priority: 3,
    sortBy: ({ offset }) => offset,
    cell: ({ partition, offset }) => `${partition}:${offset}`,
  },
  textColumn('step', 'Step', '7rem', ({ step }) => step),
  {
    id: 'error',
    title: 'Error',
    width: 'minmax(12rem, 3fr)',
    priority: 1,
    sortBy: ({ error }) => error,
    cell: ({ error }) => <span title={visibleText(error)}>{visibleText(error)}</span>,
  },
  {
    id: 'value',
    title: 'Value',
    width: 'minmax(12rem, 3fr)',
    cell: ({ value }) => {
      const payload = payloadOf(value);
      return payload === null ? (
        <span className="text-muted">null</span>
      ) : (
        <bdi className="font-mono text-xs">{visibleText(cutText(payload.text, previewChars))}</bdi>
      );
    },
  },
];

/** Records that could not be rows, and that the table keeps: why, and what they were. */
export function TableFailures() {
  return (
    <ForRecordReaders>
      <Failures />
    </ForRecordReaders>
  );
}

function Failures() {
  const { uuid } = useTableOfPage();
  const listed = useClusterOperation(
    'dl/list_table_failures',
    { table_uuid: uuid ?? '' },
    { everyMs: 30_000, isEnabled: uuid !== undefined },
  );
  const [open, setOpen] = useState<FailedRecord>();
  const count = listed.data?.failures.length ?? 0;
  return (
    <>
      <ListTable
        label="Failed records"
        of={listed}
        what="list the failed records of the table"
        rowsOf={({ failures }) => failures}
        filter={{
          label: 'Filter by error or value',
          noun: 'failed record',
          controls: count > 0 && <ReplayButton />,
          textOf: ({ error, step, value }) => `${error} ${step} ${payloadOf(value)?.text ?? ''}`,
          notes: listed.data?.is_complete === false && (
            <p className="text-sm text-muted">
              The table keeps more failed records; these are the newest {counted(count, 'record')}.
            </p>
          ),
        }}
        columns={columns}
        keyOf={({ partition, offset }) => `${partition}:${offset}`}
        sort="-failed"
        onOpen={setOpen}
      >
        <Empty title="No failed records">
          With dlq_mode: keep in the configuration, records that cannot be rows are kept here with the reason.
        </Empty>
      </ListTable>
      {open !== undefined && <FailureSheet record={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Has the records read again by the configuration as it is now. It destroys nothing, so it asks nothing. */
function ReplayButton() {
  const clusterId = useClusterId();
  const { name, uuid } = useTableOfPage();
  const isReplaying = useTable(name).data?.status?.replay_requested_at !== undefined;
  const replay = useButtonAction('dl/replay_table_failures');
  return (
    <ChangeButton
      disabled={uuid === undefined || isReplaying || replay.isPending}
      title="Reads the kept records again by the deployed configuration. Those that fail again stay."
      onClick={() =>
        replay.run(
          { virtual_cluster_id: clusterId, table_uuid: uuid ?? '' },
          'An agent replays the failed records; those that fail again stay',
        )
      }
    >
      {isReplaying ? 'Replaying…' : 'Replay'}
    </ChangeButton>
  );
}
