import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useMetrics } from '../../api/use-metrics.ts';
import { counted, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { countColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import { Empty } from '../../ui/states.tsx';
import { GroupState } from './group-state.tsx';

type Group = OutputOf<'list_consumer_groups'>['groups'][number];

type Histories = ReadonlyMap<string, readonly (number | null)[]>;

function columnsOf(histories: Histories): readonly Column<Group>[] {
  return [
    {
      id: 'name',
      title: 'Group',
      width: 'minmax(14rem, 3fr)',
      sortBy: ({ name }) => name,
      cell: ({ name }) => <ObjectLink of={{ kind: 'group', name }} />,
    },
    {
      id: 'state',
      title: 'State',
      width: 'minmax(9rem, 1fr)',
      sortBy: ({ state }) => state,
      cell: ({ state }) => <GroupState state={state} />,
    },
    countColumn('members', 'Members', 'minmax(6rem, 1fr)', ({ member_count }) => member_count),
    countColumn('topics', 'Topics', 'minmax(6rem, 1fr)', ({ topic_count }) => topic_count),
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
    countColumn(
      'lag',
      'Lag',
      'minmax(8rem, 1fr)',
      ({ total_lag }) => total_lag,
      (lag) => `${formatCount(lag)} records`,
    ),
  ];
}

const shownMax = 1000;

export function Groups() {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const listed = useClusterOperation(
    'list_consumer_groups',
    { limit: shownMax, sort_by: 'lag' },
    { everyMs: 5_000 },
  );
  const history = useMetrics({ metrics: ['lag'], group_by: 'group', limit: 20, step_seconds: 60 });
  const histories: Histories = new Map(history.data?.series.map(({ group = '', values }) => [group, values]));
  const { data } = listed;
  return (
    <Page
      title="Consumer groups"
      facts={
        data &&
        `${counted(data.groups.length, 'group')}${data.next_cursor === null ? '' : ' with the largest lag; more exist'}`
      }
    >
      <ListTable
        label="Consumer groups"
        of={listed}
        what="list the consumer groups"
        rowsOf={({ groups }) => groups}
        filter={{ label: 'Filter groups by name', noun: 'group', textOf: ({ name }) => name }}
        columns={columnsOf(histories)}
        keyOf={({ name }) => name}
        sort="-lag"
        onOpen={({ name: group }) =>
          void navigate({ to: '/clusters/$clusterId/consumer-groups/$group', params: { clusterId, group } })
        }
      >
        <Empty title="No consumer groups yet" command="weir cli console-consumer -topic orders -group shop">
          A consumer group shares the partitions of topics among its members. It appears here once it has
          members or committed.
        </Empty>
      </ListTable>
    </Page>
  );
}
