import { Dialog } from '@base-ui/react/dialog';
import { DatabaseIcon } from '@primer/octicons-react';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { classNames } from '../../ui/class-names.ts';
import { accountPages } from '../pages-of-account.ts';
import { pagesOfCluster } from '../pages-of-cluster.ts';
import type { FrameProps } from './frame-props.ts';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

interface SidebarProps extends FrameProps {
  /** Whether it is shown on a narrow screen, where it covers the page. */
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** 216 px of pages, only icons on a medium screen, and a sheet on a narrow one. */
export function Sidebar({ isOpen, onClose, ...props }: SidebarProps) {
  return (
    <>
      <aside className="sticky top-0 hidden h-dvh w-14 shrink-0 overflow-y-auto border-r border-line bg-surface sm:block md:w-54">
        <Pages {...props} mayBeNarrow />
      </aside>
      <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/30 sm:hidden" />
          <Dialog.Popup
            aria-label="Pages"
            onClick={(event) =>
              event.target instanceof Element && event.target.closest('a') !== null && onClose()
            }
            className="fixed inset-y-0 left-0 z-40 w-64 border-r border-line bg-surface shadow-popover sm:hidden"
          >
            <Pages {...props} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

function Pages({ context, clusterId, mayBeNarrow = false }: FrameProps & { readonly mayBeNarrow?: boolean }) {
  const labelClass = classNames('truncate', mayBeNarrow && 'hidden md:inline');
  return (
    <nav aria-label="Pages" className="flex h-full flex-col gap-0.5 p-2">
      <Link to="/clusters" className="mb-2 flex h-8 items-center gap-2 px-2 text-base font-semibold text-ink">
        <WeirMark />
        <span className={labelClass}>weir</span>
      </Link>
      <WorkspaceSwitcher context={context} labelClass={labelClass} />
      {clusterId === undefined ? (
        <PageLink to="/clusters" isExact label="Clusters" labelClass={labelClass}>
          <DatabaseIcon aria-hidden="true" />
        </PageLink>
      ) : (
        pagesOfCluster(clusterId).map(({ label, icon: Icon, to, isExact = false, tabs = [] }) => (
          <PageLink
            key={label}
            to={to}
            params={{ clusterId }}
            isExact={isExact}
            tabs={tabs}
            label={label}
            labelClass={labelClass}
          >
            <Icon aria-hidden="true" />
          </PageLink>
        ))
      )}
      <hr className="mt-auto border-line" />
      {accountPages
        .filter(({ isOwn }) => isOwn !== true)
        .map(({ label, icon: Icon, to }) => (
          <PageLink key={label} to={to} isExact={false} label={label} labelClass={labelClass}>
            <Icon aria-hidden="true" />
          </PageLink>
        ))}
    </nav>
  );
}

type ClusterPage = ReturnType<typeof pagesOfCluster>[number];

interface PageLinkProps {
  readonly to: ClusterPage['to'];
  readonly params?: { readonly clusterId: string };
  readonly isExact: boolean;
  /** Further pages that it stands for. */
  readonly tabs?: ClusterPage['tabs'];
  readonly label: string;
  readonly labelClass: string;
  readonly children: React.ReactNode;
}

function PageLink({ to, params, isExact, tabs = [], label, labelClass, children }: PageLinkProps) {
  const matchRoute = useMatchRoute();
  const isOnTab = tabs.some((tab) =>
    matchRoute({ to: tab.to as '/clusters/$clusterId', params: params ?? {}, fuzzy: true }),
  );
  return (
    <Link
      to={to as '/clusters/$clusterId'}
      params={params as { clusterId: string }}
      title={label}
      aria-label={label}
      aria-current={isOnTab ? 'page' : undefined}
      activeOptions={{ exact: isExact, includeSearch: false }}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 text-sm text-body hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink [&_svg]:size-4 [&_svg]:shrink-0"
    >
      {children}
      <span className={labelClass}>{label}</span>
    </Link>
  );
}

/** Water over a weir. */
function WeirMark() {
  return (
    <svg viewBox="0 0 20 20" className="size-5 shrink-0 text-accent" aria-hidden="true">
      <path
        d="M2 5h8c3 0 3 10 8 10"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
      <path d="M2 10h5v7H2z" fill="currentColor" />
    </svg>
  );
}
