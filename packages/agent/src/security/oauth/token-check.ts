import { type Clock, caps } from '@weir/core';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { CheckedToken } from '../sasl/oauth-bearer.ts';
import type { IssuerKeys } from './issuer.ts';

/** Where keys come from. */
export interface KeySource {
  keys(): Promise<IssuerKeys>;
  keysAfter(keys: IssuerKeys): Promise<IssuerKeys | undefined>;
}

export interface TokenCheckOptions {
  readonly issuer: KeySource;
  readonly audience: string;
  readonly clock: Clock;
}

/** The clocks of issuer and agent may be apart by this much. */
const skewSeconds = 30;

/**
 * Whether a token is good: signed by the issuer in a way that it may sign, made out by it to our audience, for now, and about somebody.
 */
export class TokenCheck {
  readonly #options: TokenCheckOptions;

  constructor(options: TokenCheckOptions) {
    this.#options = options;
  }

  async check(token: string): Promise<CheckedToken> {
    const { issuer } = this.#options;
    let keys: IssuerKeys;
    try {
      keys = await issuer.keys();
    } catch (error) {
      return failed((error as Error).message);
    }
    try {
      return this.#judge(await this.#verify(token, keys));
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) return failed(problemOf(error));
    }
    // The issuer may have got a new key since.
    const newer = await issuer.keysAfter(keys);
    if (newer === undefined) return failed('no key of the issuer is the one that the token names');
    try {
      return this.#judge(await this.#verify(token, newer));
    } catch (error) {
      return failed(problemOf(error));
    }
  }

  async #verify(token: string, keys: IssuerKeys): Promise<JWTPayload> {
    const { audience, clock } = this.#options;
    const options = {
      issuer: keys.issuer,
      audience,
      algorithms: [...keys.algorithms],
      clockTolerance: skewSeconds,
      currentDate: new Date(clock.nowMs()),
      requiredClaims: ['exp', 'sub'],
    };
    try {
      return (await jwtVerify(token, keys.find, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await this.#verifyWithAny(token, error, options);
    }
  }

  /** A token that names no key is tried with each that could be it. */
  async #verifyWithAny(
    token: string,
    candidates: errors.JWKSMultipleMatchingKeys,
    options: Parameters<typeof jwtVerify>[2],
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

  #judge({ sub: subject, exp, iat }: JWTPayload): CheckedToken {
    if (typeof subject !== 'string' || subject === '' || subject.length > caps.principalNameCharsMax) {
      return failed('the token is about nobody');
    }
    if (exp === undefined) return failed('the token has no end');
    if (iat !== undefined && iat > this.#options.clock.nowMs() / 1000 + skewSeconds) {
      return failed('the token was made in the future', subject);
    }
    return { subject, expiresMs: exp * 1000 };
  }
}

function failed(problem: string, subject?: string): CheckedToken {
  return { problem, subject };
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
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'no key of the issuer is the one that the token names';
  }
  return 'the token cannot be read';
}
