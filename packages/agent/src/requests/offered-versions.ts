import { type Api, apis } from '@weir/wire';

/**
 * The highest version of an API that clients are offered: the highest stable one, with an exception. AddPartitionsToTxn v4 and
 * v5 are spoken between brokers and need a broker's rights, and some clients take whatever is the highest.
 */
export function highestOfferedVersion(api: Api): number {
  return api.key === apis.AddPartitionsToTxn.key ? 3 : api.highestStableVersion;
}
