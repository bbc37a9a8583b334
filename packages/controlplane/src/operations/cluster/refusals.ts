import type { ErrorCode } from '@weir/api';
import { ClusterUnavailable } from '@weir/cluster';
import { OperationFailed } from '../operation-failed.ts';

/** The result of a cluster for one entry of a request. */
interface Answer {
  readonly error: string;
  readonly reason?: string | undefined;
  readonly message: string | null;
}

/**
 * Throws a refusal of the cluster with the API code of its reason or, failing that, of its error. The message is the
 * cluster's.
 */
export function refuse({ error, reason, message }: Answer, codes: Readonly<Record<string, ErrorCode>>): void {
  if (error === 'NONE') return;
  const known = [reason, error].find((name) => name !== undefined && Object.hasOwn(codes, name));
  const code = known === undefined ? undefined : codes[known];
  if (code === undefined) throw new Error(`the cluster answered ${error}: ${message}`);
  throw new OperationFailed(code, message ?? undefined);
}

/** Throws `unavailable` while the cluster has no leader. */
export async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ClusterUnavailable)) throw error;
    throw new OperationFailed('unavailable', 'The cluster is not reachable; try again.', {
      cause: error,
    });
  }
}
