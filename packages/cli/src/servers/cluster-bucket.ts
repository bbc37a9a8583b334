import { randomUUID } from 'node:crypto';
import { readBucketId } from '@weir/broker';
import { type ClusterPort, ClusterUnavailable, type KnownBucket } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { Failure } from '@weir/core';
import { bucketIdKey, bucketUrlsOf, isRetriable, type ObjectStore, StoreError } from '@weir/storage';
import { bucketUrlForMessages } from './bucket-url-for-messages.ts';

export interface ClusterBucket {
  readonly clusterId: string;
  readonly cluster: Pick<ClusterPort, 'claimBucket'>;
  readonly store: ObjectStore;
  readonly bucketUrl: string;
  /**
   * Called before the first request to the bucket, with whether the cluster has no bucket yet. Only then a bucket that
   * does not exist may be made.
   */
  readonly prepare?: (isFirst: boolean) => Promise<void>;
  /** The flag that names it; `-bucketURL` if absent. */
  readonly flag?: string | undefined;
  /** All buckets of the cluster, as far as they are known. */
  readonly known?: readonly KnownBucket[] | undefined;
  /** Returns a new unique id. */
  readonly freshId: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the wait for a control plane or a bucket that cannot be reached. */
  readonly stop: AbortSignal;
}

const retryMs = 1_000;

/** A bucket of the cluster. One in memory has no id. */
export interface FoundBucket {
  readonly number: number;
  readonly bucketId: string | undefined;
}

/**
 * Checks that this agent uses a bucket of its cluster, or fails with one line. The cluster's first agent puts an id
 * into the bucket, and the cluster stores it; every later agent has to find the same id, or that of another bucket that
 * the cluster has come to use (ADR 0048). Returns the number of the bucket, and its id.
 *
 *     cluster has     bucket has     result
 *     nothing         nothing        an id is put there, unless another agent is faster, and claimed
 *     nothing         an id          it is claimed: the agent before ended in between, or the cluster's database is new
 *     ids             one of them    the agent continues
 *     ids             another, none  the agent fails, and leaves nothing there
 *
 * Of two agents with different buckets the first to claim wins. A bucket in memory is lost with its process, so its id
 * is never claimed.
 */
export async function checkClusterBucket(bucket: ClusterBucket): Promise<FoundBucket> {
  const { clusterId, cluster, store, bucketUrl, stop } = bucket;
  const key = bucketIdKey(clusterId);
  const known = await patiently(bucket, () => cluster.claimBucket(null));
  await bucket.prepare?.(known === null);
  const found = await patiently(bucket, () => readBucketId(store, clusterId, bucket.known));
  if (known !== null) {
    const number = found === known ? 0 : bucket.known?.find(({ bucketId }) => bucketId === found)?.number;
    if (number === undefined) throw refusal(bucket, known, found);
    return { number, bucketId: found };
  }
  if (bucketUrlsOf(bucketUrl).some((url) => url.startsWith('mem:')))
    return { number: 0, bucketId: undefined };
  const made = found ?? bucket.freshId();
  const isOurs =
    found === undefined &&
    (await patiently(bucket, () => store.putIfAbsent(key, [Buffer.from(`${made}\n`)], { signal: stop })));
  const id =
    found !== undefined || isOurs ? made : await patiently(bucket, () => readBucketId(store, clusterId));
  if (id === undefined)
    throw new Failure(
      `${bucketUrlForMessages(bucketUrl)}: ${key} was removed while the agent started; start it again`,
    );
  const claimed = await patiently(bucket, () => cluster.claimBucket(id));
  if (claimed === id) return { number: 0, bucketId: id };
  // The id would be in the way if this becomes the cluster's bucket later.
  if (isOurs) await store.delete(key).catch(() => {});
  throw refusal(bucket, claimed!, isOurs ? undefined : id);
}

export function freshBucketId(): string {
  return `bki_${randomUUID().replaceAll('-', '')}`;
}

function refusal(
  { clusterId, bucketUrl, flag = '-bucketURL' }: ClusterBucket,
  known: string,
  found: string | undefined,
): Failure {
  const key = bucketIdKey(clusterId);
  const what = found === undefined ? `${key} is missing` : `${key} has ${found}`;
  return new Failure(
    `${flag}: ${bucketUrlForMessages(bucketUrl)} is not the bucket of ${clusterId}, whose id is ${known} (${what}); ` +
      'start the agent with the bucket of the other agents; if this one was copied or emptied on purpose, write the id of the cluster to that object',
  );
}

/** Retries while the control plane or the bucket cannot be reached: an agent waits for them rather than exit. */
export async function patiently<Result>(
  { clock, log, stop, bucketUrl }: Pick<ClusterBucket, 'clock' | 'log' | 'stop' | 'bucketUrl'>,
  call: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    stop.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (error instanceof StoreError && !isRetriable(error.kind))
        throw new Failure(
          `${bucketUrlForMessages(bucketUrl)}: failed to check the id of the bucket: ${error.message}`,
        );
      if (!(error instanceof ClusterUnavailable || error instanceof StoreError)) throw error;
      const { message: problem } = error as Error;
      log.warn('failed to check bucket id, retrying', { error: problem });
    }
    await new Promise<void>((resolve) => clock.after(retryMs, resolve));
  }
}
