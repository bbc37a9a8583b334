import { createHash } from 'node:crypto';
import type { ScramCredential } from '../calls/principal-calls.ts';
import type { TokenDescription } from '../calls/token-calls.ts';

/**
 * Delegation tokens are key-value entries keyed by token id. An entry has what verifies a login with the token, not
 * what is needed to log in: its HMAC is there only in sealed form, for owners who ask for it.
 */
export interface DelegationToken extends Omit<TokenDescription, 'tokenId'> {
  /** Its password is the HMAC in base64. */
  readonly credential: ScramCredential;
  readonly sealedHmac: string;
}

/** The minimum of SCRAM: an HMAC cannot be guessed, so that more would only cost time. */
export const tokenIterations = 4096;

/** As many as `Uuid` of Kafka: 16 bytes in 22 characters. */
const idBytes = 16;

/**
 * The id of the token with this HMAC. Clients renew and end a token by its HMAC, so that a leader finds it without
 * knowing the HMAC of any.
 */
export function tokenIdOf(hmac: Uint8Array): string {
  const digest = createHash('sha256').update('weir delegation token\n').update(hmac).digest();
  return digest.subarray(0, idBytes).toString('base64url');
}

/** What clients use as a password. */
export function tokenPassword(hmac: Uint8Array): string {
  return Buffer.from(hmac).toString('base64');
}

export function isTokenLive(token: Pick<DelegationToken, 'expiresMs' | 'endsMs'>, nowMs: number): boolean {
  return nowMs <= Math.min(token.expiresMs, token.endsMs);
}

type Columns = [
  owner: string,
  requester: string,
  issuedMs: number,
  expiresMs: number,
  endsMs: number,
  iterations: number,
  salt: string,
  storedKey: string,
  serverKey: string,
  sealedHmac: string,
  renewers: readonly string[],
];

/** Values of entries are replaced, never changed, and a leader reads all of them for each token that is created. */
const known = new WeakMap<Uint8Array, DelegationToken>();

export function readDelegationToken(value: Uint8Array): DelegationToken {
  let token = known.get(value);
  if (token === undefined) {
    token = parse(value);
    known.set(value, token);
  }
  return token;
}

function parse(value: Uint8Array): DelegationToken {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  const [
    owner,
    requester,
    issuedMs,
    expiresMs,
    endsMs,
    iterations,
    salt,
    storedKey,
    serverKey,
    sealed,
    renewers,
  ] = JSON.parse(text) as Columns;
  const bytes = (base64: string) => Buffer.from(base64, 'base64');
  return {
    ...{ owner, requester, renewers, issuedMs, expiresMs, endsMs, sealedHmac: sealed },
    credential: { iterations, salt: bytes(salt), storedKey: bytes(storedKey), serverKey: bytes(serverKey) },
  };
}

export function writeDelegationToken(token: DelegationToken): Buffer {
  const { owner, requester, renewers, issuedMs, expiresMs, endsMs, credential, sealedHmac } = token;
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const columns: Columns = [
    owner,
    requester,
    issuedMs,
    expiresMs,
    endsMs,
    credential.iterations,
    text(credential.salt),
    text(credential.storedKey),
    text(credential.serverKey),
    sealedHmac,
    renewers,
  ];
  return Buffer.from(JSON.stringify(columns));
}
