import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { AccountChangeButton, AccountChangeIconButton } from '../../session/change-button.tsx';
import { useContextOfCaller } from '../../session/context.ts';
import { chooseWorkspace } from '../../session/workspace-choice.ts';
import { useFormAction } from '../../ui/actions.ts';
import { countColumn, timeColumn } from '../../ui/columns.tsx';
import { DeletionDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Checkbox, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { say } from '../../ui/toasts.tsx';

type Workspace = OutputOf<'list_workspaces'>['workspaces'][number];

const nameHelp = '3 to 128 letters, digits, spaces, underscores and hyphens.';

const rights = { admin: 'administer', read_records: 'read, with records', read_only: 'read' } as const;

/** Clusters and keys that belong together, and that a role is about. */
export function Workspaces() {
  const workspaces = useOperation('list_workspaces', {});
  const [isCreating, setCreating] = useState(false);
  const [renamed, setRenamed] = useState<Workspace>();
  const [deleted, setDeleted] = useState<Workspace>();
  const columns = useColumns(setRenamed, setDeleted);
  return (
    <Page
      title="Workspaces"
      facts="A workspace holds clusters and keys that belong together. Roles grant access to one or all workspaces."
      actions={
        <AccountChangeButton kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create workspace
        </AccountChangeButton>
      }
    >
      <ListTable
        label="Workspaces"
        of={workspaces}
        what="list the workspaces"
        rowsOf={(answer) => answer.workspaces}
        columns={columns}
        keyOf={({ id }) => id}
        sort="created"
      />
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
      {renamed !== undefined && <RenameWorkspace of={renamed} onClose={() => setRenamed(undefined)} />}
      {deleted !== undefined && (
        <DeletionDialog
          operation="delete_workspace"
          input={{ workspace_id: deleted.id }}
          what={`workspace ${deleted.name}`}
          name={deleted.name}
          isInUse
          onClose={() => setDeleted(undefined)}
        >
          <p>Its keys are refused within seconds. Its deleted clusters can no longer be restored.</p>
          <p>This cannot be undone. A workspace that still has clusters cannot be deleted.</p>
        </DeletionDialog>
      )}
    </Page>
  );
}

function useColumns(
  onRename: (workspace: Workspace) => void,
  onDelete: (workspace: Workspace) => void,
): readonly Column<Workspace>[] {
  const { data: context } = useContextOfCaller();
  const navigate = useNavigate();
  const of = (id: string) => context?.workspaces.find((workspace) => workspace.id === id);
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(12rem, 2fr)',
      sortBy: ({ name }) => name,
      cell: ({ id, name }) => (
        <button
          type="button"
          className="min-h-6 max-w-full truncate font-medium text-ink hover:underline"
          title={`Show the clusters of ${name}`}
          onClick={() => {
            chooseWorkspace(id);
            void navigate({ to: '/clusters' });
          }}
        >
          {name}
        </button>
      ),
    },
    countColumn('clusters', 'Clusters', '6rem', ({ id }) => of(id)?.virtual_clusters.length ?? 0),
    {
      id: 'grant',
      title: 'Your role',
      width: '9rem',
      cell: ({ id }) => rights[of(id)?.grant ?? 'read_only'],
    },
    timeColumn('created', 'Created', '12rem', ({ created_at }) => created_at),
    {
      id: 'id',
      title: 'Id',
      width: 'minmax(8rem, 1fr)',
      cell: ({ id }) => <CopyableId text={id} what="the workspace id" />,
    },
    {
      id: 'acts',
      title: 'Actions',
      priority: 5,
      width: '6.5rem',
      cell: (workspace) => (
        <>
          <AccountChangeIconButton
            icon={PencilIcon}
            label={`Rename ${workspace.name}`}
            onClick={() => onRename(workspace)}
          />
          <AccountChangeIconButton
            icon={TrashIcon}
            label={`Delete ${workspace.name}`}
            onClick={() => onDelete(workspace)}
          />
        </>
      ),
    },
  ];
}

function CreateWorkspace({ onClose }: { readonly onClose: () => void }) {
  const create = useAction('create_workspace');
  const key = create.data?.application_key;
  if (key !== undefined)
    return (
      <ShownOnce onClose={onClose} title="Workspace created">
        <Secret label={`Key ${key.name}`} text={key.key} />
      </ShownOnce>
    );
  return (
    <FormDialog
      title="Create workspace"
      action={create}
      onClose={onClose}
      onSubmit={(fields) => {
        const name = textOf(fields, 'name');
        const withKey = fields.get('key') !== null;
        create.mutate(
          { workspace_name: name, skip_application_key_creation: !withKey },
          {
            onSuccess: () => {
              say(`Created ${name}`);
              if (!withKey) onClose();
            },
          },
        );
      }}
    >
      <TextField label="Name" name="name" required autoFocus maxLength={128}>
        {nameHelp}
      </TextField>
      <Checkbox name="key" label="Create an API key, shown once" />
    </FormDialog>
  );
}

interface OfWorkspace {
  readonly of: Workspace;
  readonly onClose: () => void;
}

function RenameWorkspace({ of: workspace, onClose }: OfWorkspace) {
  const rename = useFormAction('rename_workspace', onClose);
  return (
    <FormDialog
      title={`Rename ${workspace.name}`}
      what="rename the workspace"
      button="Rename"
      action={rename}
      onClose={onClose}
      onSubmit={(fields) => {
        const name = textOf(fields, 'name');
        rename.run(
          { workspace_id: workspace.id, new_workspace_name: name },
          `Renamed ${workspace.name} to ${name}`,
        );
      }}
    >
      <TextField
        label="New name"
        name="name"
        required
        autoFocus
        maxLength={128}
        defaultValue={workspace.name}
      >
        {nameHelp}
      </TextField>
    </FormDialog>
  );
}
