import { useNavigate, useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { lastOf, useMetrics, valuesOf } from '../../api/use-metrics.ts';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { formatCount, formatShort } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { MetricChart } from '../../ui/metric-chart.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { catchUpText } from './catch-up.ts';
import { memberColumns, partitionColumns } from './group-columns.tsx';
import { GroupState } from './group-state.tsx';
import { ResetSheet } from './reset-sheet.tsx';

type Described = OutputOf<'describe_consumer_group'>['group'];

export function Group() {
  const { clusterId, group: name } = useParams({ from: '/frame/clusters/$clusterId/consumer-groups/$group' });
  const described = useOperation(
    'describe_consumer_group',
    { virtual_cluster_id: clusterId, group: name },
    { everyMs: 5_000 },
  );
  return (
    <Answer of={described} what={`describe the group ${visibleText(name)}`}>
      {({ group }) => <GroupOf clusterId={clusterId} group={group} />}
    </Answer>
  );
}

interface GroupOfProps {
  readonly clusterId: string;
  readonly group: Described;
}

function GroupOf({ clusterId, group }: GroupOfProps) {
  const [open, setOpen] = useState<'reset' | 'delete'>();
  const rates = useMetrics(clusterId, {
    metrics: ['produced_records_per_second', 'consumed_records_per_second'],
    group: group.name,
  });
  const last = (metric: 'produced_records_per_second' | 'consumed_records_per_second') =>
    rates.data === undefined ? null : lastOf(valuesOf(rates.data, metric));
  const close = () => setOpen(undefined);
  const hasOffsets = group.type !== 'share';
  return (
    <Page
      title={visibleText(group.name)}
      facts={
        <>
          <GroupState state={group.state} /> · {formatCount(group.total_lag)} records behind
          {hasOffsets &&
            ` · ${catchUpText(
              group.total_lag,
              last('produced_records_per_second'),
              last('consumed_records_per_second'),
            )}`}
        </>
      }
      actions={
        <>
          {hasOffsets && <Button onClick={() => setOpen('reset')}>Reset offsets</Button>}
          <Button onClick={() => setOpen('delete')}>Delete</Button>
        </>
      }
    >
      {open === 'reset' && (
        <ResetSheet
          clusterId={clusterId}
          group={group.name}
          topics={group.topics.map((topic) => topic.name)}
          onClose={close}
        />
      )}
      {open === 'delete' && <DeleteGroup clusterId={clusterId} group={group} onClose={close} />}
      {hasOffsets && <Charts clusterId={clusterId} group={group.name} rates={rates} />}
      <Partitions clusterId={clusterId} group={group} />
      <Card title={`Members (${formatCount(group.members.length)})`}>
        {group.members.length === 0 ? (
          <Empty title="No members">Nothing reads for this group now; its committed offsets stay.</Empty>
        ) : (
          <DataTable label="Members" columns={memberColumns} rows={group.members} keyOf={({ id }) => id} />
        )}
      </Card>
    </Page>
  );
}

interface ChartsProps {
  readonly clusterId: string;
  readonly group: string;
  readonly rates: ReturnType<typeof useMetrics>;
}

function Charts({ clusterId, group, rates }: ChartsProps) {
  const lag = useMetrics(clusterId, { metrics: ['lag'], group, group_by: 'topic', limit: 8 });
  const nothing = 'No samples in the last hour. The groups with the largest lag have them.';
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <MetricChart
        title="Lag by topic, last hour"
        of={lag}
        format={formatShort}
        nothing={nothing}
        pick={({ series }) => series.map(({ topic = '', values }) => ({ label: topic, values }))}
      />
      <MetricChart
        title="Records per second, last hour"
        of={rates}
        format={formatShort}
        nothing={nothing}
        pick={(data) => [
          { label: 'produced', values: valuesOf(data, 'produced_records_per_second') },
          { label: 'consumed', values: valuesOf(data, 'consumed_records_per_second') },
        ]}
      />
    </div>
  );
}

function Partitions({ clusterId, group }: GroupOfProps) {
  const rows = group.topics.flatMap((topic) =>
    topic.partitions.map((partition) => ({ topic: topic.name, partition })),
  );
  const lagMax = rows.reduce((most, { partition }) => Math.max(most, partition.lag ?? 0), 0);
  return (
    <Card title={`Partitions (${formatCount(rows.length)})`}>
      {rows.length === 0 ? (
        <Empty title="No partitions">The group reads nothing and has committed no offsets.</Empty>
      ) : (
        <DataTable
          label="Partitions"
          columns={partitionColumns(clusterId, lagMax)}
          rows={rows}
          keyOf={({ topic, partition }) => `${topic}-${partition.partition}`}
        />
      )}
    </Card>
  );
}

function DeleteGroup({ clusterId, group, onClose }: GroupOfProps & { readonly onClose: () => void }) {
  const remove = useAction('delete_consumer_group');
  const navigate = useNavigate();
  const { name } = group;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete the group ${visibleText(name)}`}
      button={`Delete ${visibleText(name)}`}
      nameToType={name}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, group: name, confirm_group: name },
          {
            onSuccess: () => {
              say(`Deleted ${visibleText(name)}`);
              void navigate({ to: '/clusters/$clusterId/consumer-groups', params: { clusterId } });
            },
          },
        )
      }
    >
      <p>
        Its committed offsets are forgotten and cannot be restored. Consumers that join it again begin where
        their setting auto.offset.reset says.
      </p>
    </ConfirmDialog>
  );
}
