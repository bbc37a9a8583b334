import { PlusIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { systemClock } from '@weir/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { formatAgo } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { secretColumns } from '../../ui/secret-columns.tsx';
import { Empty } from '../../ui/states.tsx';
import { say } from '../../ui/toasts.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { lossOf, scopeOf } from './key-grants.ts';

type Key = OutputOf<'list_api_keys'>['api_keys'][number];

/** The keys that programs call the API with, and agents connect with. */
export function Keys() {
  const search = useSearch({ from: '/frame/keys' });
  const navigate = useNavigate({ from: '/keys' });
  const keys = useOperation('list_api_keys', {}, { everyMs: 30_000 });
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const columns = useColumns(setDeleted);
  const count = keys.data?.api_keys.length;
  return (
    <Page
      title="API keys"
      facts={
        <>
          {count !== undefined && (count === 1 ? '1 key. ' : `${count} keys. `)}
          Programs call the API and agents connect with keys.
        </>
      }
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden="true" /> Create key
        </Button>
      }
    >
      <FilterBox
        label="Filter keys by name"
        value={search.q ?? ''}
        onChange={(q) =>
          void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
        }
      />
      <Card>
        <Answer of={keys} what="list the keys">
          {({ api_keys }) => {
            const shown = matching(api_keys, ({ name }) => name, search.q);
            return shown.length === 0 ? (
              <Empty title={api_keys.length === 0 ? 'No keys yet' : 'No key matches the filter'}>
                Create one key per program or set of agents, so that deleting it does not affect others.
              </Empty>
            ) : (
              <DataTable
                label="API keys"
                columns={columns}
                rows={shown}
                keyOf={({ id }) => id}
                sort={search.sort ?? 'name'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
              />
            );
          }}
        </Answer>
      </Card>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {deleted !== undefined && <DeleteKey of={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

function useColumns(onDelete: (key: Key) => void): readonly Column<Key>[] {
  const { data } = useContextOfCaller();
  const workspaces = data?.workspaces ?? [];
  const names = {
    workspaces: new Map(workspaces.map(({ id, name }) => [id, name])),
    clusters: new Map(
      workspaces
        .flatMap(({ virtual_clusters }) => virtual_clusters)
        .map((cluster) => [cluster.id, clusterLabel(cluster)]),
    ),
  };
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(14rem, 2fr)',
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <span className="font-medium text-ink" title={name}>
          {name}
        </span>
      ),
    },
    {
      id: 'scope',
      title: 'Access',
      width: 'minmax(16rem, 2fr)',
      sortBy: (key) => scopeOf(key, names),
      cell: (key) => <span title={scopeOf(key, names)}>{scopeOf(key, names)}</span>,
    },
    {
      id: 'hint',
      title: 'Last characters',
      width: '6rem',
      cell: ({ key_hint }) => <code className="font-mono text-xs text-muted">…{key_hint}</code>,
    },
    ...secretColumns('Last used', onDelete),
  ];
}

function DeleteKey({ of: key, onClose }: { readonly of: Key; readonly onClose: () => void }) {
  const remove = useAction('delete_api_key');
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete key ${key.name}?`}
      button={`Delete ${key.name}`}
      action={remove}
      {...(key.last_used_at === null ? {} : { nameToType: key.name })}
      onConfirm={() =>
        remove.mutate(
          { api_key_id: key.id },
          {
            onSuccess: () => {
              say(`Deleted ${key.name}`);
              onClose();
            },
          },
        )
      }
    >
      {lossOf(key, (time) => formatAgo(Date.parse(time), systemClock.nowMs())).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </ConfirmDialog>
  );
}
