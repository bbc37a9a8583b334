import { type Clock, problemOfPrincipalName } from '@weir/core';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { type IssuerKeys, IssuerUnavailable } from './issuer.ts';

/** The source of keys. */
interface KeySource {
  keys(): Promise<IssuerKeys>;
  keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined>;
}

interface TokenCheckOptions {
  /** The required issuer. */
  readonly issuer: KeySource;
  /** The required audience. */
  readonly audience: string;
  readonly clock: Clock;
}

export type Claims = Readonly<Record<string, unknown>>;

/** A token that is signed by the issuer, for our audience, currently valid, and has a subject. */
interface GoodToken {
  readonly subject: string;
  readonly expiresMs: number;
  /** All claims, including `sub` and `exp`. */
  readonly claims: Claims;
}

interface RefusedToken {
  /** For operators. Contains nothing from the token. */
  readonly problem: string;
  /** The subject, if only the token's time is wrong. */
  readonly subject: string | undefined;
  /**
   * Whether the token could not be validated, because the keys of its issuer are unavailable. It may be valid later.
   */
  readonly isIssuerAway: boolean;
}

export type CheckedToken = GoodToken | RefusedToken;

/** Allowed clock skew between issuers and this process. */
const skewSeconds = 30;

/** Validates a token. It throws for no token, whatever it contains. */
export async function checkToken(token: string, options: TokenCheckOptions): Promise<CheckedToken> {
  const { issuer } = options;
  try {
    const keys = await issuer.keys();
    const checked = await checkWith(keys, token, options);
    if (checked !== 'no such key') return checked;
    // The issuer may have rotated its keys.
    const newer = await issuer.keysAfter(keys);
    const checkedAgain = newer === undefined ? 'no such key' : await checkWith(newer, token, options);
    if (checkedAgain !== 'no such key') return checkedAgain;
    return refused('the issuer has no key with the id that the token names');
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    return { problem: error.message, subject: undefined, isIssuerAway: true };
  }
}

/** The issuer that a token claims. Any client can write it, so it may only select among trusted issuers. */
export function issuerNamedIn(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

async function checkWith(
  keys: IssuerKeys,
  token: string,
  { audience, clock }: TokenCheckOptions,
): Promise<CheckedToken | 'no such key'> {
  const nowMs = clock.nowMs();
  const options = {
    issuer: keys.issuer,
    audience,
    algorithms: [...keys.algorithms],
    clockTolerance: skewSeconds,
    currentDate: new Date(nowMs),
    requiredClaims: ['exp', 'sub'],
  };
  try {
    return validateClaims(await claimsOf(token, keys, options), nowMs);
  } catch (error) {
    return error instanceof errors.JWKSNoMatchingKey ? 'no such key' : refused(problemOf(error));
  }
}

type VerifyOptions = Parameters<typeof jwtVerify>[2];

async function claimsOf(token: string, keys: IssuerKeys, options: VerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys.find, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    return await claimsByAny(error, token, options);
  }
}

/** A token without a key id is tried with each matching key. */
async function claimsByAny(
  candidates: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: VerifyOptions,
): Promise<JWTPayload> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function validateClaims(claims: JWTPayload, nowMs: number): CheckedToken {
  const { sub: subject, exp, iat } = claims;
  if (typeof subject !== 'string') return refused('the token has no usable subject');
  const problem = problemOfPrincipalName(subject);
  if (problem !== undefined) return refused(`the subject of the token ${problem}`);
  if (exp === undefined) return refused('the claim exp of the token is missing');
  if (iat !== undefined && iat > nowMs / 1000 + skewSeconds) {
    return refused('the claim iat of the token is in the future', subject);
  }
  return { subject, expiresMs: exp * 1000, claims };
}

function refused(problem: string, subject?: string): RefusedToken {
  return { problem, subject, isIssuerAway: false };
}

/** The problem, without anything from the token. */
function problemOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `the claim ${error.claim} of the token is wrong`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'the token is signed in a way that the issuer does not sign, or that cannot be trusted';
  }
  return 'the token cannot be read';
}
