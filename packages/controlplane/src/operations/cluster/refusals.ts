import type { ErrorCode } from '@weir/api';
import { ClusterUnavailable } from '@weir/metadata';
import { OperationFailed } from '../operation-failed.ts';

/** What a cluster answers for one thing that it was asked to do. */
interface Answer {
  readonly error: string;
  readonly message: string | null;
}

/** Throws what a cluster refused, under the code that the interface has for it and with the cluster's own words. */
export function refuse({ error, message }: Answer, codes: Readonly<Record<string, ErrorCode>>): void {
  if (error === 'NONE') return;
  const code = Object.hasOwn(codes, error) ? codes[error] : undefined;
  if (code === undefined) throw new Error(`the cluster answered ${error}: ${message}`);
  throw new OperationFailed(code, message ?? undefined);
}

/** A cluster that nobody leads just now is no mistake of anybody: the caller tries again. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClusterUnavailable)) throw error;
    throw new OperationFailed('unavailable', 'The cluster cannot be reached just now; try again.', {
      cause: error,
    });
  }
}
