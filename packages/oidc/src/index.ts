/**
 * Issuers of tokens, and whether a token is one of theirs. An `Issuer` is whom an operator has named; `checkToken` asks it for its keys
 * and judges a token by them. What the token is good for is the caller's business.
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
export { isPublicAddress } from './public-address.ts';
export { type CheckedToken, type Claims, checkToken, issuerNamedIn } from './token-check.ts';
