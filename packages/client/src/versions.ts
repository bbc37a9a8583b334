import { Failure } from '@weir/core';
import type { Api, VersionRange } from '@weir/wire';

/** The APIs of one broker: a range of versions per API key. */
export type OfferedVersions = ReadonlyMap<number, VersionRange>;

/**
 * The highest common version. `highestUseful` caps it below a version for which something is missing, such as the topic
 * ids that Fetch needs from v13 on.
 */
export function commonVersion(
  api: Api,
  offered: OfferedVersions,
  highestUseful: number = Number.POSITIVE_INFINITY,
): number {
  const range = offered.get(api.key);
  if (range === undefined) throw new Failure(`the broker does not support ${api.name}`);
  const highest = Math.min(range.highest, api.highestStableVersion, highestUseful);
  const lowest = Math.max(range.lowest, api.versions.lowest);
  if (highest >= lowest) return highest;
  throw new Failure(
    `no common version of ${api.name}: the broker supports ${range.lowest} to ${range.highest}, ` +
      `this release ${api.versions.lowest} to ${Math.min(api.highestStableVersion, highestUseful)}`,
  );
}
