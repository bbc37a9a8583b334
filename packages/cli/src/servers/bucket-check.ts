import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '@weir/core';
import { Failure } from '@weir/core';
import { checkBucketAccess, type ObjectStore } from '@weir/storage';
import { bucketUrlForMessages } from './bucket-url-for-messages.ts';

/** The flags of the check. */
export interface BucketCheckValues {
  readonly skipBucketsPermissionCheck: boolean;
  readonly checkBucketAccessRetryCount: number;
}

interface BucketCheck {
  readonly values: BucketCheckValues;
  /** The flag or config that names the bucket. */
  readonly setting: string;
  readonly bucketUrl: string;
  readonly store: ObjectStore;
  /** The folder of probe objects. */
  readonly folder: string;
  /** Whether the process writes and reads files there; otherwise it only lists and deletes. */
  readonly writes?: boolean;
  readonly deletes: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** The pause before the first retry; each further one is twice as long. */
const firstPauseMs = 1_000;
const pauseMsMax = 8_000;

/**
 * Checks at the start that a process can do in a bucket what it has to, or fails with one line. Permissions that were
 * just granted, and disks that are just mounted, take a while, so that the check is repeated. A bucket in memory allows
 * everything.
 */
export async function checkBucket(check: BucketCheck): Promise<void> {
  const { values, setting, bucketUrl, clock, log, stop } = check;
  if (values.skipBucketsPermissionCheck || bucketUrl.startsWith('mem:')) return;
  const access = { ...check, writes: check.writes ?? true, probeId: randomUUID(), signal: stop };
  for (let retry = 0; ; retry++) {
    const problem = await checkBucketAccess(access);
    stop.throwIfAborted();
    if (problem === undefined) return;
    const bucket = bucketUrlForMessages(bucketUrl);
    if (retry === values.checkBucketAccessRetryCount)
      throw new Failure(`${setting}: ${bucket}: ${oneLine(problem)}`);
    const delayMs = Math.min(firstPauseMs * 2 ** retry, pauseMsMax);
    log.warn('failed to check access to bucket, retrying', { bucket, error: problem, delayMs });
    await pauseUnlessStopped(clock, delayMs, stop);
  }
}

/** Servers may answer with several lines. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function pauseUnlessStopped(clock: Clock, delayMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopped = () => {
      cancel();
      reject(stop.reason);
    };
    const cancel = clock.after(delayMs, () => {
      stop.removeEventListener('abort', stopped);
      resolve();
    });
    stop.addEventListener('abort', stopped, { once: true });
  });
}
