import { useParams } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { isInternalTopic } from '@weir/core';
import { useState } from 'react';
import { useRowWindow } from '../../../api/use-row-window.ts';
import { formatBytes, formatCount } from '../../../format/format.ts';
import { ChangeButton } from '../../../session/change-button.tsx';
import { useClusterFormAction } from '../../../ui/actions.ts';
import { countColumn } from '../../../ui/columns.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { FormDialog } from '../../../ui/form.tsx';
import { useListSearch } from '../../../ui/list-page.tsx';
import { Card } from '../../../ui/page.tsx';
import { Answer } from '../../../ui/states.tsx';
import { Time } from '../../../ui/time.tsx';
import { DeleteRecords } from './delete-records.tsx';
import { TopicCharts } from './topic-charts.tsx';

type Answered = OutputOf<'list_topic_partitions'>;
type Partition = Answered['partitions'][number];

const columns: readonly Column<Partition>[] = [
  countColumn('partition', 'Partition', 'minmax(6rem, 1fr)', ({ partition }) => partition),
  {
    id: 'start',
    title: 'Start offset',
    width: 'minmax(8rem, 1fr)',
    isNumber: true,
    cell: ({ start_offset }) => formatCount(start_offset),
  },
  {
    id: 'end',
    title: 'End offset',
    width: 'minmax(8rem, 1fr)',
    isNumber: true,
    cell: ({ end_offset }) => formatCount(end_offset),
  },
  countColumn('records', 'Records', 'minmax(8rem, 1fr)', (one) => one.end_offset - one.start_offset),
  countColumn('size', 'Size', 'minmax(7rem, 1fr)', ({ size_bytes }) => size_bytes, formatBytes),
  {
    id: 'latest',
    title: 'Latest record',
    width: 'minmax(12.5rem, 1fr)',
    isNumber: true,
    cell: ({ latest_record_at }) => <Time of={latest_record_at} />,
  },
];

const rowsOf = ({ partitions }: Answered) => partitions;
const countOf = ({ partition_count }: Answered) => partition_count;
const keyOf = ({ partition }: Partition) => String(partition);
const sortable = ['partition', 'records', 'size'] as const;

export function Partitions() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/' });
  const { sort = 'partition', set } = useListSearch();
  const [asks, setAsks] = useState<'add' | 'delete' | undefined>();
  const { first, window } = useRowWindow(
    'list_topic_partitions',
    {
      virtual_cluster_id: clusterId,
      topic_name: topic,
      sort_by: sortable.find((name) => name === sort.replace(/^-/, '')) ?? 'partition',
      descending: sort.startsWith('-'),
    },
    { rowsOf, countOf, everyMs: 10_000 },
  );
  return (
    <>
      <TopicCharts topic={topic} />
      <Card
        title={
          first.data &&
          `${formatCount(first.data.record_count)} records · ${formatBytes(first.data.size_bytes)}`
        }
        actions={
          !isInternalTopic(topic) && (
            <>
              <ChangeButton onClick={() => setAsks('delete')}>Delete records</ChangeButton>
              <ChangeButton onClick={() => setAsks('add')}>Add partitions</ChangeButton>
            </>
          )
        }
      >
        <Answer of={first} what={`list the partitions of ${topic}`}>
          {({ partition_count }) => (
            <>
              <DataTable
                label="Partitions"
                columns={columns}
                rows={window!}
                keyOf={keyOf}
                sort={sort}
                onSort={(next) => set({ sort: next })}
              />
              {asks === 'add' && (
                <AddPartitions topic={topic} now={partition_count} onClose={() => setAsks(undefined)} />
              )}
              {asks === 'delete' && <DeleteRecords topic={topic} onClose={() => setAsks(undefined)} />}
            </>
          )}
        </Answer>
      </Card>
    </>
  );
}

interface AddPartitionsProps {
  readonly topic: string;
  readonly now: number;
  readonly onClose: () => void;
}

function AddPartitions({ topic, now, onClose }: AddPartitionsProps) {
  const update = useClusterFormAction('update_topic', onClose);
  const [count, setCount] = useState(String(now + 1));
  const isMore = /^\d{1,6}$/.test(count) && Number(count) > now;
  return (
    <FormDialog
      title={`Add partitions to ${topic}`}
      description="New records of a key may go to another partition than older ones. Partitions cannot be removed."
      what="add partitions"
      button="Add partitions"
      action={update}
      onClose={onClose}
      onSubmit={() =>
        isMore &&
        update.run(
          { topic_name: topic, partition_count: Number(count) },
          `${topic} has ${formatCount(Number(count))} partitions`,
        )
      }
    >
      <TextField
        label="Total partitions"
        name="partition_count"
        problem={isMore ? undefined : `is not a whole number above ${now}`}
        inputMode="numeric"
        value={count}
        onText={setCount}
      >{`Currently ${formatCount(now)}.`}</TextField>
    </FormDialog>
  );
}
