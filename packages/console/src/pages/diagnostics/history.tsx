import type { OutputOf } from '@weir/api/client';
import { useOperation } from '../../api/use-operation.ts';
import { formatDuration } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status, type StatusKind } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { failedMs, type Transition } from './evidence/failed-ms.ts';

interface Row extends Transition {
  /** Of one that recovered: how long it had failed. */
  readonly failedMs: number | undefined;
}

const kinds: Readonly<Record<Transition['transition'], StatusKind>> = {
  failed: 'fail',
  recovered: 'ok',
  muted: 'muted',
  unmuted: 'info',
};

const columns: readonly Column<Row>[] = [
  { id: 'time', title: 'Time', width: '12rem', cell: ({ time }) => <Time of={time} /> },
  {
    id: 'transition',
    title: 'Transition',
    width: '9rem',
    cell: ({ transition }) => <Status kind={kinds[transition]}>{transition}</Status>,
  },
  {
    id: 'lasted',
    title: 'Duration',
    width: '7rem',
    isNumber: true,
    cell: ({ failedMs: ms }) => (ms === undefined ? '' : formatDuration(ms)),
  },
  {
    id: 'message',
    title: 'Details',
    width: 'minmax(16rem, 3fr)',
    cell: ({ message }) => <span title={visibleText(message)}>{visibleText(message)}</span>,
  },
  {
    id: 'actor',
    title: 'By',
    width: 'minmax(8rem, 1fr)',
    cell: ({ actor }) => (actor === null ? '' : <bdi>{visibleText(actor)}</bdi>),
  },
];

interface HistoryProps {
  readonly of: { readonly virtual_cluster_id: string; readonly diagnostic_id: string };
}

const shownMax = 100;

/** When a diagnostic failed, recovered and was muted. */
export function History({ of: target }: HistoryProps) {
  const listed = useOperation('list_diagnostic_history', { ...target, limit: shownMax }, { everyMs: 10_000 });
  return (
    <Card title="History">
      <Answer of={listed} what="list the history of the diagnostic" rows={2}>
        {({ transitions, next_cursor }: OutputOf<'list_diagnostic_history'>) =>
          transitions.length === 0 ? (
            <p className="p-4 text-muted">Never failed.</p>
          ) : (
            <>
              <DataTable
                label="History"
                columns={columns}
                rows={transitions.map((one, index) => ({ ...one, failedMs: failedMs(transitions, index) }))}
                keyOf={({ time, transition }) => `${time} ${transition}`}
                heightClass="max-h-80"
              />
              {next_cursor !== null && (
                <p className="px-4 py-2 text-sm text-muted">The last {shownMax} changes.</p>
              )}
            </>
          )
        }
      </Answer>
    </Card>
  );
}
