import { PlusIcon } from '@primer/octicons-react';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { nameColumn } from '../../ui/columns.tsx';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { secretColumns } from '../../ui/secret-columns.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { CreateCredentialDialog } from './create-credential-dialog.tsx';

type Credential = OutputOf<'list_virtual_cluster_credentials'>['credentials'][number];

/** What Kafka clients log in with. */
export function Credentials() {
  const clusterId = useClusterId();
  const credentials = useClusterOperation('list_virtual_cluster_credentials', {}, { everyMs: 30_000 });
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Credential>();
  return (
    <Page
      title="Access"
      tabTitle="Credentials"
      facts="Clients authenticate with a user name and a password. To rotate one: create a second, move its clients, then delete the first once its last login is old."
      actions={
        <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create credential
        </ChangeButton>
      }
    >
      <AccessTabs />
      <ListTable
        label="Credentials"
        of={credentials}
        what="list the credentials"
        rowsOf={(data) => data.credentials}
        filter={{
          label: 'Filter credentials by name',
          noun: 'credential',
          textOf: ({ name, username }) => `${name} ${username}`,
        }}
        columns={columnsOf(setDeleted)}
        keyOf={({ id }) => id}
        sort="name"
      >
        <Empty title="No credentials yet">
          Create one credential per application, so that each has its own ACLs.
        </Empty>
      </ListTable>
      {isCreating && <CreateCredentialDialog onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <DeletionDialog
          operation="delete_virtual_cluster_credentials"
          input={{ virtual_cluster_id: clusterId, id: deleted.id }}
          what={`credential ${deleted.name}`}
          name={deleted.name}
          isInUse={deleted.last_used_at !== null}
          onClose={() => setDeleted(undefined)}
        >
          <p>
            Its clients are refused at their next login. The last login:{' '}
            <Time of={deleted.last_used_at} isAgo />.
          </p>
          <p>
            Its ACLs stay and apply to a new credential of the same name. The password cannot be recovered.
          </p>
        </DeletionDialog>
      )}
    </Page>
  );
}

function columnsOf(onDelete: (credential: Credential) => void): readonly Column<Credential>[] {
  return [
    nameColumn('name', 'Name', 'minmax(12rem, 2fr)', ({ name }) => name),
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
