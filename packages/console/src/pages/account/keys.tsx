import { PlusIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { systemClock } from '@weir/core';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { formatAgo } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useMissingWorkspaceRight } from '../../session/rights.ts';
import { Button } from '../../ui/button.tsx';
import { nameColumn } from '../../ui/columns.tsx';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { secretColumns } from '../../ui/secret-columns.tsx';
import { Empty } from '../../ui/states.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { lossOf, scopeOf } from './key-grants.ts';

type Key = OutputOf<'list_api_keys'>['api_keys'][number];

/** The keys that programs call the API with, and agents connect with. */
export function Keys() {
  const keys = useOperation('list_api_keys', {}, { everyMs: 30_000 });
  const missing = useMissingWorkspaceRight();
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Key>();
  const columns = useColumns(setDeleted);
  const count = keys.data?.api_keys.length;
  return (
    <Page
      title="API keys"
      facts={
        <>
          {count !== undefined && missing === undefined && (count === 1 ? '1 key. ' : `${count} keys. `)}
          Programs call the API and agents connect with keys.
        </>
      }
      actions={
        <Button
          kind="primary"
          icon={PlusIcon}
          disabled={missing !== undefined}
          onClick={() => setCreating(true)}
        >
          Create key
        </Button>
      }
    >
      <ListTable
        label="API keys"
        of={keys}
        what="list the keys"
        rowsOf={({ api_keys }) => api_keys}
        filter={{ label: 'Filter keys by name', noun: 'key', textOf: ({ name }) => name }}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
      >
        {missing === undefined ? (
          <Empty title="No keys yet">
            Create one key per program or set of agents, so that deleting it does not affect others.
          </Empty>
        ) : (
          <Empty title="Keys are not visible to you">{missing}.</Empty>
        )}
      </ListTable>
      {isCreating && <CreateKeyDialog onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <DeletionDialog
          operation="delete_api_key"
          input={{ api_key_id: deleted.id }}
          what={`key ${deleted.name}`}
          name={deleted.name}
          isInUse={deleted.last_used_at !== null}
          onClose={() => setDeleted(undefined)}
        >
          {lossOf(deleted, (time) => formatAgo(Date.parse(time), systemClock.nowMs())).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </DeletionDialog>
      )}
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
    nameColumn('name', 'Name', 'minmax(14rem, 2fr)', ({ name }) => name),
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
