import { TrashIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeIconButton } from '../../session/change-button.tsx';
import { countColumn, timeColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { assignmentText, ownerOf } from './group-facts.ts';

type Described = OutputOf<'describe_consumer_group'>['group'];

interface PartitionRow {
  readonly topic: string;
  readonly partition: Described['topics'][number]['partitions'][number];
}

type TopicOfGroup = Described['topics'][number];

const committedCount = ({ partitions }: TopicOfGroup) =>
  partitions.filter(({ committed_offset }) => committed_offset !== null).length;

export function topicColumns(onForget: (topic: string) => void): readonly Column<TopicOfGroup>[] {
  return [
    {
      id: 'topic',
      title: 'Topic',
      width: 'minmax(12rem, 3fr)',
      cell: ({ name }) => <TopicLink topic={name} />,
    },
    {
      id: 'committed',
      title: 'Partitions with offsets',
      width: 'minmax(11rem, 1fr)',
      isNumber: true,
      cell: (topic) => `${formatCount(committedCount(topic))} of ${formatCount(topic.partitions.length)}`,
    },
    countColumn('lag', 'Lag', 'minmax(7rem, 1fr)', ({ total_lag }) => total_lag),
    {
      id: 'acts',
      title: 'Actions',
      priority: 5,
      width: '6rem',
      cell: (topic) => (
        <ChangeIconButton
          icon={TrashIcon}
          label={`Delete offsets of ${topic.name}`}
          disabled={committedCount(topic) === 0}
          onClick={() => onForget(topic.name)}
        />
      ),
    },
  ];
}

function TopicLink({ topic }: { readonly topic: string }) {
  return <ObjectLink of={{ kind: 'topic', name: topic }} className="hover:underline" />;
}

/** Bars are as long as the lag is, compared with that of the partition that has the most. */
export function partitionColumns(group: Described, lagMax: number): readonly Column<PartitionRow>[] {
  return [
    {
      id: 'topic',
      title: 'Topic',
      width: 'minmax(12rem, 2fr)',
      cell: ({ topic }) => <TopicLink topic={topic} />,
    },
    countColumn('partition', 'Partition', '7rem', ({ partition }) => partition.partition, String),
    countColumn('committed', 'Committed', 'minmax(7rem, 1fr)', ({ partition }) => partition.committed_offset),
    countColumn('end', 'Log end', 'minmax(7rem, 1fr)', ({ partition }) => partition.end_offset),
    {
      ...countColumn<PartitionRow>('lag', 'Lag', 'minmax(7rem, 1fr)', ({ partition }) => partition.lag),
      priority: 15,
    },
    {
      id: 'bar',
      title: 'Relative lag',
      width: 'minmax(6rem, 1fr)',
      cell: ({ partition }) => (
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="h-2 w-full">
          <rect
            width={lagMax === 0 ? 0 : (100 * (partition.lag ?? 0)) / lagMax}
            height="8"
            className="fill-warn"
          />
        </svg>
      ),
    },
    {
      id: 'member',
      title: 'Owner',
      width: 'minmax(12rem, 2fr)',
      cell: ({ partition }) => (
        <bdi
          title={partition.member_id ?? undefined}
          className={partition.member_id === null ? 'text-muted' : ''}
        >
          {visibleText(ownerOf(group.members, partition.member_id) ?? 'none')}
        </bdi>
      ),
    },
    ...(group.type === 'share'
      ? []
      : [
          timeColumn<PartitionRow>(
            'committed_at',
            'Last commit',
            'minmax(8rem, 1fr)',
            ({ partition }) => partition.committed_at,
            { isAgo: true },
          ),
        ]),
  ];
}

export const memberColumns: readonly Column<Described['members'][number]>[] = [
  {
    id: 'client',
    title: 'Client id',
    width: 'minmax(10rem, 1fr)',
    cell: ({ client_id }) => <bdi>{visibleText(client_id)}</bdi>,
  },
  { id: 'host', title: 'Host', width: 'minmax(8rem, 1fr)', cell: ({ client_host }) => client_host },
  {
    id: 'id',
    title: 'Member id',
    width: 'minmax(14rem, 2fr)',
    cell: ({ id }) => (
      <span title={id} className="font-mono text-xs">
        {visibleText(id)}
      </span>
    ),
  },
  {
    id: 'instance',
    title: 'Static member',
    width: 'minmax(8rem, 1fr)',
    cell: ({ group_instance_id: instance }) => (
      <bdi className={instance === null ? 'text-muted' : ''}>
        {instance === null ? 'no' : visibleText(instance)}
      </bdi>
    ),
  },
  countColumn('partitions', 'Partitions', '7rem', ({ assignment }) =>
    assignment.assignments.reduce((sum, { partitions }) => sum + partitions.length, 0),
  ),
  {
    id: 'assignment',
    title: 'Assigned',
    width: 'minmax(14rem, 2fr)',
    cell: (member) => {
      const shown = visibleText(assignmentText(member));
      return <bdi title={shown}>{shown === '' ? '–' : shown}</bdi>;
    },
  },
];
