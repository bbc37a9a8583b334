import { PlusIcon, StopIcon, SyncIcon } from '@primer/octicons-react';
import { systemClock } from '@weir/core';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatDuration } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton, ChangeIconButton } from '../../session/change-button.tsx';
import { Button } from '../../ui/button.tsx';
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
import { ConnectSheet } from './connect/connect-sheet.tsx';
import { CreateCredentialDialog } from './create-credential-dialog.tsx';
import { type Credential, EndRotationDialog, RotateCredentialDialog } from './rotate-credential-dialog.tsx';

/** What Kafka clients log in with. */
export function Credentials() {
  const clusterId = useClusterId();
  const credentials = useClusterOperation('list_virtual_cluster_credentials', {}, { everyMs: 30_000 });
  const [isCreating, setCreating] = useState(false);
  const [connecting, setConnecting] = useState<Credential>();
  const [deleted, setDeleted] = useState<Credential>();
  const [rotated, setRotated] = useState<Credential>();
  const [ended, setEnded] = useState<Credential>();
  return (
    <Page
      title="Access"
      tabTitle="Credentials"
      facts="Clients authenticate with a user name and a password. Rotating gives a credential a second password, and ends the old one later."
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
        columns={columnsOf({
          onConnect: setConnecting,
          onRotate: setRotated,
          onEnd: setEnded,
          onDelete: setDeleted,
        })}
        keyOf={({ id }) => id}
        sort="name"
      >
        <Empty title="No credentials yet">
          Create one credential per application, so that each has its own ACLs.
        </Empty>
      </ListTable>
      {isCreating && <CreateCredentialDialog onClose={() => setCreating(false)} />}
      {rotated !== undefined && (
        <RotateCredentialDialog credential={rotated} onClose={() => setRotated(undefined)} />
      )}
      {ended !== undefined && <EndRotationDialog credential={ended} onClose={() => setEnded(undefined)} />}
      {connecting !== undefined && (
        <ConnectSheet
          what={`as ${visibleText(connecting.name)}`}
          username={connecting.username}
          onClose={() => setConnecting(undefined)}
        />
      )}
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

interface Actions {
  readonly onConnect: (credential: Credential) => void;
  readonly onRotate: (credential: Credential) => void;
  readonly onEnd: (credential: Credential) => void;
  readonly onDelete: (credential: Credential) => void;
}

function columnsOf({ onConnect, onRotate, onEnd, onDelete }: Actions): readonly Column<Credential>[] {
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
    {
      id: 'connect',
      title: 'Snippets',
      width: '7rem',
      cell: (credential) => (
        <Button
          kind="quiet"
          aria-label={`Connect as ${visibleText(credential.name)}`}
          onClick={() => onConnect(credential)}
        >
          Connect
        </Button>
      ),
    },
    {
      id: 'password',
      title: 'Password',
      width: '15rem',
      sortBy: ({ password_created_at }) => password_created_at ?? '',
      cell: (credential) => <PasswordState of={credential} />,
    },
    ...secretColumns<Credential>('Last login', onDelete, {
      deleteButton: ChangeIconButton,
      actionsOf: (credential) =>
        credential.old_password === null ? (
          <ChangeIconButton
            icon={SyncIcon}
            label={`Rotate the password of ${credential.name}`}
            onClick={() => onRotate(credential)}
          />
        ) : (
          <ChangeIconButton
            icon={StopIcon}
            label={`End the old password of ${credential.name}`}
            onClick={() => onEnd(credential)}
          />
        ),
    }),
  ];
}

/** How old the password is; during a rotation when the old one ends. */
function PasswordState({ of: { password_created_at, old_password } }: { readonly of: Credential }) {
  if (old_password !== null) {
    const { ends_at, last_used_at } = old_password;
    const leftMs = Math.max(0, Date.parse(ends_at) - systemClock.nowMs());
    const use = last_used_at === null ? 'Not used since the rotation' : `Last used at ${last_used_at}`;
    return <span title={use}>Old password ends in {formatDuration(leftMs)}</span>;
  }
  if (password_created_at === null) return <span className="text-muted">–</span>;
  return (
    <>
      set <Time of={password_created_at} isAgo />
    </>
  );
}
