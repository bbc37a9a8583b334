import { type BucketPlace, bucketPlace, isWithinBucket, placesOf } from './bucket-place.ts';
import { StoreError } from './store/store-error.ts';

interface AllowedBuckets {
  /** The buckets that the agent was started with. */
  readonly ownUrls: readonly string[];
  /** `-allowedBucketURLs` */
  readonly allowedUrls: readonly string[];
}

/**
 * Returns why an agent may not use a bucket that its cluster names.
 *
 * An agent sends its credentials and all records to this bucket, so the cluster alone does not decide: it may name
 * another bucket of the same server, a folder of the same disk bucket, or a bucket that the operator has listed.
 */
export function problemOfBucket(url: string, { ownUrls, allowedUrls }: AllowedBuckets): string | undefined {
  try {
    const places = placesOf(bucketPlace(url));
    if (places.some(({ scheme }) => scheme === 'mem'))
      return 'mem: a bucket in memory is lost with its process';
    const owned = ownUrls.flatMap((own) => placesOf(bucketPlace(own)));
    const permitted = allowedUrls.map(bucketPlace);
    // Each bucket behind a wrapper gets credentials and records.
    const place = places.find(
      (part) =>
        !owned.some((one) => isLikeOwn(part, one)) &&
        !permitted.some((one) => part.access === one.access && isWithinBucket(part, one)),
    );
    if (place === undefined) return undefined;
    const access = place.access === undefined ? '' : ` ${place.access}`;
    const where = place.server === '' ? place.bucket : `${place.bucket} on ${place.server}${access}`;
    return `${place.scheme}: ${where} is not a bucket of the server of -bucketURL; to allow it, list it in -allowedBucketURLs`;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.message;
  }
}

function isLikeOwn(place: BucketPlace, own: BucketPlace): boolean {
  if (place.scheme === 'file' || place.scheme === 'sqlite') return isWithinBucket(place, own);
  const isServer = place.scheme === own.scheme && place.server === own.server;
  // Otherwise a cluster could turn off the encryption of the connection, or choose among the roles of the agent.
  return isServer && place.access === own.access;
}
