import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useClusterOperation } from '../../../api/use-cluster.ts';
import { countColumn } from '../../../ui/columns.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { ObjectLink } from '../../../ui/object-link.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer, Empty } from '../../../ui/states.tsx';

type Consumer = OutputOf<'list_topic_consumers'>['consumers'][number];

const columns: readonly Column<Consumer>[] = [
  {
    id: 'group',
    title: 'Group',
    width: 'minmax(12rem, 2fr)',
    cell: ({ group }) => <ObjectLink of={{ kind: 'group', name: group }} />,
  },
  { id: 'state', title: 'State', width: 'minmax(7rem, 1fr)', cell: ({ state }) => state },
  countColumn('members', 'Members', 'minmax(7rem, 1fr)', ({ member_count }) => member_count),
  countColumn('partitions', 'Committed', 'minmax(7rem, 1fr)', ({ partition_count }) => partition_count),
  countColumn('lag', 'Lag', 'minmax(7rem, 1fr)', ({ lag }) => lag),
  countColumn('most', 'Largest lag', 'minmax(7rem, 1fr)', ({ max_lag }) => max_lag),
];

const keyOf = ({ group }: Consumer) => group;

/** The groups that read the topic, with their lag in it. */
export function Consumers() {
  const { topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/consumers' });
  const listed = useClusterOperation(
    'list_topic_consumers',
    { topic_name: topic, limit: 1000 },
    { everyMs: 10_000 },
  );
  return (
    <Card>
      <Answer of={listed} what={`list the groups that read ${topic}`}>
        {({ consumers, next_cursor }) =>
          consumers.length === 0 ? (
            <Empty title="No group reads this topic">
              A group appears here once its members read the topic or it has committed offsets for it.
            </Empty>
          ) : (
            <>
              <DataTable label="Groups" columns={columns} rows={consumers} keyOf={keyOf} />
              {next_cursor !== null && (
                <p className="px-4 py-2 text-sm text-muted">Showing the 1,000 groups with the largest lag.</p>
              )}
            </>
          )
        }
      </Answer>
    </Card>
  );
}
