import type { TokenDescription } from '@weir/cluster';
import { type Apis, type ErrorName, errors, type ResponseOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';
import {
  isConcerned,
  isTokenClient,
  maySee,
  principalType,
  requesterFields,
  usersOf,
} from '../tokens/token-requests.ts';

/**
 * DescribeDelegationToken v1 to v3: the tokens with their HMACs, of all owners or of some; a renewer counts as one.
 *
 * - DELEGATION_TOKEN_REQUEST_NOT_ALLOWED as for CreateDelegationToken.
 * - A client sees the tokens that it owns or may renew. Others require DESCRIBE on the token, or DESCRIBE_TOKENS on
 *   the owner, and are left out without.
 * - DELEGATION_TOKEN_AUTH_DISABLED if the control plane cannot open sealed tokens. A token that only it cannot open, as
 *   after the removal of a sealing key, is left out.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const describeDelegationTokenHandler: HandlerOf<Apis['DescribeDelegationToken']> = async (
  { owners },
  { apiVersion, session, access, cluster: { port } },
) => {
  if (!isTokenClient(session)) return answer('DELEGATION_TOKEN_REQUEST_NOT_ALLOWED');
  if (tooManyProblem(owners?.length ?? 0) !== undefined) return answer('INVALID_REQUEST');
  if (owners?.length === 0) return answer('NONE');
  const listed = await ifAvailable(port.listDelegationTokens());
  if (listed === undefined) return answer('NOT_CONTROLLER');
  const wanted =
    owners === null
      ? undefined
      : new Set(
          owners
            .filter((owner) => owner.principalType === principalType)
            .map(({ principalName }) => principalName),
        );
  const users = new Set(usersOf(access.principal));
  const seen = listed.filter(
    (token) => (wanted === undefined || isConcerned(token, wanted)) && maySee(token, users, access),
  );
  if (seen.length === 0) return answer('NONE');
  const hmacs = await ifAvailable(port.openDelegationTokens(seen.map(({ tokenId }) => tokenId)));
  if (hmacs === undefined) return answer('NOT_CONTROLLER');
  const opened = seen.flatMap((token, index) => {
    const hmac = hmacs[index];
    return hmac === null || hmac === undefined ? [] : [described(token, hmac, apiVersion)];
  });
  return opened.length === 0 ? answer('DELEGATION_TOKEN_AUTH_DISABLED') : answer('NONE', opened);
};

type Described = ResponseOf<Apis['DescribeDelegationToken']>['tokens'][number];

function described(token: TokenDescription, hmac: Uint8Array, apiVersion: number): Described {
  return {
    principalType,
    principalName: token.owner,
    ...requesterFields(token.requester, apiVersion),
    issueTimestamp: BigInt(token.issuedMs),
    expiryTimestamp: BigInt(token.expiresMs),
    maxTimestamp: BigInt(token.endsMs),
    tokenId: token.tokenId,
    hmac,
    renewers: token.renewers.map((principalName) => ({ principalType, principalName })),
  };
}

function answer(error: ErrorName, tokens: Described[] = []) {
  return { errorCode: errors[error].code, tokens, throttleTimeMs: 0 };
}
