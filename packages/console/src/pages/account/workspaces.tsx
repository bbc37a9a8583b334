import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { formatCount } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { chooseWorkspace } from '../../session/workspace-choice.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Secret } from '../../ui/secret.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';

type Workspace = OutputOf<'list_workspaces'>['workspaces'][number];

const nameHelp = '3 to 128 letters, digits, spaces, underscores and hyphens.';

/** Clusters and keys that belong together, and that a role is about. */
export function Workspaces() {
  const search = useSearch({ from: '/frame/workspaces' });
  const navigate = useNavigate({ from: '/workspaces' });
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
        <Button kind="primary" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden="true" /> Create workspace
        </Button>
      }
    >
      <Card>
        <Answer of={workspaces} what="list the workspaces">
          {(answer) => (
            <DataTable
              label="Workspaces"
              columns={columns}
              rows={answer.workspaces}
              keyOf={({ id }) => id}
              sort={search.sort ?? 'created'}
              onSort={(sort) => void navigate({ search: { sort }, replace: true })}
            />
          )}
        </Answer>
      </Card>
      {isCreating && <CreateWorkspace onClose={() => setCreating(false)} />}
      {renamed !== undefined && <RenameWorkspace of={renamed} onClose={() => setRenamed(undefined)} />}
      {deleted !== undefined && <DeleteWorkspace of={deleted} onClose={() => setDeleted(undefined)} />}
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
    {
      id: 'clusters',
      title: 'Clusters',
      width: '6rem',
      isNumber: true,
      sortBy: ({ id }) => of(id)?.virtual_clusters.length ?? 0,
      cell: ({ id }) => formatCount(of(id)?.virtual_clusters.length ?? 0),
    },
    {
      id: 'grant',
      title: 'Your role',
      width: '9rem',
      cell: ({ id }) => (of(id)?.grant === 'admin' ? 'administer' : 'read'),
    },
    {
      id: 'created',
      title: 'Created',
      width: '12rem',
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time of={created_at} />,
    },
    {
      id: 'id',
      title: 'Id',
      width: 'minmax(8rem, 1fr)',
      cell: ({ id }) => <CopyableId text={id} what="the workspace id" />,
    },
    {
      id: 'acts',
      title: 'Actions',
      width: '6.5rem',
      cell: (workspace) => (
        <>
          <Button
            kind="quiet"
            isIcon
            aria-label={`Rename ${workspace.name}`}
            title={`Rename ${workspace.name}`}
            onClick={() => onRename(workspace)}
          >
            <PencilIcon aria-hidden="true" />
          </Button>
          <Button
            kind="quiet"
            isIcon
            aria-label={`Delete ${workspace.name}`}
            title={`Delete ${workspace.name}`}
            onClick={() => onDelete(workspace)}
          >
            <TrashIcon aria-hidden="true" />
          </Button>
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
    <Dialog isOpen onClose={onClose} title="Create workspace">
      <Form
        what="create the workspace"
        button="Create workspace"
        action={create}
        onCancel={onClose}
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
        <Field label="Name" name="name" help={nameHelp}>
          <TextControl required autoFocus autoComplete="off" maxLength={128} />
        </Field>
        <Checkbox name="key" label="Create an API key, shown once" />
      </Form>
    </Dialog>
  );
}

interface OfWorkspace {
  readonly of: Workspace;
  readonly onClose: () => void;
}

function RenameWorkspace({ of: workspace, onClose }: OfWorkspace) {
  const rename = useAction('rename_workspace');
  return (
    <Dialog isOpen onClose={onClose} title={`Rename ${workspace.name}`}>
      <Form
        what="rename the workspace"
        button="Rename"
        action={rename}
        onCancel={onClose}
        onSubmit={(fields) => {
          const name = textOf(fields, 'name');
          rename.mutate(
            { workspace_id: workspace.id, new_workspace_name: name },
            {
              onSuccess: () => {
                say(`Renamed ${workspace.name} to ${name}`);
                onClose();
              },
            },
          );
        }}
      >
        <Field label="New name" name="name" help={nameHelp}>
          <TextControl required autoFocus autoComplete="off" maxLength={128} defaultValue={workspace.name} />
        </Field>
      </Form>
    </Dialog>
  );
}

function DeleteWorkspace({ of: workspace, onClose }: OfWorkspace) {
  const remove = useAction('delete_workspace');
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete workspace ${workspace.name}?`}
      button={`Delete ${workspace.name}`}
      nameToType={workspace.name}
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { workspace_id: workspace.id },
          {
            onSuccess: () => {
              say(`Deleted ${workspace.name}`);
              onClose();
            },
          },
        )
      }
    >
      <p>Its keys are refused within seconds. Its deleted clusters can no longer be restored.</p>
      <p>This cannot be undone. A workspace that still has clusters cannot be deleted.</p>
    </ConfirmDialog>
  );
}
