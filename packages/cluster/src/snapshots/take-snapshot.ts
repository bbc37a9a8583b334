import type { Clock } from '@weir/core';
import type { ClusterPort } from '../calls/cluster-calls.ts';
import { type ClusterSnapshot, ClusterUnavailable } from '../ports/port.ts';

export interface SnapshotOptions {
  /** Ends the wait, with its reason. */
  readonly stop?: AbortSignal;
  /** A cluster that does not show itself within it is unavailable. Without it a cluster that nobody leads is waited for. */
  readonly limit?: { readonly clock: Clock; readonly waitMsMax: number };
}

/** What a cluster looks like at one moment, for those who do not follow it. */
export async function takeSnapshot(
  port: Pick<ClusterPort, 'follow'>,
  { stop, limit }: SnapshotOptions = {},
): Promise<ClusterSnapshot> {
  stop?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ClusterSnapshot>();
  const giveUp = () => reject(stop!.reason);
  stop?.addEventListener('abort', giveUp, { once: true });
  const cancel = limit?.clock.after(limit.waitMsMax, () =>
    reject(new ClusterUnavailable('the cluster did not show itself in time')),
  );
  const unfollow = port.follow({ onSnapshot: resolve, onChanges() {} });
  try {
    return await promise;
  } finally {
    unfollow();
    cancel?.();
    stop?.removeEventListener('abort', giveUp);
  }
}
