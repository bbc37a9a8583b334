import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, apiKeyHeader, workspaceOfKeyHeader } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { Actor } from '../accounts/access/permissions.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import type { BrowserSession, SignedIn } from '../operations/call-context.ts';
import { isAgentToken } from '../workload-identity/agent-tokens.ts';
import type { ProvenKey, TokenKeys } from '../workload-identity/token-keys.ts';
import type { RateLimits } from './rate-limits.ts';

export type KnownActor = Exclude<Actor, { kind: 'anonymous' }>;

/** An authenticated caller. */
export interface Caller {
  readonly accountId: string;
  /** One per key that was sent; a user is alone. */
  readonly actors: readonly [Identified, ...Identified[]];
  /** For callers with a session. */
  readonly signedIn: SignedIn | undefined;
}

export interface Identified {
  readonly actor: KnownActor;
  /** The address of a user or the name of a key. */
  readonly name: string;
}

/** Resolves keys and tokens to their owners. */
export interface KeySources {
  readonly accounts: Pick<AccountsDatabase, 'keyVerifier'>;
  /** Verifies tokens of workload identities; without it none is accepted. */
  readonly tokenKeys?: TokenKeys | undefined;
}

export interface CallerOptions extends KeySources {
  readonly accounts: Pick<AccountsDatabase, 'keyVerifier' | 'sessions' | 'users'>;
  readonly limits: RateLimits;
}

/** Returns the owner of a secret, which is a key or an equivalent token. */
export function provenBy(
  secret: string,
  { accounts, tokenKeys }: KeySources,
): Promise<ProvenKey | undefined> {
  if (tokenKeys !== undefined && isAgentToken(secret)) return tokenKeys(secret);
  return accounts.keyVerifier.verify(secret);
}

/** Returns the caller by the keys in the headers or, without any, by the session of the browser. */
export async function callerOf(
  headers: IncomingHttpHeaders,
  browser: BrowserSession,
  remoteAddress: string,
  options: CallerOptions,
): Promise<Caller> {
  const sent = keysIn(headers);
  if (sent.length > 0) return callerByKeys(sent, remoteAddress, options);
  if (browser.token !== undefined) return callerBySession(browser, browser.token, options);
  throw unknownKey(`none was sent; send the header ${apiKeyHeader}, or sign in`);
}

/** The same message in all cases; only a caller without any key gets another. */
function unknownKey(why?: string): ApiError {
  return new ApiError('invalid_api_key', why === undefined ? undefined : `invalid API key: ${why}`);
}

interface SentKey {
  readonly secret: string;
  /** The workspace in the name of the header. */
  readonly workspaceId: string | undefined;
}

function keysIn(headers: IncomingHttpHeaders): SentKey[] {
  const sent = Object.entries(headers).flatMap(([header, value]): SentKey[] => {
    if (header === apiKeyHeader) return [{ secret: String(value), workspaceId: undefined }];
    if (!header.startsWith(`${apiKeyHeader}-`)) return [];
    const workspaceId = workspaceOfKeyHeader(header);
    if (workspaceId === undefined) throw unknownKey();
    return [{ secret: String(value), workspaceId }];
  });
  // Both forms at once, or a workspace in both spellings, are ambiguous.
  const isOneForm = sent.length <= 1 || sent.every(({ workspaceId }) => workspaceId !== undefined);
  const isOnePerWorkspace = new Set(sent.map(({ workspaceId }) => workspaceId)).size === sent.length;
  if (!isOneForm || !isOnePerWorkspace) throw unknownKey();
  if (sent.length > apiLimits.apiKeysPerCallMax)
    throw new ApiError('invalid_request', `A call has at most ${apiLimits.apiKeysPerCallMax} keys.`);
  return sent;
}

async function callerByKeys(
  sent: readonly SentKey[],
  remoteAddress: string,
  options: CallerOptions,
): Promise<Caller> {
  const { limits } = options;
  const found: Identified[] = [];
  for (const { secret, workspaceId } of sent) {
    const key = await limits.verify(secret, remoteAddress, (text) => provenBy(text, options));
    const actor = key === undefined ? undefined : actorOf(key, workspaceId);
    if (key === undefined || actor === undefined) throw unknownKey();
    found.push({ actor, name: key.name });
  }
  const [first, ...others] = found;
  const { accountId } = first!.actor;
  // One call is about one account.
  if (others.some(({ actor }) => actor.accountId !== accountId)) throw unknownKey();
  for (const { actor } of found) limits.countCall(actor.id);
  return { accountId, actors: [first!, ...others], signedIn: undefined };
}

/**
 * Returns the permissions of a key, limited to the workspace of its header if that names one; `undefined` if the key is
 * not for that workspace.
 */
function actorOf(key: ProvenKey, workspaceId: string | undefined): KnownActor | undefined {
  const { id, accountId } = key;
  const grants =
    workspaceId === undefined ? key.grants : key.grants.filter((grant) => grant.workspaceId === workspaceId);
  return grants.length === 0 ? undefined : { kind: 'api_key', id, accountId, grants };
}

async function callerBySession(
  browser: BrowserSession,
  token: string,
  { accounts, limits }: CallerOptions,
): Promise<Caller> {
  const signedIn = await accounts.sessions.resume(token);
  if (signedIn === undefined) {
    browser.end();
    throw unknownKey('the session has ended; sign in again');
  }
  const { id, accountId, email } = signedIn.user;
  limits.countCall(id);
  const grants = await accounts.users.grantsOf(id);
  return {
    accountId,
    actors: [{ actor: { kind: 'user', id, accountId, grants }, name: email }],
    signedIn,
  };
}
