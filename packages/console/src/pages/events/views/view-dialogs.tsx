import { visibleText } from '../../../format/visible-text.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Checkbox, TextField } from '../../../ui/fields.tsx';
import { FormDialog, textOf } from '../../../ui/form.tsx';
import { say } from '../../../ui/toasts.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { savedSearch } from './saved-search.ts';
import { useViewAction, type View, type Views } from './use-views.ts';

type Workspace = NonNullable<Views['workspace']>;

interface SaveDialogProps {
  readonly explorer: Explorer;
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

const nameCharsMax = 100;

export function SaveDialog({ explorer, workspace, onClose }: SaveDialogProps) {
  const create = useViewAction('create_event_view');
  const save = async (fields: FormData) => {
    const name = textOf(fields, 'view_name');
    const { view_id } = await create.mutateAsync({
      workspace_id: workspace.id,
      view_name: name,
      is_shared: fields.get('is_shared') !== null,
      search: savedSearch(explorer.written()),
    });
    explorer.search({ view: view_id });
    say(`Saved ${visibleText(name)}`);
    onClose();
  };
  return (
    <FormDialog
      title="Save view"
      description="Saves the current types, time range, filter, timeline and order."
      action={create}
      onClose={onClose}
      onSubmit={(fields) => void save(fields).catch(() => {})}
    >
      <NameField />
      <SharedField workspace={workspace} isShared={false} />
    </FormDialog>
  );
}

interface EditDialogProps {
  readonly view: View;
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

export function EditDialog({ view, workspace, onClose }: EditDialogProps) {
  const update = useViewAction('update_event_view');
  return (
    <FormDialog
      title={`Rename or share ${visibleText(view.name)}`}
      button="Change view"
      action={update}
      onClose={onClose}
      onSubmit={(fields) =>
        update.mutate(
          {
            workspace_id: workspace.id,
            view_id: view.id,
            view_name: textOf(fields, 'view_name'),
            is_shared: fields.get('is_shared') !== null,
          },
          { onSuccess: onClose },
        )
      }
    >
      <NameField name={view.name} />
      <SharedField workspace={workspace} isShared={view.is_shared} />
    </FormDialog>
  );
}

function NameField({ name = '' }: { readonly name?: string }) {
  return <TextField label="Name" name="view_name" required maxLength={nameCharsMax} defaultValue={name} />;
}

function SharedField({ workspace, isShared }: { readonly workspace: Workspace; readonly isShared: boolean }) {
  return (
    <Checkbox
      name="is_shared"
      label={`Share with everyone in workspace ${visibleText(workspace.name)}`}
      defaultChecked={isShared}
      disabled={!workspace.isAdmin}
      help={
        workspace.isAdmin
          ? 'Otherwise only you see it.'
          : 'Only you see it: sharing needs write access to the workspace.'
      }
    />
  );
}

interface DeleteDialogProps extends EditDialogProps {
  readonly explorer: Explorer;
}

export function DeleteDialog({ explorer, view, workspace, onClose }: DeleteDialogProps) {
  const remove = useViewAction('delete_event_view');
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete view ${visibleText(view.name)}?`}
      button="Delete view"
      action={remove}
      onConfirm={() =>
        remove.mutate(
          { workspace_id: workspace.id, view_id: view.id },
          {
            onSuccess: () => {
              explorer.show({ view: '' });
              onClose();
            },
          },
        )
      }
    >
      <p>
        {view.is_shared
          ? `This deletes it for everyone in workspace ${visibleText(workspace.name)}.`
          : 'This deletes your saved view.'}{' '}
        The search stays on this page, and links to it keep working.
      </p>
    </ConfirmDialog>
  );
}
