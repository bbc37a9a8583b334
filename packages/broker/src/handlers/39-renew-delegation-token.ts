import { tokenIdOf } from '@weir/cluster';
import type { Apis } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import { changeToken } from '../tokens/change-token.ts';
import { lifetimeOf } from '../tokens/token-requests.ts';

/**
 * RenewDelegationToken v1 to v2: the token expires later, at most a day from now, and never after its end.
 *
 * - DELEGATION_TOKEN_REQUEST_NOT_ALLOWED as for CreateDelegationToken.
 * - DELEGATION_TOKEN_NOT_FOUND for an unknown HMAC, DELEGATION_TOKEN_EXPIRED once it is over,
 *   DELEGATION_TOKEN_OWNER_MISMATCH unless the client is the owner or a renewer.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const renewDelegationTokenHandler: HandlerOf<Apis['RenewDelegationToken']> = (
  { hmac, renewPeriodMs },
  context,
) => changeToken('renew', { tokenId: tokenIdOf(hmac), periodMs: lifetimeOf(renewPeriodMs) }, context);
