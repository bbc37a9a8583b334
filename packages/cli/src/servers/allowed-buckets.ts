import { bucketPlace, bucketUrlsOf, isWithinBucket } from '@weir/storage';

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
