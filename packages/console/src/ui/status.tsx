import { AlertIcon, CheckCircleIcon, InfoIcon, SkipIcon, XCircleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type StatusKind = 'ok' | 'warn' | 'fail' | 'info' | 'muted';

const looks = {
  ok: { icon: CheckCircleIcon, text: 'text-ok', soft: 'bg-ok-soft' },
  warn: { icon: AlertIcon, text: 'text-warn', soft: 'bg-warn-soft' },
  fail: { icon: XCircleIcon, text: 'text-fail', soft: 'bg-fail-soft' },
  info: { icon: InfoIcon, text: 'text-info', soft: 'bg-info-soft' },
  muted: { icon: SkipIcon, text: 'text-muted', soft: 'bg-hover' },
} as const;

interface StatusProps {
  readonly kind: StatusKind;
  readonly children: ReactNode;
  /** With a background of its own, for a line of text that is no part of a table. */
  readonly isBadge?: boolean;
  /** For a sentence, which may take several lines. */
  readonly wraps?: boolean;
}

/** A state: colour, an icon and a word, because colour alone does not reach everyone. */
export function Status({ kind, children, isBadge = false, wraps = false }: StatusProps) {
  const { icon: Icon, text, soft } = looks[kind];
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 whitespace-nowrap',
        isBadge && `rounded-md px-1.5 py-0.5 text-xs font-medium ${soft}`,
        text,
      )}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      {wraps ? <span className="whitespace-normal">{children}</span> : children}
    </span>
  );
}
