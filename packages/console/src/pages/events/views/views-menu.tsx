import { BookmarkIcon, CheckIcon, PeopleIcon, PersonIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { problemOf } from '../../../api/client.ts';
import { visibleText } from '../../../format/visible-text.ts';
import { Button } from '../../../ui/button.tsx';
import { copy } from '../../../ui/copy-button.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { say } from '../../../ui/toasts.tsx';
import { AlertDialog } from '../../alerts/alert-dialog.tsx';
import type { Explorer } from '../state/use-explorer.ts';
import { isChanged, pathOfView, savedSearch, stateOfView } from './saved-search.ts';
import { useViewAction, useViews, type View } from './use-views.ts';
import { DeleteDialog, EditDialog, SaveDialog } from './view-dialogs.tsx';

/** Searches that were saved on the server: opens, saves, updates, renames, shares and deletes them. */
export function ViewsMenu({ explorer }: { readonly explorer: Explorer }) {
  const { state, clusterId } = explorer;
  const { workspace, views, error } = useViews(clusterId);
  const update = useViewAction('update_event_view');
  const create = useViewAction('create_event_view');
  const [dialog, setDialog] = useState<'save' | 'edit' | 'delete' | 'notify'>();
  const close = () => setDialog(undefined);
  const open = views.find(({ id }) => id === state.view);
  const hasChanged = open !== undefined && isChanged(open, state);
  const mayChange = open !== undefined && (!open.is_shared || workspace?.isAdmin === true);
  const refused = mayChange ? undefined : 'Shared views need write access to the workspace';
  const updateOpen = (view: View) =>
    update.mutate(
      { workspace_id: workspace!.id, view_id: view.id, search: savedSearch(explorer.written()) },
      {
        onSuccess: () => {
          explorer.search();
          say(`Updated ${visibleText(view.name)}`);
        },
        onError: (failure) => say(problemOf(failure).message, 'fail'),
      },
    );
  /** An alert fires on a shared view. Another search is saved as one. */
  const begin =
    open?.is_shared === true && !hasChanged
      ? { view: open }
      : {
          saveSearch: async (name: string) => {
            const search = savedSearch(explorer.written());
            const input = { workspace_id: workspace!.id, view_name: name, is_shared: true, search };
            return (await create.mutateAsync(input)).view_id;
          },
        };
  const entries = [
    ...views.map((view) => ({
      id: view.id,
      label: <ViewLabel view={view} isOpen={view.id === open?.id} />,
      onSelect: () => explorer.search(stateOfView(view)),
    })),
    ...(views.length === 0
      ? [
          {
            id: 'none',
            label: error === null ? 'No views yet' : 'Failed to list views',
            onSelect: () => {},
            disabledBecause: error === null ? 'Save a search first' : problemOf(error).message,
          },
        ]
      : []),
    { id: 'line', line: true as const },
    {
      id: 'save',
      label: 'Save view…',
      onSelect: () => setDialog('save'),
      disabledBecause: workspace === undefined ? 'Loading the workspace' : undefined,
    },
    {
      id: 'notify',
      label: 'Notify me…',
      onSelect: () => setDialog('notify'),
      disabledBecause: workspace?.isAdmin === true ? undefined : 'Alerts need write access to the workspace',
    },
    ...(open === undefined
      ? []
      : [
          {
            id: 'update',
            label: `Update ${visibleText(open.name)}`,
            onSelect: () => updateOpen(open),
            disabledBecause: refused ?? (hasChanged ? undefined : 'No changes to save'),
          },
          {
            id: 'edit',
            label: 'Rename or share…',
            onSelect: () => setDialog('edit'),
            disabledBecause: refused,
          },
          {
            id: 'link',
            label: 'Copy link to the view',
            onSelect: () =>
              copy({ text: location.origin + pathOfView(clusterId, open), what: 'the link to the view' }),
          },
          {
            id: 'delete',
            label: 'Delete view…',
            isDanger: true,
            onSelect: () => setDialog('delete'),
            disabledBecause: refused,
          },
        ]),
  ];
  return (
    <>
      <Menu
        trigger={
          <Button icon={BookmarkIcon} title={open === undefined ? 'Saved searches' : visibleText(open.name)}>
            <bdi className="max-w-44 truncate">{open === undefined ? 'Views' : visibleText(open.name)}</bdi>
            {hasChanged && <span className="text-xs text-muted">changed</span>}
          </Button>
        }
        entries={entries}
      />
      {workspace !== undefined && dialog === 'notify' && <AlertDialog begin={begin} onClose={close} />}
      {workspace !== undefined && dialog === 'save' && (
        <SaveDialog explorer={explorer} workspace={workspace} onClose={close} />
      )}
      {workspace !== undefined && open !== undefined && dialog === 'edit' && (
        <EditDialog view={open} workspace={workspace} onClose={close} />
      )}
      {workspace !== undefined && open !== undefined && dialog === 'delete' && (
        <DeleteDialog explorer={explorer} view={open} workspace={workspace} onClose={close} />
      )}
    </>
  );
}

function ViewLabel({ view, isOpen }: { readonly view: View; readonly isOpen: boolean }) {
  const Whose = view.is_shared ? PeopleIcon : PersonIcon;
  return (
    <>
      <Whose className="text-muted" aria-label={view.is_shared ? 'Shared' : 'Own'} />
      <bdi
        className="min-w-0 flex-1 truncate"
        title={`${visibleText(view.name)}, saved by ${visibleText(view.saved_by)}`}
      >
        {visibleText(view.name)}
      </bdi>
      {isOpen && <CheckIcon aria-label="Open" />}
    </>
  );
}
