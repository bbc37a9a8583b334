import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure, Skeleton } from './states.tsx';

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
