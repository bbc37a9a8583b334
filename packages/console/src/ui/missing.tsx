import type { UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { problemOf } from '../api/client.ts';
import { visibleText } from '../format/visible-text.ts';
import { buttonClass } from './button.tsx';

/** Whether the answer is that there is nothing of this name. One that was seen before stays on the page. */
export function isMissing({
  data,
  isError,
  error,
}: Pick<UseQueryResult, 'data' | 'isError' | 'error'>): boolean {
  return data === undefined && isError && problemOf(error).code === 'not_found';
}

interface MissingProps {
  /** What was not found: `Topic not found`. */
  readonly title: string;
  /** The name or the path that was asked for. */
  readonly name: string;
  /** Why it may be missing. */
  readonly children: ReactNode;
  /** Where to go from here. */
  readonly links: readonly { readonly label: string; readonly link: LinkProps }[];
}

/** The page of something that is not there. */
export function Missing({ title, name, children, links }: MissingProps) {
  useEffect(() => {
    document.title = `${title} · Weir`;
  }, [title]);
  return (
    <div className="mx-auto flex max-w-2xl flex-col items-center gap-3 px-4 py-12 text-center">
      <h1 className="text-xl font-semibold text-ink">{title}</h1>
      <p className="max-w-full rounded-md border border-line bg-surface px-2 py-1 font-mono text-sm break-all text-ink">
        <bdi>{visibleText(name)}</bdi>
      </p>
      <p className="text-sm text-muted">{children}</p>
      <nav aria-label="Where to go" className="flex flex-wrap justify-center gap-2">
        {links.map(({ label, link }) => (
          <Link key={label} {...link} className={`${buttonClass('plain')} px-3`}>
            {label}
          </Link>
        ))}
      </nav>
    </div>
  );
}
