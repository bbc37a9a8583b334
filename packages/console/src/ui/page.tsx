import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { visibleText } from '../format/visible-text.ts';

interface PageProps {
  readonly title: string;
  /** The name of the page in the tab of the browser, if it is not the title. */
  readonly tabTitle?: string;
  /** A line of facts below the title. */
  readonly facts?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, tabTitle = title, facts, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${visibleText(tabTitle)} · Weir`;
  }, [tabTitle]);
  return (
    <div className="mx-auto flex w-full max-w-[100rem] flex-col gap-4 px-4 py-5 sm:px-6">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-52">
          <h1 className="text-xl font-semibold break-words text-ink">{visibleText(title)}</h1>
          {facts !== undefined && <div className="mt-0.5 text-sm text-muted">{facts}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, actions, children }: CardProps) {
  // A title may wait for data; a heading without text is one that screen readers stumble over.
  const hasTitle = title !== undefined && title !== '' && title !== false;
  return (
    <section className="min-w-0 rounded-md border border-line bg-surface">
      {(title !== undefined || actions !== undefined) && (
        <header className="flex min-h-10 items-center gap-2 border-b border-line px-4 py-1.5">
          {hasTitle ? (
            <h2 className="min-w-0 flex-1 truncate text-sm font-semibold text-ink">{title}</h2>
          ) : (
            <span className="flex-1" />
          )}
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

interface TabProps {
  readonly tabs: readonly { readonly label: string; readonly link: LinkProps }[];
}

/** Tabs are routes, so that each has a link. */
export function Tabs({ tabs }: TabProps) {
  return (
    <nav aria-label="Sections" className="-mb-px flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label, link }) => (
        <Link
          key={label}
          {...link}
          activeOptions={{ exact: true, includeSearch: false }}
          className="border-b-2 border-transparent px-3 py-1.5 text-sm whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
