import type { Clock } from '@weir/core';
import { ClusterUnavailable } from '../calls/call-errors.ts';
import type { ClusterSnapshot } from '../calls/change-stream.ts';
import type { ClusterPort } from '../calls/cluster-calls.ts';

export interface SnapshotOptions {
  /** Aborts the wait; the promise rejects with its reason. */
  readonly stop?: AbortSignal;
  /**
   * A cluster that sends no snapshot within this time is unavailable. Without a limit the call waits until the cluster
   * has a leader.
   */
  readonly limit?: { readonly clock: Clock; readonly waitMsMax: number };
}

/** Returns a point-in-time snapshot of a cluster, for callers that do not follow it. */
export async function takeSnapshot(
  port: Pick<ClusterPort, 'follow'>,
  { stop, limit }: SnapshotOptions = {},
): Promise<ClusterSnapshot> {
  stop?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ClusterSnapshot>();
  const giveUp = () => reject(stop!.reason);
  stop?.addEventListener('abort', giveUp, { once: true });
  const cancel = limit?.clock.after(limit.waitMsMax, () =>
    reject(new ClusterUnavailable('the cluster sent no snapshot in time')),
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
