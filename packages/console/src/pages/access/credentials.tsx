import { PlusIcon } from '@primer/octicons-react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { secretColumns } from '../../ui/secret-columns.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { CreateCredentialDialog } from './create-credential-dialog.tsx';

type Credential = OutputOf<'list_virtual_cluster_credentials'>['credentials'][number];

/** What Kafka clients log in with. */
export function Credentials() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/credentials' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/credentials' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/credentials' });
  const credentials = useOperation(
    'list_virtual_cluster_credentials',
    { virtual_cluster_id: clusterId },
    { everyMs: 30_000 },
  );
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Credential>();
  return (
    <Page
      title="Access"
      tabTitle="Credentials"
      facts="Clients authenticate with a user name and a password. To rotate one: create a second, move its clients, then delete the first once its last login is old."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden="true" /> Create credential
        </Button>
      }
    >
      <AccessTabs clusterId={clusterId} />
      <FilterBox
        label="Filter credentials by name"
        value={search.q ?? ''}
        onChange={(q) =>
          void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
        }
      />
      <Card>
        <Answer of={credentials} what="list the credentials">
          {(data) => {
            const shown = matching(data.credentials, ({ name, username }) => `${name} ${username}`, search.q);
            return shown.length === 0 ? (
              <Empty
                title={
                  data.credentials.length === 0 ? 'No credentials yet' : 'No credential matches the filter'
                }
              >
                Create one credential per application, so that each has its own ACLs.
              </Empty>
            ) : (
              <DataTable
                label="Credentials"
                columns={columnsOf(setDeleted)}
                rows={shown}
                keyOf={({ id }) => id}
                sort={search.sort ?? 'name'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
              />
            );
          }}
        </Answer>
      </Card>
      {isCreating && <CreateCredentialDialog clusterId={clusterId} onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <DeleteCredential clusterId={clusterId} of={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </Page>
  );
}

function columnsOf(onDelete: (credential: Credential) => void): readonly Column<Credential>[] {
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(12rem, 2fr)',
      sortBy: ({ name }) => name,
      cell: ({ name }) => (
        <span className="font-medium text-ink" title={name}>
          {name}
        </span>
      ),
    },
    {
      id: 'username',
      title: 'User name',
      width: 'minmax(12rem, 2fr)',
      cell: ({ username }) => <CopyableId text={username} what="the user name" />,
    },
    {
      id: 'rights',
      title: 'Rights',
      width: '10rem',
      cell: ({ is_cluster_superuser, read_only }) =>
        is_cluster_superuser ? 'superuser' : read_only ? 'read only' : 'by ACLs',
    },
    ...secretColumns('Last login', onDelete),
  ];
}

interface DeleteProps {
  readonly clusterId: string;
  readonly of: Credential;
  readonly onClose: () => void;
}

function DeleteCredential({ clusterId, of: credential, onClose }: DeleteProps) {
  const remove = useAction('delete_virtual_cluster_credentials');
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete credential ${credential.name}?`}
      button={`Delete ${credential.name}`}
      action={remove}
      {...(credential.last_used_at === null ? {} : { nameToType: credential.name })}
      onConfirm={() =>
        remove.mutate(
          { virtual_cluster_id: clusterId, id: credential.id },
          {
            onSuccess: () => {
              say(`Deleted ${credential.name}`);
              onClose();
            },
          },
        )
      }
    >
      <p>
        Its clients are refused at their next login. The last login:{' '}
        <Time of={credential.last_used_at} isAgo />.
      </p>
      <p>Its ACLs stay and apply to a new credential of the same name. The password cannot be recovered.</p>
    </ConfirmDialog>
  );
}
