import {
  type ChangedToken,
  type CreatedToken,
  credentialSpellings,
  type DelegationToken,
  isTokenLive,
  readCredentialRecord,
  readDelegationToken,
  type SealedToken,
  type TokenDescription,
  type TokenToChange,
  writeDelegationToken,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { KeyValueStore } from '../kv/key-value-store.ts';
import { decidePutEntries, type EntryChange } from '../kv/put-entries.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * Delegation tokens: who may change one, how long it lives, and how many there are. Who may ask for one is the business
 * of agents.
 */

interface Decision<Result> {
  readonly changed: readonly EntryChange[];
  readonly result: Result;
}

/** Decides whether a token is created, without applying it. */
export function decideCreateToken(
  state: ClusterState,
  limits: MachineLimits,
  { tokenId, owner, requester, renewers, lifetimeMs, credential, sealedHmac }: SealedToken,
  nowMs: number,
): Decision<CreatedToken> {
  const problem =
    problemOfNames([owner, requester, ...renewers], limits) ??
    problemOfCounts(state.kv, limits, { owner, requester, renewers }) ??
    (state.kv.get('delegationToken', tokenId) === undefined ? undefined : 'The token exists.');
  if (problem !== undefined) return { changed: [], result: refused(problem) };
  const longestMs = limits.delegationTokenMsMax;
  const endsMs = nowMs + (lifetimeMs > 0 ? Math.min(lifetimeMs, longestMs) : longestMs);
  const expiresMs = Math.min(endsMs, nowMs + limits.delegationTokenRenewalMsMax);
  const token: DelegationToken = {
    ...{ owner, requester, renewers, issuedMs: nowMs, expiresMs, endsMs, credential, sealedHmac },
  };
  const put = decidePutEntries(state, limits, [
    { namespace: 'delegationToken', key: tokenId, value: writeDelegationToken(token) },
  ]);
  if (put.problem !== undefined) return { changed: [], result: refused(put.problem) };
  return {
    changed: put.changed,
    result: { error: 'NONE', message: null, issuedMs: nowMs, expiresMs, endsMs },
  };
}

/** Decides a renewal, without applying it. */
export function decideRenewToken(
  state: ClusterState,
  limits: MachineLimits,
  { tokenId, users, periodMs }: TokenToChange,
  nowMs: number,
): Decision<ChangedToken> {
  const token = tokenOf(state.kv, tokenId);
  if (token === undefined) return unchanged('DELEGATION_TOKEN_NOT_FOUND');
  if (!isTokenLive(token, nowMs)) return unchanged('DELEGATION_TOKEN_EXPIRED');
  if (!isChangedBy(token, users)) return unchanged('DELEGATION_TOKEN_OWNER_MISMATCH');
  const longestMs = limits.delegationTokenRenewalMsMax;
  const lifetimeMs = periodMs === null || periodMs <= 0 ? longestMs : Math.min(periodMs, longestMs);
  return expiring(state, limits, tokenId, token, nowMs + lifetimeMs);
}

/** Decides an earlier end, without applying it. */
export function decideExpireToken(
  state: ClusterState,
  limits: MachineLimits,
  { tokenId, users, periodMs }: TokenToChange,
  nowMs: number,
): Decision<ChangedToken> {
  const token = tokenOf(state.kv, tokenId);
  if (token === undefined) return unchanged('DELEGATION_TOKEN_NOT_FOUND');
  if (!isChangedBy(token, users)) return unchanged('DELEGATION_TOKEN_OWNER_MISMATCH');
  if (periodMs === null) return { changed: [removal(tokenId)], result: { error: 'NONE', expiresMs: nowMs } };
  if (!isTokenLive(token, nowMs)) return unchanged('DELEGATION_TOKEN_EXPIRED');
  return expiring(state, limits, tokenId, token, nowMs + periodMs);
}

/** Removals of tokens whose time is over. */
export function endedTokens(kv: Pick<KeyValueStore, 'of'>, nowMs: number): EntryChange[] {
  return tokensWhere(kv, (token) => !isTokenLive(token, nowMs));
}

/** Removals of the tokens of a credential, by all its names: with it, they cannot log in any more either. */
export function tokensOfCredential(kv: Pick<KeyValueStore, 'of'>, username: string, value: Uint8Array) {
  if (kv.of('delegationToken').size === 0) return [];
  const names = credentialSpellings(username, readCredentialRecord(value).name);
  return tokensWhere(kv, ({ owner }) => names.includes(owner));
}

/** All tokens, without secrets. */
export function listDelegationTokens(kv: Pick<KeyValueStore, 'of'>): TokenDescription[] {
  return Array.from(kv.of('delegationToken'), ([tokenId, value]) => {
    const { owner, requester, renewers, issuedMs, expiresMs, endsMs } = readDelegationToken(value);
    return { tokenId, owner, requester, renewers, issuedMs, expiresMs, endsMs };
  });
}

function tokensWhere(
  kv: Pick<KeyValueStore, 'of'>,
  isWanted: (token: DelegationToken) => boolean,
): EntryChange[] {
  const removals: EntryChange[] = [];
  for (const [tokenId, value] of kv.of('delegationToken'))
    if (isWanted(readDelegationToken(value))) removals.push(removal(tokenId));
  return removals;
}

function tokenOf(kv: Pick<KeyValueStore, 'get'>, tokenId: string): DelegationToken | undefined {
  const value = kv.get('delegationToken', tokenId);
  return value === undefined ? undefined : readDelegationToken(value);
}

function isChangedBy({ owner, renewers }: DelegationToken, users: readonly string[]): boolean {
  return users.some((user) => user === owner || renewers.includes(user));
}

function expiring(
  state: ClusterState,
  limits: MachineLimits,
  tokenId: string,
  token: DelegationToken,
  wantedMs: number,
): Decision<ChangedToken> {
  const expiresMs = Math.min(token.endsMs, wantedMs);
  const value = writeDelegationToken({ ...token, expiresMs });
  const { changed, problem } = decidePutEntries(state, limits, [
    { namespace: 'delegationToken', key: tokenId, value },
  ]);
  // Another time adds a few bytes at most. Where even these are too many, the token ends as before.
  return {
    changed,
    result: { error: 'NONE', expiresMs: problem === undefined ? expiresMs : token.expiresMs },
  };
}

function problemOfNames(names: readonly string[], { principalNameCharsMax }: MachineLimits) {
  const isRight = (name: string) => name !== '' && name.length <= principalNameCharsMax;
  return names.every(isRight)
    ? undefined
    : `The name of a user has 1 to ${principalNameCharsMax} characters.`;
}

function problemOfCounts(
  kv: Pick<KeyValueStore, 'of'>,
  limits: MachineLimits,
  { owner, requester, renewers }: Pick<SealedToken, 'owner' | 'requester' | 'renewers'>,
): string | undefined {
  const { delegationTokensMax, delegationTokensPerUserMax, tokenRenewersMax, tokenRenewerCharsMax } = limits;
  const renewerChars = renewers.reduce((sum, name) => sum + name.length, 0);
  if (renewers.length > tokenRenewersMax || renewerChars > tokenRenewerCharsMax) {
    return `A token has at most ${tokenRenewersMax} renewers, whose names have ${tokenRenewerCharsMax} characters in all.`;
  }
  const tokens = kv.of('delegationToken');
  if (tokens.size >= delegationTokensMax) {
    return `The cluster has ${tokens.size} delegation tokens, which is the limit; expire some.`;
  }
  // The requester counts, so that one who may ask for others cannot use up their tokens without using up its own.
  let ownedCount = 0;
  let requestedCount = 0;
  for (const value of tokens.values()) {
    const token = readDelegationToken(value);
    if (token.owner === owner) ownedCount++;
    if (token.requester === requester) requestedCount++;
  }
  const isFull = ownedCount >= delegationTokensPerUserMax || requestedCount >= delegationTokensPerUserMax;
  return isFull
    ? `A user has at most ${delegationTokensPerUserMax} delegation tokens, owned or requested; expire some.`
    : undefined;
}

function removal(key: string): EntryChange {
  return { namespace: 'delegationToken', key, value: null };
}

function unchanged(error: Exclude<ChangedToken['error'], 'NONE'>): Decision<ChangedToken> {
  return { changed: [], result: { error, expiresMs: -1 } };
}

function refused(message: string): CreatedToken {
  return { error: 'POLICY_VIOLATION', message, issuedMs: -1, expiresMs: -1, endsMs: -1 };
}
