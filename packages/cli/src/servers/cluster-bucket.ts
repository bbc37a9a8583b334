import { randomUUID } from 'node:crypto';
import { type ClusterPort, ClusterUnavailable } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import {
  bucketIdKey,
  bucketUrlsOf,
  isRetriable,
  ObjectNotFound,
  type ObjectStore,
  StoreError,
} from '@weir/storage';
import { Failure } from '../failure.ts';
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
  /** Returns a new unique id. */
  readonly freshId: () => string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the wait for a control plane or a bucket that cannot be reached. */
  readonly stop: AbortSignal;
}

const retryMs = 1_000;
const idBytesMax = 64;
const idPattern = /^[\w-]{1,64}$/;

/**
 * Checks that this agent uses the bucket of its cluster, or fails with one line. The cluster's first agent puts an id
 * into the bucket, and the cluster stores it; every later agent has to find the same id.
 *
 *     cluster has     bucket has     result
 *     nothing         nothing        an id is put there, unless another agent is faster, and claimed
 *     nothing         an id          it is claimed: the agent before ended in between, or the cluster's database is new
 *     an id           the same       the agent continues
 *     an id           another, none  the agent fails, and leaves nothing there
 *
 * Of two agents with different buckets the first to claim wins. A bucket in memory is lost with its process, so its id
 * is never claimed.
 */
export async function checkClusterBucket(bucket: ClusterBucket): Promise<void> {
  const { clusterId, cluster, store, bucketUrl, stop } = bucket;
  const key = bucketIdKey(clusterId);
  const known = await patiently(bucket, () => cluster.claimBucket(null));
  await bucket.prepare?.(known === null);
  const found = await patiently(bucket, () => readId(store, key));
  if (known !== null) {
    if (found !== known) throw refusal(bucket, known, found);
    return;
  }
  if (bucketUrlsOf(bucketUrl).some((url) => url.startsWith('mem:'))) return;
  const made = found ?? bucket.freshId();
  const isOurs =
    found === undefined &&
    (await patiently(bucket, () => store.putIfAbsent(key, [Buffer.from(`${made}\n`)], { signal: stop })));
  const id = found !== undefined || isOurs ? made : await patiently(bucket, () => readId(store, key));
  if (id === undefined)
    throw new Failure(
      `${bucketUrlForMessages(bucketUrl)}: ${key} was removed while the agent started; start it again`,
    );
  const claimed = await patiently(bucket, () => cluster.claimBucket(id));
  if (claimed === id) return;
  // The id would be in the way if this becomes the cluster's bucket later.
  if (isOurs) await store.delete(key).catch(() => {});
  throw refusal(bucket, claimed!, isOurs ? undefined : id);
}

export function freshBucketId(): string {
  return `bki_${randomUUID().replaceAll('-', '')}`;
}

async function readId(store: ObjectStore, key: string): Promise<string | undefined> {
  try {
    const id = (await store.getRange(key, 0, idBytesMax + 1)).toString().trim();
    if (!idPattern.test(id))
      throw new Failure(`${key}: not the id of a bucket; restore the object or remove it`);
    return id;
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
}

function refusal({ clusterId, bucketUrl }: ClusterBucket, known: string, found: string | undefined): Failure {
  const key = bucketIdKey(clusterId);
  const what = found === undefined ? `${key} is missing` : `${key} has ${found}`;
  return new Failure(
    `-bucketURL: ${bucketUrlForMessages(bucketUrl)} is not the bucket of ${clusterId}, whose id is ${known} (${what}); ` +
      'start the agent with the bucket of the other agents; if it is this one and was copied or emptied on purpose, put the id of the cluster into that object',
  );
}

/** Retries while the control plane or the bucket cannot be reached: an agent waits for them rather than exit. */
async function patiently<Result>(
  { clock, log, stop, bucketUrl }: ClusterBucket,
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
      log.warn('failed to check bucket id, retrying', { problem });
    }
    await new Promise<void>((resolve) => clock.after(retryMs, resolve));
  }
}
