import { TrashIcon } from '@primer/octicons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { formatBytes, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { countColumn } from '../../ui/columns.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { ObjectDiagnostics } from '../diagnostics/object-diagnostics.tsx';
import { Holds } from './holds.tsx';
import { MigrationState } from './migration-topics.tsx';
import { etaText, rateText, shareText, stateTexts } from './migration-words.ts';
import { type Migration, type MigrationTopic as Topic, useMigrationTopic } from './use-migration.ts';

type Partition = NonNullable<Migration['partitions']>[number];

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/topics/$topic';

/** One topic of a migration: what it waits for, and its partitions. */
export function MigrationTopic() {
  const { clusterId, pipelineId, topic: name } = useParams({ from: path });
  const described = useMigrationTopic(name);
  if (isMissing(described))
    return (
      <Missing
        title="Topic not found"
        name={name}
        links={[
          {
            label: 'Topics of the migration',
            link: {
              to: '/clusters/$clusterId/pipelines/$pipelineId/topics',
              params: { clusterId, pipelineId },
            },
          },
        ]}
      >
        The migration does not copy it.
      </Missing>
    );
  return (
    <Answer of={described} what={`describe the topic ${visibleText(name)}`}>
      {({ topics: [topic], partitions = [] }) =>
        topic && (
          <div className="flex flex-col gap-4">
            <header className="flex flex-wrap items-center gap-2">
              <h2 className="min-w-0 flex-1 text-lg font-semibold break-words text-ink">
                <bdi>{visibleText(topic.topic)}</bdi>
              </h2>
              <MigrationState topic={topic} />
              {topic.state === 'replicating' && <Recopy topic={topic} />}
            </header>
            <p className="text-sm text-body">{stateTexts[topic.state]}</p>
            <ObjectDiagnostics of={{ kind: 'topic', name: topic.topic }} />
            <Facts
              facts={[
                ['At the source', <bdi key="source">{visibleText(topic.source_topic)}</bdi>],
                ['Copied', `${formatBytes(topic.bytes)} · ${shareText(topic)}`],
                ['Rate', rateText(topic)],
                ['Caught up in', etaText(topic)],
                ['Passed on', `${formatCount(topic.forwarded_records)} records`],
                ['In this state since', <Time key="since" of={topic.changed_at ?? null} isAgo />],
                ['Changed by', visibleText(topic.changed_by ?? '–')],
                ['Reason', visibleText(topic.reason ?? '–')],
              ]}
            />
            {topic.state !== 'migrated' && (
              <Card title="What holds back the cut-over">
                <Holds of={topic} />
              </Card>
            )}
            <Card title={`Partitions (${formatCount(topic.partition_count)})`}>
              <DataTable
                label="Partitions"
                columns={columns}
                rows={partitions}
                keyOf={({ partition }) => String(partition)}
                heightClass="max-h-[60vh]"
              />
            </Card>
          </div>
        )
      }
    </Answer>
  );
}

const columns: readonly Column<Partition>[] = [
  { id: 'partition', title: 'Partition', width: '6rem', cell: ({ partition }) => String(partition) },
  countColumn('start', 'Start', 'minmax(7rem, 1fr)', ({ first_offset }) => first_offset),
  countColumn('end', 'End', 'minmax(7rem, 1fr)', ({ next_offset }) => next_offset),
  countColumn(
    'source',
    'End at the source',
    'minmax(8rem, 1fr)',
    ({ source_next_offset }) => source_next_offset ?? null,
  ),
  countColumn('lag', 'Lag', 'minmax(6rem, 1fr)', ({ lag_offsets }) => lag_offsets ?? null),
  {
    id: 'error',
    title: 'Problem',
    width: 'minmax(12rem, 3fr)',
    cell: ({ is_stopped, error }) =>
      is_stopped && (
        <Status kind="fail">
          <span title={visibleText(error ?? '')}>{visibleText(error ?? 'stopped')}</span>
        </Status>
      ),
  },
];

/** The decision for a copy that has records that the source has no more. */
function Recopy({ topic: { topic } }: { readonly topic: Topic }) {
  const { clusterId, pipelineId } = useParams({ from: path });
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const deletion = useMutation({
    mutationFn: () => call('orbit/delete_copy', { virtual_cluster_id: clusterId, topic_name: topic }),
    // Not with the call, whose button is gone as soon as the copy is.
    onSuccess: () => {
      say(`Deleted the copy of ${visibleText(topic)}`);
      void navigate({
        to: '/clusters/$clusterId/pipelines/$pipelineId/topics',
        params: { clusterId, pipelineId },
      });
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      <ChangeButton icon={TrashIcon} onClick={() => setAsking(true)}>
        Copy again
      </ChangeButton>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Copy ${visibleText(topic)} again?`}
        button={`Delete the copy of ${topic}`}
        nameToType={topic}
        action={deletion}
        onConfirm={() => deletion.mutate()}
      >
        <p>
          The copy is deleted with its records, and made again from the beginning of the source. Consumers
          that read it here lose their place until then. Nothing happens at the source.
        </p>
      </ConfirmDialog>
    </>
  );
}
