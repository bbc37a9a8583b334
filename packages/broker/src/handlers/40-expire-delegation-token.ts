import { tokenIdOf } from '@weir/cluster';
import type { Apis } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import { changeToken } from '../tokens/change-token.ts';
import { lifetimeOf } from '../tokens/token-requests.ts';

/**
 * ExpireDelegationToken v1 to v2: the token expires after the period, or at once with one below 0. Clients that are
 * logged in with it stay until they have to authenticate again.
 *
 * - Errors are those of RenewDelegationToken. A token that is over can still be removed at once.
 */
export const expireDelegationTokenHandler: HandlerOf<Apis['ExpireDelegationToken']> = (
  { hmac, expiryTimePeriodMs },
  context,
) => {
  const periodMs = expiryTimePeriodMs < 0n ? null : lifetimeOf(expiryTimePeriodMs);
  return changeToken('expire', { tokenId: tokenIdOf(hmac), periodMs }, context);
};
