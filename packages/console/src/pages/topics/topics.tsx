import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useOperation } from '../../api/use-operation.ts';
import { formatBytes, formatCount, formatDuration, formatTime } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';

type Topic = OutputOf<'list_topics'>['topics'][number];

const nsPerMs = 1_000_000;

function columnsOf(clusterId: string): readonly Column<Topic>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(14rem, 3fr)',
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <Link
          to="/clusters/$clusterId/topics/$topic"
          params={{ clusterId, topic: name }}
          title={name}
          className="font-medium text-ink hover:underline"
        >
          {name}
        </Link>
      ),
    },
    {
      id: 'partitions',
      title: 'Partitions',
      width: 'minmax(6rem, 1fr)',
      isNumber: true,
      sortBy: ({ shard_count }) => shard_count,
      cell: ({ shard_count }) => formatCount(shard_count),
    },
    {
      id: 'size',
      title: 'Size',
      width: 'minmax(7rem, 1fr)',
      isNumber: true,
      sortBy: ({ uncompressed_size_hint }) => uncompressed_size_hint,
      cell: ({ uncompressed_size_hint }) => (
        <span title="before compression">{formatBytes(uncompressed_size_hint)}</span>
      ),
    },
    {
      id: 'retention',
      title: 'Retention',
      width: 'minmax(7rem, 1fr)',
      isNumber: true,
      sortBy: ({ retention }) => (retention < 0 ? Number.POSITIVE_INFINITY : Number(retention)),
      cell: ({ retention }) => (retention < 0 ? 'for ever' : formatDuration(Number(retention) / nsPerMs)),
    },
    {
      id: 'created',
      title: 'Created',
      width: 'minmax(11rem, 1fr)',
      isNumber: true,
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <span title={created_at}>{formatTime(created_at, 'local')}</span>,
    },
  ];
}

export function Topics() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/topics' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/topics' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/topics' });
  const { data, isError, error, refetch } = useOperation(
    'list_topics',
    { virtual_cluster_id: clusterId },
    { everyMs: 10_000 },
  );
  const topics = data?.topics;
  const shown = topics && matching(topics, ({ name }) => name, search.q);
  return (
    <Page title="Topics" facts={topics && countLine(topics.length, shown!.length)}>
      <FilterBox
        label="Filter topics by name"
        value={search.q ?? ''}
        onChange={(q) =>
          void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
        }
      />
      <Card>
        {shown === undefined ? (
          isError ? (
            <Failure what="list the topics" error={error} onRetry={() => refetch()} />
          ) : (
            <Skeleton />
          )
        ) : topics!.length === 0 ? (
          <Empty title="No topics yet" command="weir cli create-topic -topic orders -partitions 12">
            A topic is a named log of records. Producers write to it and consumer groups read from it.
          </Empty>
        ) : shown.length === 0 ? (
          <Empty title="No topic has this in its name">Change the filter above to see more.</Empty>
        ) : (
          <DataTable
            label="Topics"
            columns={columnsOf(clusterId)}
            rows={shown}
            keyOf={({ id }) => id}
            sort={search.sort ?? 'name'}
            onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
            onOpen={({ name }) =>
              void navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } })
            }
          />
        )}
      </Card>
    </Page>
  );
}

function countLine(all: number, shown: number): string {
  const text = all === 1 ? '1 topic' : `${formatCount(all)} topics`;
  return shown === all ? text : `${formatCount(shown)} of ${text}`;
}
