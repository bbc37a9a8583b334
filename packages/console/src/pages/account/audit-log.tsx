import { useNavigate, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useMissingWorkspaceRight } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { nameColumn } from '../../ui/columns.tsx';
import { CopyableId, CopyButton } from '../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { controlClass, Select } from '../../ui/fields.tsx';
import { textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

type Entry = OutputOf<'search_audit_log'>['entries'][number];

const ranges = [
  ['1h', 'Last hour'],
  ['1d', 'Last day'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['', 'All time'],
] as const;

const filters = [
  ['actor', 'Actor (name or id)'],
  ['operation', 'Operation'],
  ['target', 'Target (name or id)'],
  ['result', 'Result (ok or code)'],
] as const;

/** Who changed what, when and from where. */
export function AuditLog() {
  const search = useSearch({ from: '/frame/audit-log' });
  const navigate = useNavigate({ from: '/audit-log' });
  const missing = useMissingWorkspaceRight();
  const [opened, setOpened] = useState<Entry>();
  const { cursor, range = '7d', ...filter } = search;
  const log = useOperation('search_audit_log', {
    limit: 100,
    ...(range === 'all' ? {} : { relative: range }),
    ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return (
    <Page title="Audit log" facts="Every change, refused call and sign-in, newest first.">
      <form
        key={JSON.stringify(filter)}
        aria-label="Audit log filter"
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          const fields = new FormData(event.currentTarget);
          const given = filters.map(([name]) => [name, textOf(fields, name) || undefined]);
          void navigate({ search: { range: search.range, ...Object.fromEntries(given) } });
        }}
      >
        <Select
          aria-label="Time range"
          className="max-w-36"
          value={range === 'all' ? '' : range}
          onChange={(event) =>
            void navigate({
              search: (now) => ({ ...now, cursor: undefined, range: event.target.value || 'all' }),
            })
          }
          options={ranges}
        />
        {filters.map(([name, label]) => (
          <input
            key={name}
            name={name}
            aria-label={label}
            placeholder={label}
            defaultValue={filter[name]}
            className={`${controlClass} max-w-48`}
          />
        ))}
        <Button type="submit">Search</Button>
      </form>
      <Card>
        <Answer of={log} what="search the audit log">
          {(data) =>
            data.entries.length === 0 ? (
              <Empty
                title={missing === undefined ? 'No entries match' : 'The audit log is not visible to you'}
              >
                {missing === undefined ? 'Change the filter or the time range.' : `${missing}.`}
              </Empty>
            ) : (
              <>
                <DataTable
                  label="Audit log"
                  columns={columns}
                  rows={data.entries}
                  keyOf={({ id }) => id}
                  onOpen={setOpened}
                />
                <div className="flex justify-end gap-2 border-t border-line p-2">
                  {cursor !== undefined && (
                    <Button
                      onClick={() => void navigate({ search: (now) => ({ ...now, cursor: undefined }) })}
                    >
                      Newest
                    </Button>
                  )}
                  <Button
                    disabled={data.next_cursor === null}
                    onClick={() =>
                      void navigate({
                        search: (now) => ({ ...now, cursor: data.next_cursor ?? undefined }),
                      })
                    }
                  >
                    Older
                  </Button>
                </div>
              </>
            )
          }
        </Answer>
      </Card>
      {opened !== undefined && <EntryDialog of={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

const columns: readonly Column<Entry>[] = [
  { id: 'time', title: 'Time', width: '12rem', cell: ({ time }) => <Time of={time} /> },
  {
    id: 'actor',
    title: 'Actor',
    width: 'minmax(10rem, 1fr)',
    cell: ({ actor_name, actor_kind }) => {
      const name = visibleText(actor_name ?? actor_kind);
      return <span title={name}>{name}</span>;
    },
  },
  nameColumn('operation', 'Operation', 'minmax(17rem, 1.5fr)', ({ operation }) => operation),
  {
    id: 'about',
    title: 'Target',
    width: 'minmax(12rem, 2fr)',
    cell: ({ targets }) => {
      const names = visibleText(targets.join(', '));
      return (
        <span title={names}>
          <bdi>{names}</bdi>
        </span>
      );
    },
  },
  {
    id: 'result',
    title: 'Result',
    width: '14rem',
    cell: ({ result, count }) => (
      <Status kind={result === 'ok' ? 'ok' : 'fail'}>
        {result}
        {count > 1 && ` × ${count}`}
      </Status>
    ),
  },
];

/** `50 of 300 scanned; partition 0: 12–61`. */
function readInWords(read: NonNullable<Entry['read']>): string {
  const { record_count, scanned_record_count, partitions, other_partition_count } = read;
  const places = partitions.map(
    ({ partition, first_offset, last_offset }) => `partition ${partition}: ${first_offset}–${last_offset}`,
  );
  const others = other_partition_count === 0 ? [] : [`${other_partition_count} more partitions`];
  return [`${record_count} of ${scanned_record_count} scanned`, ...places, ...others].join('; ');
}

function EntryDialog({ of: entry, onClose }: { readonly of: Entry; readonly onClose: () => void }) {
  const { data: context } = useContextOfCaller();
  const workspace = context?.workspaces.find(({ id }) => id === entry.workspace_id);
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Who', entry.actor_name ?? entry.actor_kind],
    ['Actor id', entry.actor_id],
    ['From', entry.remote_address],
    ['Via', entry.via === 'mcp' ? 'MCP (an assistant)' : 'API'],
    ['Workspace', workspace?.name ?? entry.workspace_id],
    ['Result', entry.result],
    ['Message', entry.message],
    ['Times', String(entry.count)],
    ['Records', entry.read && readInWords(entry.read)],
  ];
  return (
    <Dialog isOpen onClose={onClose} title={entry.operation} isSheet>
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-y-2 text-sm">
        <dt className="text-muted">Time</dt>
        <dd>
          <Time of={entry.time} />
        </dd>
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== '')
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="break-words text-ink">
                <bdi>{visibleText(value!)}</bdi>
              </dd>
            </div>
          ))}
        <dt className="text-muted">Target</dt>
        <dd>
          {entry.targets.map((target) => (
            <div key={target}>
              <CopyableId text={target} what={target} />
            </div>
          ))}
        </dd>
        {entry.changes.length > 0 && (
          <>
            <dt className="text-muted">Changes</dt>
            <dd className="break-words">
              {entry.changes.map(({ name, before, after }) => (
                <div key={name + before + after}>
                  <span className="text-ink">{visibleText(name)}</span>
                  {(before !== null || after !== null) &&
                    `: ${visibleText(before ?? 'none')} → ${visibleText(after ?? 'none')}`}
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
      <CopyButton text={JSON.stringify(entry, null, 2)} what="the entry as JSON" />
    </Dialog>
  );
}
