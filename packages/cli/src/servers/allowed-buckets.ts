import {
  type BucketPlace,
  bucketPlace,
  bucketUrlsOf,
  isWithinBucket,
  placesOf,
  StoreError,
} from '@weir/storage';

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

/** Whether two URLs name the same bucket and folder. */
export function isSameBucket(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    const [place, own] = [bucketPlace(one), bucketPlace(other)];
    return place.scheme === own.scheme && isWithinBucket(place, own) && isWithinBucket(own, place);
  } catch {
    return false;
  }
}

/** Of one URL: up to the last @ before its path. */
const userInfo = /\/\/[^/?#]*@/;
const secretParameter = /([?&])[^=&#<]*(?:pass|pwd|secret|token|key|sig|credential)[^=&#<]*=[^&#<>]*&?/gi;

/** A URL without its credentials, by which other agents find the same place with credentials of their own. */
export function urlWithoutSecrets(url: string): string {
  const wrapper = /^service_\w+:\/\//.exec(url.trim())?.[0] ?? '';
  const urls = bucketUrlsOf(url).map((one) =>
    one.replace(userInfo, '//').replace(secretParameter, '$1').replace(/[?&]$/, ''),
  );
  return wrapper + urls.join('<>');
}
