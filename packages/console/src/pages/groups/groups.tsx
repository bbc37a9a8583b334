import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useMetrics } from '../../api/use-metrics.ts';
import { useOperation } from '../../api/use-operation.ts';
import { formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { GroupState } from './group-state.tsx';

type Group = OutputOf<'list_consumer_groups'>['groups'][number];

type Histories = ReadonlyMap<string, readonly (number | null)[]>;

function columnsOf(clusterId: string, histories: Histories): readonly Column<Group>[] {
  return [
    {
      id: 'name',
      title: 'Group',
      width: 'minmax(14rem, 3fr)',
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <Link
          to="/clusters/$clusterId/consumer-groups/$group"
          params={{ clusterId, group: name }}
          title={name}
          className="font-medium text-ink hover:underline"
        >
          <bdi>{visibleText(name)}</bdi>
        </Link>
      ),
    },
    {
      id: 'state',
      title: 'State',
      width: 'minmax(9rem, 1fr)',
      sortBy: ({ state }) => state,
      cell: ({ state }) => <GroupState state={state} />,
    },
    {
      id: 'members',
      title: 'Members',
      width: 'minmax(6rem, 1fr)',
      isNumber: true,
      sortBy: ({ member_count }) => member_count,
      cell: ({ member_count }) => formatCount(member_count),
    },
    {
      id: 'topics',
      title: 'Topics',
      width: 'minmax(6rem, 1fr)',
      isNumber: true,
      sortBy: ({ topic_count }) => topic_count,
      cell: ({ topic_count }) => formatCount(topic_count),
    },
    {
      id: 'history',
      title: 'Last hour',
      width: 'minmax(7rem, 1fr)',
      cell: ({ name }) => {
        const values = histories.get(name);
        return values === undefined ? null : (
          <Sparkline label={`Lag of ${visibleText(name)}`} values={values} />
        );
      },
    },
    {
      id: 'lag',
      title: 'Lag',
      width: 'minmax(8rem, 1fr)',
      isNumber: true,
      sortBy: ({ total_lag }) => total_lag ?? -1,
      cell: ({ total_lag }) => (total_lag === null ? '–' : `${formatCount(total_lag)} records`),
    },
  ];
}

const shownMax = 1000;

export function Groups() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/consumer-groups' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/consumer-groups' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/consumer-groups' });
  const { data, isError, error, refetch } = useOperation(
    'list_consumer_groups',
    { virtual_cluster_id: clusterId, limit: shownMax, sort_by: 'lag' },
    { everyMs: 5_000 },
  );
  const history = useMetrics(clusterId, { metrics: ['lag'], group_by: 'group', limit: 20, step_seconds: 60 });
  const histories: Histories = new Map(history.data?.series.map(({ group = '', values }) => [group, values]));
  const groups = data?.groups;
  const shown = groups && matching(groups, ({ name }) => name, search.q);
  return (
    <Page
      title="Consumer groups"
      facts={
        groups &&
        `${groups.length === 1 ? '1 group' : `${formatCount(groups.length)} groups`}${data.next_cursor === null ? '' : ' with the largest lag; more exist'}`
      }
    >
      <FilterBox
        label="Filter groups by name"
        value={search.q ?? ''}
        onChange={(q) =>
          void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
        }
      />
      <Card>
        {shown === undefined ? (
          isError ? (
            <Failure what="list the consumer groups" error={error} onRetry={() => refetch()} />
          ) : (
            <Skeleton />
          )
        ) : groups!.length === 0 ? (
          <Empty title="No consumer groups yet" command="weir cli console-consumer -topic orders -group shop">
            A consumer group shares the partitions of topics among its members. It appears here once it has
            members or committed.
          </Empty>
        ) : shown.length === 0 ? (
          <Empty title="No group matches the filter">Change the filter above to see more.</Empty>
        ) : (
          <DataTable
            label="Consumer groups"
            columns={columnsOf(clusterId, histories)}
            rows={shown}
            keyOf={({ name }) => name}
            sort={search.sort ?? '-lag'}
            onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
            onOpen={({ name }) =>
              void navigate({
                to: '/clusters/$clusterId/consumer-groups/$group',
                params: { clusterId, group: name },
              })
            }
          />
        )}
      </Card>
    </Page>
  );
}
