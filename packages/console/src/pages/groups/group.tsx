import { Link, useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useOperation } from '../../api/use-operation.ts';
import { formatCount } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { GroupState } from './group-state.tsx';

type Described = OutputOf<'describe_consumer_group'>['group'];
type Member = Described['members'][number];

interface PartitionRow {
  readonly topic: string;
  readonly partition: Described['topics'][number]['partitions'][number];
}

const offset = (value: number | null | undefined) =>
  value === null || value === undefined ? '–' : formatCount(value);

function partitionColumns(clusterId: string): readonly Column<PartitionRow>[] {
  return [
    {
      id: 'topic',
      title: 'Topic',
      width: 'minmax(12rem, 2fr)',
      cell: ({ topic }) => (
        <Link
          to="/clusters/$clusterId/topics/$topic"
          params={{ clusterId, topic }}
          title={topic}
          className="hover:underline"
        >
          {topic}
        </Link>
      ),
    },
    {
      id: 'partition',
      title: 'Partition',
      width: '7rem',
      isNumber: true,
      cell: ({ partition }) => partition.partition,
    },
    {
      id: 'committed',
      title: 'Committed',
      width: 'minmax(8rem, 1fr)',
      isNumber: true,
      cell: ({ partition }) => offset(partition.committed_offset),
    },
    {
      id: 'end',
      title: 'End',
      width: 'minmax(8rem, 1fr)',
      isNumber: true,
      cell: ({ partition }) => offset(partition.end_offset),
    },
    {
      id: 'lag',
      title: 'Lag',
      width: 'minmax(8rem, 1fr)',
      isNumber: true,
      cell: ({ partition }) => offset(partition.lag),
    },
    {
      id: 'member',
      title: 'Member',
      width: 'minmax(12rem, 2fr)',
      cell: ({ partition }) => (
        <span title={partition.member_id ?? undefined} className="font-mono text-xs">
          {partition.member_id ?? '–'}
        </span>
      ),
    },
  ];
}

const memberColumns: readonly Column<Member>[] = [
  { id: 'client', title: 'Client id', width: 'minmax(10rem, 1fr)', cell: ({ client_id }) => client_id },
  { id: 'host', title: 'Host', width: 'minmax(8rem, 1fr)', cell: ({ client_host }) => client_host },
  {
    id: 'id',
    title: 'Member id',
    width: 'minmax(14rem, 2fr)',
    cell: ({ id }) => (
      <span title={id} className="font-mono text-xs">
        {id}
      </span>
    ),
  },
  {
    id: 'partitions',
    title: 'Partitions',
    width: '7rem',
    isNumber: true,
    cell: ({ assignment }) =>
      formatCount(assignment.assignments.reduce((sum, { partitions }) => sum + partitions.length, 0)),
  },
];

export function Group() {
  const { clusterId, group: name } = useParams({ from: '/frame/clusters/$clusterId/consumer-groups/$group' });
  const { data, isError, error, refetch } = useOperation(
    'describe_consumer_group',
    { virtual_cluster_id: clusterId, group: name },
    { everyMs: 5_000 },
  );
  const group = data?.group;
  const partitions = group?.topics.flatMap((topic) =>
    topic.partitions.map((partition) => ({ topic: topic.name, partition })),
  );
  return (
    <Page
      title={name}
      facts={
        group && (
          <>
            <GroupState state={group.state} /> · {offset(group.total_lag)} records behind
          </>
        )
      }
    >
      {group === undefined ? (
        isError ? (
          <Failure what={`describe the group ${name}`} error={error} onRetry={() => refetch()} />
        ) : (
          <Skeleton />
        )
      ) : (
        <>
          <Card title={`Partitions (${formatCount(partitions!.length)})`}>
            <DataTable
              label="Partitions"
              columns={partitionColumns(clusterId)}
              rows={partitions!}
              keyOf={({ topic, partition }) => `${topic}-${partition.partition}`}
            />
          </Card>
          <Card title={`Members (${formatCount(group.members.length)})`}>
            {group.members.length === 0 ? (
              <Empty title="No members">Nothing reads for this group now; its committed offsets stay.</Empty>
            ) : (
              <DataTable
                label="Members"
                columns={memberColumns}
                rows={group.members}
                keyOf={({ id }) => id}
              />
            )}
          </Card>
        </>
      )}
    </Page>
  );
}
