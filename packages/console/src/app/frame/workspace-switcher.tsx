import { StackIcon, TriangleDownIcon } from '@primer/octicons-react';
import { useNavigate } from '@tanstack/react-router';
import { chooseWorkspace, useWorkspace } from '../../session/workspace-choice.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { FrameProps } from './frame-props.ts';

/** Which workspace's clusters lists, the breadcrumb and the palette have. */
export function WorkspaceSwitcher({
  context,
  labelClass,
}: Pick<FrameProps, 'context'> & { readonly labelClass: string }) {
  const navigate = useNavigate();
  const chosen = useWorkspace(context);
  const name = chosen?.name ?? 'All workspaces';
  // The list of clusters is what a choice is about; a cluster that is open belongs to one workspace anyway.
  const choose = (id: string | undefined) => {
    chooseWorkspace(id);
    void navigate({ to: '/clusters' });
  };
  const mark = (label: string, isChosen: boolean) => (isChosen ? `${label} ✓` : label);
  return (
    <Menu
      align="start"
      trigger={
        <Button
          kind="quiet"
          icon={StackIcon}
          aria-label={`Workspace: ${name}`}
          title={`Workspace: ${name}`}
          className="mb-2 w-full justify-start px-2 font-normal"
        >
          <span className={`min-w-0 flex-1 text-left ${labelClass}`}>{name}</span>
          <span className={labelClass}>
            <TriangleDownIcon aria-hidden="true" />
          </span>
        </Button>
      }
      entries={[
        {
          id: 'all',
          label: mark('All workspaces', chosen === undefined),
          onSelect: () => choose(undefined),
        },
        ...(context?.workspaces ?? []).map(({ id, name: label }) => ({
          id,
          label: <span className="truncate">{mark(label, id === chosen?.id)}</span>,
          onSelect: () => choose(id),
        })),
        { id: 'line', line: true },
        { id: 'manage', label: 'Manage workspaces', onSelect: () => void navigate({ to: '/workspaces' }) },
      ]}
    />
  );
}
