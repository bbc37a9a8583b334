import { PlusIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { isInternalTopic } from '@weir/core';
import { useCallback, useMemo, useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { useRowWindow } from '../../api/use-row-window.ts';
import { counted, formatBytes, formatCount, formatDuration } from '../../format/format.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { startTask } from '../../tasks/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { countColumn, timeColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Checkbox } from '../../ui/fields.tsx';
import { FilterBox, NoMatch, useListSearch } from '../../ui/list-page.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { CreateTopic } from './create-topic.tsx';
import { DeleteTopics } from './delete-topics.tsx';
import { DeletedTopics } from './deleted-topics.tsx';
import { exportOfTopics } from './export-topics.ts';

type Topic = OutputOf<'list_topics'>['topics'][number];
type Answered = OutputOf<'list_topics'>;

const nsPerMs = 1_000_000;
const sortable = ['name', 'partitions', 'records', 'size', 'retention', 'created'] as const;

function columnsOf(clusterId: string): readonly Column<Topic>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(14rem, 3fr)',
      sortBy: ({ name }) => name,
      cell: ({ name, is_internal }) => (
        <>
          {/* A plain link: the router's costs a millisecond per row, and rows come and go with every frame. */}
          <a
            href={`/clusters/${encodeURIComponent(clusterId)}/topics/${encodeURIComponent(name)}`}
            title={name}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) event.stopPropagation();
              else event.preventDefault();
            }}
            className="font-medium text-ink hover:underline"
          >
            {name}
          </a>
          {is_internal && <span className="ml-2 text-xs text-muted">internal</span>}
        </>
      ),
    },
    countColumn('partitions', 'Partitions', 'minmax(6rem, 1fr)', ({ shard_count }) => shard_count),
    countColumn('records', 'Records', 'minmax(7rem, 1fr)', ({ record_count }) => record_count),
    {
      id: 'size',
      title: 'Size',
      width: 'minmax(7rem, 1fr)',
      isNumber: true,
      sortBy: ({ uncompressed_size_hint }) => uncompressed_size_hint,
      cell: ({ uncompressed_size_hint }) => (
        <span title="size as sent by clients">{formatBytes(uncompressed_size_hint)}</span>
      ),
    },
    {
      id: 'cleanup',
      title: 'Cleanup',
      width: 'minmax(8rem, 1fr)',
      cell: ({ cleanup_policy }) => cleanup_policy || <span className="text-muted">none</span>,
    },
    {
      id: 'retention',
      title: 'Retention',
      width: 'minmax(7rem, 1fr)',
      isNumber: true,
      sortBy: ({ retention }) => Number(retention),
      cell: ({ retention }) => (retention < 0 ? 'unlimited' : formatDuration(Number(retention) / nsPerMs)),
    },
    timeColumn('created', 'Created', 'minmax(12.5rem, 1fr)', ({ created_at }) => created_at, {
      isNumber: true,
    }),
  ];
}

const rowsOf = ({ topics }: Answered) => topics;
const countOf = ({ matching_count }: Answered) => matching_count!;
const keyOf = ({ name }: Topic) => name;

export function Topics() {
  const clusterId = useClusterId();
  const search = useSearch({ from: '/frame/clusters/$clusterId/topics' });
  const navigate = useNavigate();
  const { set, setFilter } = useListSearch();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isDeleting, setDeleting] = useState(false);
  const sort = search.sort ?? 'name';
  const listed = {
    virtual_cluster_id: clusterId,
    ...(search.q === undefined ? {} : { query: search.q }),
    sort_by: sortable.find((name) => name === sort.replace(/^-/, '')) ?? 'name',
    descending: sort.startsWith('-'),
    include_internal: search.internal === true,
  };
  const { first, window } = useRowWindow('list_topics', listed, { rowsOf, countOf, everyMs: 10_000 });
  const columns = useMemo(() => columnsOf(clusterId), [clusterId]);
  const open = useCallback(
    ({ name }: Topic) =>
      void navigate({ to: '/clusters/$clusterId/topics/$topic', params: { clusterId, topic: name } }),
    [navigate, clusterId],
  );
  const toggle = useCallback(
    (name: string) =>
      setSelected((now) => {
        const next = new Set(now);
        if (!next.delete(name)) next.add(name);
        return next;
      }),
    [],
  );
  const selection = useMemo(
    () => ({ keys: selected, onToggle: toggle, reasonAgainst: reasonAgainstSelection }),
    [selected, toggle],
  );
  const show = (what: 'create' | 'deleted' | undefined) => set({ show: what });
  const all = first.data?.topic_count ?? 0;
  const newTopic = (
    <ChangeButton kind="primary" icon={PlusIcon} onClick={() => show('create')}>
      Create topic
    </ChangeButton>
  );
  return (
    <Page
      title="Topics"
      facts={first.data && countLine(all, first.data.matching_count!)}
      actions={
        <>
          <Menu
            trigger={<Button>Export</Button>}
            entries={(['csv', 'json'] as const).map((format) => ({
              id: format,
              label: `All topics as ${format.toUpperCase()}`,
              onSelect: () => startTask(exportOfTopics(clusterId, format)),
            }))}
          />
          <Button onClick={() => show('deleted')}>Recently deleted</Button>
          {all > 0 && newTopic}
        </>
      }
    >
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <FilterBox label="Filter topics by name" value={search.q ?? ''} onChange={setFilter} />
        <Checkbox
          label="Internal topics"
          checked={search.internal === true}
          onChange={({ target }) => set({ internal: target.checked || undefined })}
        />
        {selected.size > 0 && (
          <>
            <span className="text-sm text-muted">{formatCount(selected.size)} selected</span>
            <Button onClick={() => setSelected(new Set())}>Clear</Button>
            <ChangeButton kind="danger" onClick={() => setDeleting(true)}>
              Delete {counted(selected.size, 'topic')}
            </ChangeButton>
          </>
        )}
      </div>
      <Card>
        <Answer of={first} what="list the topics">
          {({ matching_count }) =>
            all === 0 ? (
              <Empty
                title="No topics yet"
                action={newTopic}
                command="weir cli create-topic -topic orders -partitions 12"
              >
                A topic is a named log of records. Producers write to it and consumer groups read from it.
              </Empty>
            ) : matching_count === 0 ? (
              <NoMatch noun="topic" />
            ) : (
              <DataTable
                label="Topics"
                columns={columns}
                rows={window!}
                keyOf={keyOf}
                sort={sort}
                onSort={(next) => set({ sort: next })}
                onOpen={open}
                selection={selection}
              />
            )
          }
        </Answer>
      </Card>
      {search.show === 'create' && <CreateTopic onClose={() => show(undefined)} />}
      {search.show === 'deleted' && <DeletedTopics onClose={() => show(undefined)} />}
      {isDeleting && (
        <DeleteTopics
          names={[...selected]}
          onClose={() => setDeleting(false)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </Page>
  );
}

/** Selected topics are deleted, and those of the service cannot be. */
const reasonAgainstSelection = (name: string) =>
  isInternalTopic(name) ? 'Internal topics cannot be deleted.' : undefined;

function countLine(all: number, shown: number): string {
  const text = counted(all, 'topic');
  return shown === all ? text : `${formatCount(shown)} of ${text}`;
}
