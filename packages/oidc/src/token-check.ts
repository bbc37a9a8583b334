import { type Clock, coreLimits } from '@weir/core';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { type IssuerKeys, IssuerUnavailable } from './issuer.ts';

/** Where keys come from. */
interface KeySource {
  keys(): Promise<IssuerKeys>;
  keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined>;
}

interface TokenCheckOptions {
  /** Whose token it has to be. */
  readonly issuer: KeySource;
  /** Whom it has to be made out to. */
  readonly audience: string;
  readonly clock: Clock;
}

export type Claims = Readonly<Record<string, unknown>>;

/** A token that is signed by the issuer, made out by it to our audience, for now, and about a subject. */
interface GoodToken {
  readonly subject: string;
  readonly expiresMs: number;
  /** All that the issuer says, `sub` and `exp` among it. */
  readonly claims: Claims;
}

interface RefusedToken {
  /** For operators. Nothing that stands in the token is in it. */
  readonly problem: string;
  /** Whom it is about, if only its time is wrong. */
  readonly subject: string | undefined;
  /** Whether it could not be judged, because the keys of its issuer cannot be had. It may be good a little later. */
  readonly isIssuerAway: boolean;
}

export type CheckedToken = GoodToken | RefusedToken;

/** The clocks of issuers and ours may be apart by this much. */
const skewSeconds = 30;

/** Whether a token is good. It fails for no token, whatever is in it. */
export async function checkToken(token: string, options: TokenCheckOptions): Promise<CheckedToken> {
  const { issuer } = options;
  try {
    const keys = await issuer.keys();
    const checked = await checkWith(keys, token, options);
    if (checked !== 'no such key') return checked;
    // The issuer may have got a new key since.
    const newer = await issuer.keysAfter(keys);
    const checkedAgain = newer === undefined ? 'no such key' : await checkWith(newer, token, options);
    if (checkedAgain !== 'no such key') return checkedAgain;
    return refused('no key of the issuer is the one that the token names');
  } catch (error) {
    if (!(error instanceof IssuerUnavailable)) throw error;
    return { problem: error.message, subject: undefined, isIssuerAway: true };
  }
}

/** The issuer that a token claims, which any client can write: good for choosing among trusted issuers, and for nothing else. */
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
    return judge(await claimsOf(token, keys, options), nowMs);
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

/** A token that names no key is tried with each that could be it. */
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

function judge(claims: JWTPayload, nowMs: number): CheckedToken {
  const { sub: subject, exp, iat } = claims;
  if (typeof subject !== 'string' || subject === '' || subject.length > coreLimits.principalNameCharsMax) {
    return refused('the token is about nobody');
  }
  if (exp === undefined) return refused('the token has no end');
  if (iat !== undefined && iat > nowMs / 1000 + skewSeconds) {
    return refused('the token was made in the future', subject);
  }
  return { subject, expiresMs: exp * 1000, claims };
}

function refused(problem: string, subject?: string): RefusedToken {
  return { problem, subject, isIssuerAway: false };
}

/** What was wrong, without anything that stood in the token. */
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
