import type { TokenToChange } from '@weir/cluster';
import { type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { RequestContext } from '../requests/handler.ts';
import { isTokenClient, usersOf } from './token-requests.ts';

/** Renews a delegation token or ends it, and logs who did. */
export async function changeToken(
  kind: 'renew' | 'expire',
  { tokenId, periodMs }: Omit<TokenToChange, 'users'>,
  { session, access, cluster: { port }, log, remoteAddress }: RequestContext,
) {
  const answer = (error: ErrorName, expiresMs = -1) => ({
    errorCode: errors[error].code,
    expiryTimestampMs: BigInt(expiresMs),
    throttleTimeMs: 0,
  });
  if (!isTokenClient(session)) return answer('DELEGATION_TOKEN_REQUEST_NOT_ALLOWED');
  const users = usersOf(access.principal);
  const change = { tokenId, users, periodMs };
  const call = kind === 'renew' ? port.renewDelegationToken(change) : port.expireDelegationToken(change);
  const changed = await ifAvailable(call);
  if (changed === undefined) return answer('NOT_CONTROLLER');
  const { error, expiresMs } = changed;
  if (error === 'NONE') {
    const expires = new Date(expiresMs).toISOString();
    const fields = { tokenId, principal: access.principal.name, peer: remoteAddress, expires };
    if (kind === 'renew') log.info('renewed delegation token', fields);
    else log.info('removed or shortened delegation token', fields);
  }
  return answer(error, expiresMs);
}
