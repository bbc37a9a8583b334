import { useNavigate, useParams } from '@tanstack/react-router';
import { counted, formatBytes, formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { countColumn, nameColumn, textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { ShareBar } from '../../ui/share-bar.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import {
  etaText,
  rateText,
  shareOf,
  shareText,
  stateKinds,
  stateText,
  stateTexts,
  summaryOf,
} from './migration-words.ts';
import { type Migration, type MigrationTopic, useMigration } from './use-migration.ts';

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/topics';

/** The topics of a migration, and how far each is. */
export function MigrationTopics() {
  const { clusterId, pipelineId } = useParams({ from: path });
  const navigate = useNavigate();
  const described = useMigration();
  return (
    <div className="flex flex-col gap-4">
      <Answer of={described} what="describe the migration" rows={2}>
        {(migration) => <Whole migration={migration} />}
      </Answer>
      <ListTable
        label="Topics of the migration"
        of={described}
        what="describe the migration"
        rowsOf={({ topics }) => topics}
        filter={{
          label: 'Filter topics by name',
          noun: 'topic',
          textOf: ({ topic, source_topic }) => `${topic} ${source_topic}`,
        }}
        columns={columns}
        keyOf={({ topic }) => topic}
        sort="topic"
        heightClass="max-h-[70vh]"
        onOpen={({ topic }) =>
          void navigate({
            to: '/clusters/$clusterId/pipelines/$pipelineId/topics/$topic',
            params: { clusterId, pipelineId, topic },
          })
        }
      >
        <Empty title="No topics yet">
          Topics of the source that a mapping of the configuration matches appear here once the pipeline runs.
        </Empty>
      </ListTable>
    </div>
  );
}

function Whole({ migration }: { readonly migration: Migration }) {
  const { totals, errors } = migration;
  return (
    <>
      <p className="text-sm text-body">{summaryOf(migration)}</p>
      {errors.map((error) => (
        <Status key={error} kind="fail" wraps>
          {visibleText(error)}
        </Status>
      ))}
      <Facts
        facts={[
          ['Copied', `${formatBytes(totals.bytes)} · ${shareText(totals)}`],
          ['Lag', totals.lag_offsets === undefined ? '–' : counted(totals.lag_offsets, 'offset')],
          ['Rate', rateText(totals)],
          ['Caught up in', etaText(totals)],
          ['Stopped partitions', formatCount(totals.stopped_partitions)],
        ]}
      />
    </>
  );
}

/** The state of a topic in a word, and what it means under the pointer. */
export function MigrationState({ topic }: { readonly topic: MigrationTopic }) {
  return (
    <Status kind={stateKinds[topic.state]}>
      <span title={visibleText(topic.error ?? stateTexts[topic.state])}>{stateText(topic)}</span>
    </Status>
  );
}

const columns: readonly Column<MigrationTopic>[] = [
  nameColumn('topic', 'Topic', 'minmax(12rem, 3fr)', ({ topic }) => topic),
  {
    id: 'state',
    title: 'State',
    width: 'minmax(9rem, 1fr)',
    sortBy: stateText,
    cell: (topic) => <MigrationState topic={topic} />,
  },
  {
    id: 'progress',
    title: 'Copied',
    width: 'minmax(9rem, 1.5fr)',
    priority: 2,
    sortBy: (topic) => shareOf(topic) ?? -1,
    cell: (topic) => (
      <span className="flex w-full items-center gap-2">
        <span className="w-12 shrink-0 text-right tabular-nums">{shareText(topic)}</span>
        <ShareBar share={shareOf(topic) ?? 0} />
      </span>
    ),
  },
  countColumn('lag', 'Lag', 'minmax(6rem, 1fr)', ({ lag_offsets }) => lag_offsets ?? null),
  {
    ...textColumn<MigrationTopic>('rate', 'Rate', 'minmax(6rem, 1fr)', rateText),
    isNumber: true,
    priority: 4,
  },
  {
    ...textColumn<MigrationTopic>('eta', 'Caught up in', 'minmax(7rem, 1fr)', etaText),
    isNumber: true,
    priority: 3,
  },
  {
    id: 'held',
    title: 'Held back by',
    width: 'minmax(10rem, 2fr)',
    priority: 5,
    cell: ({ state, holds }) =>
      state === 'migrated' ? '' : holds.map(({ code }) => code.replaceAll('_', ' ')).join(', ') || 'nothing',
  },
];
