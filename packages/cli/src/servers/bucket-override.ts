import { type ClusterPort, takeSnapshot } from '@weir/cluster';
import type { Log } from '@weir/core';
import { type BucketPlace, bucketPlace, isWithinBucket, placesOf, StoreError } from '@weir/storage';

const config = 'service.bucket.url';

interface BucketOverrideOptions {
  readonly cluster: Pick<ClusterPort, 'follow'>;
  /** The bucket that the agent was started with. */
  readonly ownBucketUrl: string;
  /** `-allowedBucketURLs` */
  readonly allowedBucketUrls: readonly string[];
  readonly log: Log;
  readonly stop: AbortSignal;
}

/**
 * The bucket that the cluster itself names, if it does and the agent's operator allows it. It takes precedence over the
 * bucket that an agent was started with, so that all agents of a cluster use the same one. It is read once: files are
 * in one bucket, and a new bucket applies to agents that start after the files were moved there.
 *
 * An agent sends its credentials and all records to this bucket, so the cluster alone does not decide: it may name
 * another bucket of the same server, a folder of the same disk bucket, or a bucket that the operator has listed. Any
 * other bucket is ignored with a log line. Continuing with the agent's own bucket is safe, because its id has to match
 * the cluster's (cluster-bucket.ts).
 */
export async function bucketOverride(options: BucketOverrideOptions): Promise<string | undefined> {
  const { cluster, ownBucketUrl, allowedBucketUrls, log, stop } = options;
  const snapshot = await takeSnapshot(cluster, { stop }).catch((error) => {
    // A stopping agent needs no bucket.
    if (!stop.aborted) throw error;
  });
  const given = snapshot?.clusterConfigs[config]?.trim();
  if (given === undefined || given === '' || given === ownBucketUrl) return undefined;
  const problem = problemOf(given, ownBucketUrl, allowedBucketUrls);
  if (problem === undefined) return given;
  log.error('refused the bucket that the cluster names, keeping -bucketURL', { config, problem });
  return undefined;
}

function problemOf(given: string, own: string, allowed: readonly string[]): string | undefined {
  try {
    const owned = placesOf(bucketPlace(own));
    const permitted = allowed.map(bucketPlace);
    // Each bucket behind a wrapper gets credentials and records.
    const place = placesOf(bucketPlace(given)).find(
      (part) =>
        !owned.some((one) => isLikeOwn(part, one)) && !permitted.some((one) => isWithinBucket(part, one)),
    );
    if (place === undefined) return undefined;
    const where = place.server === '' ? place.bucket : `${place.bucket} on ${place.server}`;
    return `${place.scheme}: ${where} is not a bucket of the server of -bucketURL; to allow it, list it in -allowedBucketURLs`;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.message;
  }
}

function isLikeOwn(place: BucketPlace, own: BucketPlace): boolean {
  if (place.scheme === 'file' || place.scheme === 'sqlite') return isWithinBucket(place, own);
  return place.scheme === own.scheme && place.server === own.server;
}
