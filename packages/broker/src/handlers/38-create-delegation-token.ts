import { randomBytes } from 'node:crypto';
import {
  type CreatedToken,
  scramCredentialOf,
  tokenIdOf,
  tokenIterations,
  tokenPassword,
} from '@weir/cluster';
import { problemOfPrincipalName } from '@weir/core';
import { userOf } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { isTokenClient, lifetimeOf, principalType, requesterFields } from '../tokens/token-requests.ts';

/**
 * CreateDelegationToken v1 to v3: a password that expires, for the client or, from v3 on, for another user. The agent
 * makes it, and passes on what verifies it; the control plane stores it in sealed form.
 *
 * - DELEGATION_TOKEN_REQUEST_NOT_ALLOWED unless the client has authenticated, with something else than a token.
 * - For another owner it requires CREATE_TOKENS on the user (DELEGATION_TOKEN_AUTHORIZATION_FAILED).
 * - INVALID_PRINCIPAL_TYPE for an owner or renewer that is no user, or whose name cannot be one.
 * - The token ends after 7 days, or earlier if the client wants, and has to be renewed every day.
 * - POLICY_VIOLATION beyond the limits of tokens and renewers. DELEGATION_TOKEN_AUTH_DISABLED if the control plane has
 *   no sealing keys.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const createDelegationTokenHandler: HandlerOf<Apis['CreateDelegationToken']> = async (
  request,
  context,
) => {
  const requester = userOf(context.access.principal);
  const isForItself = (request.ownerPrincipalName ?? '') === '';
  const owner = isForItself ? requester : request.ownerPrincipalName!;
  const ownerType = isForItself ? principalType : (request.ownerPrincipalType ?? '');
  const answer = (error: ErrorName, created?: CreatedToken & { tokenId: string; hmac: Buffer }) => ({
    errorCode: errors[error].code,
    principalType: ownerType,
    principalName: owner,
    ...requesterFields(requester, context.apiVersion),
    issueTimestampMs: BigInt(created?.issuedMs ?? -1),
    expiryTimestampMs: BigInt(created?.expiresMs ?? -1),
    maxTimestampMs: BigInt(created?.endsMs ?? -1),
    tokenId: created?.tokenId ?? '',
    hmac: created?.hmac ?? nothing,
    throttleTimeMs: 0,
  });
  const problem = problemOf(request, { requester, owner, ownerType }, context);
  if (problem !== undefined) return answer(problem);
  const { tokenId, hmac } = freshToken();
  const credential = await scramCredentialOf(tokenPassword(hmac), randomBytes(saltBytes), tokenIterations);
  const created = await ifAvailable(
    context.cluster.port.createDelegationToken(
      {
        ...{ tokenId, owner, requester, credential },
        renewers: [...new Set(request.renewers.map(({ principalName }) => principalName))],
        lifetimeMs: lifetimeOf(request.maxLifetimeMs),
      },
      hmac,
    ),
  );
  if (created === undefined) return answer('NOT_CONTROLLER');
  if (created.error !== 'NONE') {
    context.log.info('refused delegation token', { owner, requester, error: created.message });
    return answer(created.error);
  }
  context.log.info('created delegation token', {
    ...{ tokenId, owner, requester, peer: context.remoteAddress },
    expires: new Date(created.expiresMs).toISOString(),
    ends: new Date(created.endsMs).toISOString(),
  });
  return answer('NONE', { ...created, tokenId, hmac });
};

const nothing = Buffer.alloc(0);
/** As long as those of Kafka, whose HMAC is one of SHA-512. */
const hmacBytes = 64;
const saltBytes = 32;

/** A token whose id is no option for a command line. */
function freshToken(): { tokenId: string; hmac: Buffer } {
  for (;;) {
    const hmac = randomBytes(hmacBytes);
    const tokenId = tokenIdOf(hmac);
    if (!tokenId.startsWith('-')) return { tokenId, hmac };
  }
}

interface Parties {
  readonly requester: string;
  readonly owner: string;
  readonly ownerType: string;
}

function problemOf(
  { renewers }: RequestOf<Apis['CreateDelegationToken']>,
  { requester, owner, ownerType }: Parties,
  { session, access }: RequestContext,
): ErrorName | undefined {
  if (!isTokenClient(session)) return 'DELEGATION_TOKEN_REQUEST_NOT_ALLOWED';
  const isOwn = ownerType === principalType && owner === requester;
  if (!isOwn && !access.may('CREATE_TOKENS', 'USER', `${ownerType}:${owner}`))
    return 'DELEGATION_TOKEN_AUTHORIZATION_FAILED';
  const isUser = (type: string, name: string) =>
    type === principalType && problemOfPrincipalName(name) === undefined;
  const areUsers = renewers.every(({ principalType: type, principalName }) => isUser(type, principalName));
  return areUsers && isUser(ownerType, owner) ? undefined : 'INVALID_PRINCIPAL_TYPE';
}
