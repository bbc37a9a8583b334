import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { visibleText } from '../../format/visible-text.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status, type StatusKind } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

type Notification = OutputOf<'list_alert_history'>['notifications'][number];
type Delivery = Notification['deliveries'][number];

const kinds: Readonly<Record<Notification['kind'], readonly [StatusKind, string]>> = {
  fired: ['fail', 'Fired'],
  changed: ['warn', 'Changed'],
  repeated: ['warn', 'Repeated'],
  resolved: ['ok', 'Resolved'],
};

const columns: readonly Column<Notification>[] = [
  { id: 'time', title: 'Time', width: '12rem', cell: ({ time }) => <Time of={time} /> },
  {
    id: 'kind',
    title: 'Change',
    width: '7rem',
    cell: ({ kind }) => <Status kind={kinds[kind][0]}>{kinds[kind][1]}</Status>,
  },
  {
    id: 'alert',
    title: 'Alert',
    width: 'minmax(8rem, 1fr)',
    cell: ({ alert_name }) => <bdi>{visibleText(alert_name)}</bdi>,
  },
  {
    id: 'deliveries',
    title: 'Sent to',
    width: 'minmax(12rem, 2fr)',
    cell: (row) => <Deliveries of={row} />,
  },
  {
    id: 'summary',
    title: 'Details',
    width: 'minmax(14rem, 3fr)',
    cell: ({ summary }) => <span title={visibleText(summary)}>{visibleText(summary)}</span>,
  },
];

const states: Readonly<Record<Delivery['state'], StatusKind>> = {
  delivered: 'ok',
  pending: 'warn',
  failed: 'fail',
};

function Deliveries({ of: { deliveries, is_muted } }: { readonly of: Notification }) {
  if (is_muted) return <Status kind="muted">Muted</Status>;
  if (deliveries.length === 0) return <span className="text-muted">not sent</span>;
  return (
    <span className="flex gap-2">
      {deliveries.map(({ channel_id, channel_name, state, attempts, last_error }) => (
        <span
          key={channel_id}
          title={visibleText(
            `${state} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${last_error === null ? '' : `: ${last_error}`}`,
          )}
        >
          <Status kind={states[state]}>
            <bdi>{visibleText(channel_name)}</bdi>
            {state !== 'delivered' && ` (${state})`}
          </Status>
        </span>
      ))}
    </span>
  );
}

const shownMax = 100;

/** When alerts fired and were resolved, and what became of the messages. */
export function AlertHistory() {
  const listed = useClusterOperation('list_alert_history', { limit: shownMax }, { everyMs: 5_000 });
  return (
    <Card title="History">
      <Answer of={listed} what="list the history of the alerts" rows={2}>
        {({ notifications, next_cursor }) =>
          notifications.length === 0 ? (
            <p className="p-4 text-sm text-muted">No alert has fired yet.</p>
          ) : (
            <>
              <DataTable
                label="History"
                columns={columns}
                rows={notifications}
                keyOf={({ alert_id, time, kind }) => `${alert_id} ${time} ${kind}`}
                heightClass="max-h-96"
              />
              {next_cursor !== null && (
                <p className="px-4 py-2 text-sm text-muted">The last {shownMax} of them.</p>
              )}
            </>
          )
        }
      </Answer>
    </Card>
  );
}
