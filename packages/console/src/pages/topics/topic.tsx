import { useParams } from '@tanstack/react-router';
import { useOperation } from '../../api/use-operation.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Command, Failure, Skeleton } from '../../ui/states.tsx';

interface Config {
  readonly name: string;
  readonly value: string;
}

const columns: readonly Column<Config>[] = [
  {
    id: 'name',
    title: 'Config',
    width: 'minmax(18rem, 1fr)',
    cell: ({ name }) => <span className="font-mono text-xs">{name}</span>,
  },
  {
    id: 'value',
    title: 'Value',
    width: 'minmax(14rem, 2fr)',
    cell: ({ value }) => (
      <span className="font-mono text-xs" title={value}>
        {value}
      </span>
    ),
  },
];

export function Topic() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic' });
  const { data, isError, error, refetch } = useOperation('describe_topic', {
    virtual_cluster_id: clusterId,
    topic_name: topic,
  });
  return (
    <Page
      title={topic}
      facts={
        data && (
          <>
            {data.partition_count === 1 ? '1 partition' : `${data.partition_count} partitions`} ·{' '}
            <CopyableId text={data.topic_id} what="the topic id" />
          </>
        )
      }
    >
      {data === undefined ? (
        isError ? (
          <Failure what={`describe the topic ${topic}`} error={error} onRetry={() => refetch()} />
        ) : (
          <Skeleton />
        )
      ) : (
        <>
          <Command text={`weir cli fetch -topic ${topic}`} />
          <Card title="Configs">
            <DataTable
              label="Configs"
              columns={columns}
              rows={Object.entries(data.configs)
                .map(([name, value]) => ({ name, value: String(value) }))
                .sort((a, b) => (a.name < b.name ? -1 : 1))}
              keyOf={({ name }) => name}
            />
          </Card>
        </>
      )}
    </Page>
  );
}
