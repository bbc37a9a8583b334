import { visibleText } from '../../../format/visible-text.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, TextControl } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
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
    <Dialog
      isOpen
      onClose={onClose}
      title="Save as a view"
      description="Types, time, filter, timeline and order, as they are now."
    >
      <Form
        what="save the view"
        button="Save the view"
        action={create}
        onSubmit={(fields) => void save(fields).catch(() => {})}
        onCancel={onClose}
      >
        <NameField />
        <SharedField workspace={workspace} isShared={false} />
      </Form>
    </Dialog>
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
    <Dialog isOpen onClose={onClose} title={`Rename or share ${visibleText(view.name)}`}>
      <Form
        what="change the view"
        button="Change the view"
        action={update}
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
        onCancel={onClose}
      >
        <NameField name={view.name} />
        <SharedField workspace={workspace} isShared={view.is_shared} />
      </Form>
    </Dialog>
  );
}

function NameField({ name = '' }: { readonly name?: string }) {
  return (
    <Field label="Name" name="view_name">
      <TextControl required maxLength={nameCharsMax} autoComplete="off" defaultValue={name} />
    </Field>
  );
}

function SharedField({ workspace, isShared }: { readonly workspace: Workspace; readonly isShared: boolean }) {
  return (
    <Checkbox
      name="is_shared"
      label={`Share with everyone in the workspace ${visibleText(workspace.name)}`}
      defaultChecked={isShared}
      disabled={!workspace.isAdmin}
      help={
        workspace.isAdmin
          ? 'Else only you see it.'
          : 'Only you see it: sharing needs the right to change the workspace.'
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
      title={`Delete the view ${visibleText(view.name)}`}
      button="Delete the view"
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
          ? `It is deleted for everyone in the workspace ${visibleText(workspace.name)}.`
          : 'You will not have it any more.'}{' '}
        The search stays on the page, and links to it go on working.
      </p>
    </ConfirmDialog>
  );
}
