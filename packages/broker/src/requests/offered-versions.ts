import { type Api, apis } from '@weir/wire';

/**
 * The highest version of an API that clients are offered: the highest stable one, with an exception. AddPartitionsToTxn
 * v4 and v5 are inter-broker versions that need a broker's permissions, and some clients always use the highest.
 */
export function highestOfferedVersion(api: Api): number {
  return api.key === apis.AddPartitionsToTxn.key ? 3 : api.highestStableVersion;
}
