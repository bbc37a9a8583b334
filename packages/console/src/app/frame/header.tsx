import {
  MoonIcon,
  PersonIcon,
  SearchIcon,
  SunIcon,
  ThreeBarsIcon,
  TriangleDownIcon,
} from '@primer/octicons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { counted } from '../../format/format.ts';
import { forgetCredentials } from '../../pages/messages/state/kafka-credential.ts';
import { useClusters } from '../../session/workspace-choice.ts';
import { tasks } from '../../tasks/tasks.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { shownKeys } from '../../ui/shortcuts.ts';
import { Status } from '../../ui/status.tsx';
import { type Theme, themes, useTheme } from '../theme.ts';
import { openPalette } from './command-palette.tsx';
import type { FrameProps } from './frame-props.ts';

export function Header({ context, clusterId, onMenu }: FrameProps & { readonly onMenu: () => void }) {
  return (
    <header className="sticky top-0 z-30 flex h-12 shrink-0 items-center gap-2 border-b border-line bg-surface px-2 sm:px-6">
      <IconButton icon={ThreeBarsIcon} label="Pages" className="sm:hidden" onClick={onMenu} />
      <Breadcrumb context={context} clusterId={clusterId} />
      <div className="flex-1" />
      <Button
        icon={SearchIcon}
        onClick={openPalette}
        aria-keyshortcuts="Meta+K Control+K"
        className="text-muted"
      >
        <span className="sr-only sm:not-sr-only">Search</span>
        <kbd className="hidden rounded border border-line px-1 font-mono text-xs sm:inline">
          {shownKeys('mod+k')}
        </kbd>
      </Button>
      {clusterId !== undefined && <Health clusterId={clusterId} />}
      <ThemeMenu />
      <AccountMenu context={context} />
    </header>
  );
}

/** The breadcrumb is navigation: its first part switches clusters. */
function Breadcrumb({ context, clusterId }: FrameProps) {
  const navigate = useNavigate();
  const shown = useClusters(context);
  const cluster = context?.workspaces
    .flatMap(({ virtual_clusters }) => virtual_clusters)
    .find(({ id }) => id === clusterId);
  if (clusterId === undefined)
    return (
      <Link to="/clusters" className="truncate px-1 font-medium text-ink">
        Clusters
      </Link>
    );
  return (
    <Menu
      align="start"
      trigger={
        <Button kind="quiet" className="min-w-0">
          <span className="truncate">{cluster === undefined ? clusterId : clusterLabel(cluster)}</span>
          <TriangleDownIcon aria-hidden="true" />
        </Button>
      }
      entries={[
        ...shown.map((entry) => ({
          id: entry.id,
          label: <span className="truncate">{clusterLabel(entry)}</span>,
          onSelect: () => void navigate({ to: '/clusters/$clusterId', params: { clusterId: entry.id } }),
        })),
        { id: 'line', line: true },
        { id: 'all', label: 'All clusters', onSelect: () => void navigate({ to: '/clusters' }) },
      ]}
    />
  );
}

const healthEveryMs = 10_000;

function Health({ clusterId }: { readonly clusterId: string }) {
  const { data, isError } = useOperation(
    'list_diagnostics',
    { virtual_cluster_id: clusterId, state: 'failing' },
    { everyMs: healthEveryMs },
  );
  const failing = data?.diagnostics.length ?? 0;
  return (
    <Link
      to="/clusters/$clusterId/diagnostics"
      params={{ clusterId }}
      className="hidden rounded-md px-1 py-0.5 hover:bg-hover sm:inline-flex"
    >
      {isError ? (
        <Status kind="muted">unknown</Status>
      ) : failing === 0 ? (
        <Status kind={data === undefined ? 'muted' : 'ok'}>{data === undefined ? '…' : 'healthy'}</Status>
      ) : (
        <Status kind="warn">{counted(failing, 'problem')}</Status>
      )}
    </Link>
  );
}

const themeNames: Readonly<Record<Theme, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeMenu() {
  const [theme, setTheme] = useTheme();
  return (
    <Menu
      trigger={
        <IconButton icon={theme === 'dark' ? MoonIcon : SunIcon} label={`Theme: ${themeNames[theme]}`} />
      }
      entries={themes.map((name) => ({
        id: name,
        label: name === theme ? `${themeNames[name]} ✓` : themeNames[name],
        onSelect: () => setTheme(name),
      }))}
    />
  );
}

function AccountMenu({ context }: Pick<FrameProps, 'context'>) {
  const navigate = useNavigate();
  const signOut = useAction('sign_out');
  const name = context?.actor.name ?? '';
  return (
    <Menu
      trigger={<IconButton icon={PersonIcon} label={name === '' ? 'Account' : `Account of ${name}`} />}
      entries={[
        {
          id: 'name',
          label: <span className="truncate">{name}</span>,
          onSelect: () => {},
          disabledBecause: 'Signed in as this user',
        },
        { id: 'line', line: true },
        { id: 'account', label: 'Your account', onSelect: () => void navigate({ to: '/account' }) },
        {
          id: 'sign-out',
          label: 'Sign out',
          onSelect: () =>
            signOut.mutate(
              {},
              {
                onSuccess: () => {
                  tasks.forgetAll();
                  forgetCredentials();
                  void navigate({ to: '/sign-in', search: {} });
                },
              },
            ),
        },
      ]}
    />
  );
}
