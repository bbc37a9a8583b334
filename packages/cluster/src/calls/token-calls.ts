import * as s from '../shapes/shape.ts';
import { command, leaderCall, query } from './call.ts';
import { scramCredential } from './principal-calls.ts';

const tokenToCreate = s.struct({
  /** Derived from the HMAC (`credentials/delegation-token.ts`). */
  tokenId: s.text,
  /** Users, without `User:`. */
  owner: s.text,
  requester: s.text,
  renewers: s.list(s.text),
  /** 0 for the longest. */
  lifetimeMs: s.whole,
  /** Verifies logins. */
  credential: scramCredential,
});
type TokenToCreate = s.TypeOf<typeof tokenToCreate>;

/** A token with its sealed HMAC, as the leader stores it. */
export interface SealedToken extends TokenToCreate {
  readonly sealedHmac: string;
}

const tokenToChange = s.struct({
  tokenId: s.text,
  /** All names of the user who asks for the change, without `User:`. */
  users: s.list(s.text),
  /** For how long from now: 0 for the longest with a renewal. `null` ends the token at once. */
  periodMs: s.nullable(s.whole),
});
export type TokenToChange = s.TypeOf<typeof tokenToChange>;

export interface CreatedToken {
  readonly error: 'NONE' | 'POLICY_VIOLATION' | 'DELEGATION_TOKEN_AUTH_DISABLED';
  readonly message: string | null;
  readonly issuedMs: number;
  readonly expiresMs: number;
  readonly endsMs: number;
}

export interface ChangedToken {
  readonly error:
    | 'NONE'
    | 'DELEGATION_TOKEN_NOT_FOUND'
    | 'DELEGATION_TOKEN_OWNER_MISMATCH'
    | 'DELEGATION_TOKEN_EXPIRED';
  readonly expiresMs: number;
}

/** A token without what one needs to log in with it. */
export interface TokenDescription {
  readonly tokenId: string;
  /** Names of users, without `User:`. */
  readonly owner: string;
  readonly requester: string;
  readonly renewers: readonly string[];
  readonly issuedMs: number;
  /** A renewal moves it, up to `endsMs`. */
  readonly expiresMs: number;
  /** After this time it cannot be renewed. */
  readonly endsMs: number;
}

/** Calls about delegation tokens. Agents check the rights of their clients. */
export const tokenCalls = {
  /** The HMAC is sealed before it is stored. */
  createDelegationToken: leaderCall<[token: TokenToCreate, hmac: Uint8Array], CreatedToken>(
    s.tuple(tokenToCreate, s.column(Uint8Array)),
    { onRetry: 'dedupe-durable' },
  ),
  renewDelegationToken: command<[change: TokenToChange], ChangedToken>(s.tuple(tokenToChange)),
  expireDelegationToken: command<[change: TokenToChange], ChangedToken>(s.tuple(tokenToChange)),
  /** All tokens, without secrets. */
  listDelegationTokens: query<[], TokenDescription[]>(s.tuple()),
  /** Returns the HMACs of tokens, `null` for those that are gone or cannot be opened. */
  openDelegationTokens: leaderCall<[tokenIds: readonly string[]], (Uint8Array | null)[]>(
    s.tuple(s.list(s.text)),
    { onRetry: 'reexecute' },
  ),
};
