/**
 * Token issuers, and the validation of their tokens. An `Issuer` is one that an operator has named; `checkToken` gets
 * its keys and validates a token with them. What a valid token permits is up to the caller.
 */
export { isSafeAddress } from './address.ts';
export {
  authorizationUrl,
  type CodeAttempt,
  CodeRefused,
  type KnownPerson,
  redeemCode,
} from './code-flow.ts';
export { Issuer, type IssuerOptions, IssuerUnavailable } from './issuer.ts';
export { Issuers } from './issuers.ts';
export { type CheckedToken, type Claims, checkToken, issuerNamedIn } from './token-check.ts';
