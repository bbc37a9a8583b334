import { SyncIcon } from '@primer/octicons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOf } from '../api/client.ts';
import { visibleText } from '../format/visible-text.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

/** What a page shows instead of content: nothing yet, a failure, or bars where content will be. */

interface EmptyProps {
  readonly title: string;
  /** One sentence on what would be here. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
  /** A command that does the same as the action. */
  readonly command?: string;
}

export function Empty({ title, children, action, command }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      <h2 className="text-base font-medium text-ink">{title}</h2>
      <p className="max-w-md text-sm text-muted">{children}</p>
      {action}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** A command to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className="flex max-w-full items-center gap-1 rounded-md border border-line bg-surface py-0.5 pr-0.5 pl-3">
      <code className="min-w-0 flex-1 py-1 text-left font-mono text-xs break-all whitespace-pre-wrap text-body">
        {text}
      </code>
      <CopyButton text={text} what="the command" />
    </div>
  );
}

interface FailureProps {
  /** What was tried: `list the topics`. */
  readonly what: string;
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Says what failed, with the code to search for, and offers to try again. */
export function Failure({ what, error, onRetry }: FailureProps) {
  const { message, code } = problemOf(error);
  return (
    <div
      role="alert"
      className="m-4 flex flex-wrap items-center gap-3 rounded-md border border-fail/40 bg-fail-soft p-3"
    >
      <div className="min-w-0 flex-1">
        <p className="font-medium text-ink">Failed to {visibleText(what)}</p>
        <p className="text-sm break-words text-body">
          {visibleText(message)}{' '}
          {code === 'forbidden' &&
            'Needs the admin role in the workspace, or in all workspaces for account settings; ask an account administrator to grant it on the Team page. '}
          <code className="font-mono text-xs text-muted">{code}</code>
        </p>
      </div>
      <CopyButton text={`failed to ${what}: ${code}: ${message}`} what="the details" />
      {onRetry !== undefined && (
        <Button icon={SyncIcon} onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

const barWidths = ['92%', '75%', '58%', '81%', '64%', '87%', '70%', '53%'] as const;

/** Bars in the shape of rows. They appear late, so that a quick answer does not flicker. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="animate-[appear_120ms_150ms_both] p-4">
      {barWidths.slice(0, rows).map((width) => (
        <div key={width} className="my-2 h-4 animate-pulse rounded bg-hover" style={{ width }} />
      ))}
    </div>
  );
}

interface AnswerProps<Data> {
  readonly of: Pick<UseQueryResult<Data>, 'data' | 'isError' | 'error' | 'refetch'>;
  /** What was asked for, as a failure says it: `list the topics`. */
  readonly what: string;
  /** Bars to show while the first answer is on its way. */
  readonly rows?: number;
  readonly children: (data: Data) => ReactNode;
}

/** The content that an answer becomes; bars before it comes, and what went wrong if it does not. */
export function Answer<Data>({ of, what, rows, children }: AnswerProps<Data>) {
  if (of.data !== undefined) return children(of.data);
  if (of.isError) return <Failure what={what} error={of.error} onRetry={() => of.refetch()} />;
  return <Skeleton {...(rows === undefined ? {} : { rows })} />;
}
