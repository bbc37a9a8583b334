import type { TokenDescription } from '@weir/cluster';
import { type Access, type ClientSession, type Principal, userOf } from '@weir/security';

/** What requests about delegation tokens share. */

/** The only type of principals. */
export const principalType = 'User';

/** Whether a client may ask about tokens: not with a token, so that a stolen one makes no others, nor anonymously. */
export function isTokenClient({ user, hasToken }: ClientSession): boolean {
  return user !== undefined && hasToken !== true;
}

/** All names of the user. */
export function usersOf(principal: Principal): string[] {
  return [userOf(principal), ...principal.aliases.map((alias) => userOf({ ...principal, name: alias }))];
}

/** A time that a client wants, where anything below 1 is the default: 0. */
export function lifetimeOf(wantedMs: bigint): number {
  return wantedMs <= 0n ? 0 : Number(wantedMs < longestMs ? wantedMs : longestMs);
}

/** Beyond every limit, and exact as a number. */
const longestMs = 100n * 365n * 86_400_000n;

/** Whether a client may see a token: its owner, its renewers, and those with a right on the token or on its owner. */
export function maySee(token: TokenDescription, users: ReadonlySet<string>, access: Access): boolean {
  return (
    isConcerned(token, users) ||
    access.mayQuietly('DESCRIBE', 'DELEGATION_TOKEN', token.tokenId) ||
    access.mayQuietly('DESCRIBE_TOKENS', 'USER', `${principalType}:${token.owner}`)
  );
}

export function isConcerned({ owner, renewers }: TokenDescription, users: ReadonlySet<string>): boolean {
  return users.has(owner) || renewers.some((renewer) => users.has(renewer));
}

const requesterFromVersion = 3;

/** The fields of an answer about who asked for a token, which older versions do not have. */
export function requesterFields(requester: string, apiVersion: number) {
  const isKnown = apiVersion >= requesterFromVersion;
  return {
    tokenRequesterPrincipalType: isKnown ? principalType : '',
    tokenRequesterPrincipalName: isKnown ? requester : '',
  };
}
