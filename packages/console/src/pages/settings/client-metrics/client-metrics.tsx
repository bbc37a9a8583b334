import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { useAction } from '../../../api/use-operation.ts';
import { formatDuration } from '../../../format/format.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { useMissingRight } from '../../../session/rights.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { countColumn, nameColumn } from '../../../ui/columns.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';
import { say, sayWithUndo } from '../../../ui/toasts.tsx';
import { SettingsFrame } from '../settings-frame.tsx';
import { SubscriptionDialog } from './subscription-dialog.tsx';

type Subscription = OutputOf<'list_client_metrics_subscriptions'>['subscriptions'][number];

/** Which clients are asked for which of their metrics, and how often. */
export function ClientMetrics() {
  const listed = useClusterOperation('list_client_metrics_subscriptions', {});
  const mayNot = useMissingRight(useClusterId()) !== undefined;
  const [edited, setEdited] = useState<Subscription | 'new'>();
  const remove = useRemove();
  // Without any, the button is below the title; it must not move while it is clicked.
  const hasRows = (listed.data?.subscriptions.length ?? 0) > 0;
  const create = (
    <Button kind="primary" icon={PlusIcon} disabled={mayNot} onClick={() => setEdited('new')}>
      Create subscription
    </Button>
  );
  return (
    <SettingsFrame actions={hasRows || listed.isError ? create : undefined}>
      <Card title="Client metrics subscriptions">
        <Answer of={listed} what="list the subscriptions">
          {({ subscriptions }) =>
            subscriptions.length === 0 ? (
              <Empty title="No subscriptions" action={create}>
                Kafka clients 3.7 and later push their metrics, such as latencies, to agents (KIP-714). Create
                a subscription to choose which.
              </Empty>
            ) : (
              <DataTable
                label="Subscriptions"
                columns={columnsOf(mayNot, setEdited, remove)}
                rows={subscriptions}
                keyOf={({ name }) => name}
              />
            )
          }
        </Answer>
      </Card>
      {edited !== undefined && (
        <SubscriptionDialog
          subscription={edited === 'new' ? undefined : edited}
          names={listed.data?.subscriptions.map(({ name }) => name) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </SettingsFrame>
  );
}

function useRemove(): (subscription: Subscription) => void {
  const remove = useAction('delete_client_metrics_subscriptions');
  const restore = useAction('update_client_metrics_subscriptions');
  const input = { virtual_cluster_id: useClusterId() };
  const onError = ({ message }: Error) => say(message, 'fail');
  return (subscription) =>
    remove.mutate(
      { ...input, client_metrics_subscription_names: [subscription.name] },
      {
        onSuccess: () =>
          sayWithUndo(`Deleted ${subscription.name}`, () =>
            restore.mutate({ ...input, client_metrics_subscriptions: [subscription] }, { onError }),
          ),
        onError,
      },
    );
}

function columnsOf(
  mayNot: boolean,
  onEdit: (subscription: Subscription) => void,
  onDelete: (subscription: Subscription) => void,
): readonly Column<Subscription>[] {
  return [
    nameColumn('name', 'Name', 'minmax(10rem, 1fr)', ({ name }) => name),
    countColumn('interval', 'Interval', '7rem', ({ interval_ms = 300_000 }) => interval_ms, formatDuration),
    {
      id: 'metrics',
      title: 'Metrics',
      width: 'minmax(14rem, 2fr)',
      cell: ({ metrics = '' }) => (
        <bdi className="font-mono text-xs" title={visibleText(metrics)}>
          {metrics === '' ? 'none' : visibleText(metrics)}
        </bdi>
      ),
    },
    {
      id: 'match',
      title: 'Clients',
      width: 'minmax(14rem, 2fr)',
      cell: ({ match = '' }) => (
        <bdi className="font-mono text-xs" title={visibleText(match)}>
          {match === '' ? 'all clients' : visibleText(match)}
        </bdi>
      ),
    },
    {
      id: 'acts',
      title: 'Actions',
      priority: 5,
      width: '6.5rem',
      cell: (subscription) => (
        <>
          <IconButton
            icon={PencilIcon}
            label={`Change ${subscription.name}`}
            disabled={mayNot}
            onClick={() => onEdit(subscription)}
          />
          <IconButton
            icon={TrashIcon}
            label={`Delete ${subscription.name}`}
            disabled={mayNot}
            onClick={() => onDelete(subscription)}
          />
        </>
      ),
    },
  ];
}
