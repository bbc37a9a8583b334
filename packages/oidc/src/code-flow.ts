import { createHash } from 'node:crypto';
import type { Clock } from '@weir/core';
import { RefusingAnswer } from './fetch-json.ts';
import { type Issuer, IssuerUnavailable } from './issuer.ts';
import { type Claims, checkToken } from './token-check.ts';

/** The OAuth client that is registered with an issuer. */
interface CodeClient {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the issuer redirects users to. */
  readonly redirectUrl: string;
}

/** The random values of one sign-in. Each is used once. */
export interface CodeAttempt {
  /** Returned in the redirect, and bound to the user's browser. */
  readonly state: string;
  /** Returned in the token. */
  readonly nonce: string;
  /** PKCE: proves that a code is redeemed by the process that requested it. */
  readonly codeVerifier: string;
}

interface CodeFlowOptions {
  readonly issuer: Pick<Issuer, 'keys' | 'keysAfter' | 'ask' | 'isSafe'>;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** A user whom the issuer has identified. */
export interface KnownPerson {
  /** The issuer's own identifier. */
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** All claims of the issuer about the user, including `claims`. Calls the userinfo endpoint if there is one. */
  allClaims(): Promise<Claims>;
}

/**
 * The issuer has not identified the user, or not for this client. The message is for operators and contains nothing
 * from a token.
 */
export class CodeRefused extends Error {
  override readonly name = 'CodeRefused';
}

const scopes = ['openid', 'email', 'profile'];

/** The URL where a browser signs in. `wantedClaim` is requested as a scope, if the issuer has one of that name. */
export async function authorizationUrl(
  { issuer }: Pick<CodeFlowOptions, 'issuer'>,
  { clientId, redirectUrl }: Omit<CodeClient, 'clientSecret'>,
  { state, nonce, codeVerifier }: CodeAttempt,
  wantedClaim?: string,
): Promise<string> {
  const { signIn } = await issuer.keys();
  const url = signIn.authorizationUrl;
  if (url === undefined || !issuer.isSafe(url))
    throw new IssuerUnavailable('the issuer of tokens has no authorization_endpoint that is plain https');
  const extra = wantedClaim !== undefined && signIn.scopes.includes(wantedClaim) ? [wantedClaim] : [];
  const target = new URL(url);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    scope: [...new Set([...scopes, ...extra])].join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  return target.href;
}

/**
 * Redeems a code for the identity of the user. `saidIssuer` is the `iss` parameter of the redirect, for clients of
 * several issuers: RFC 9207. Throws `CodeRefused`, or `IssuerUnavailable` when the issuer does not answer.
 */
export async function redeemCode(
  options: CodeFlowOptions,
  client: CodeClient,
  attempt: Pick<CodeAttempt, 'nonce' | 'codeVerifier'>,
  { code, saidIssuer }: { readonly code: string; readonly saidIssuer: string | undefined },
): Promise<KnownPerson> {
  const { issuer, clock } = options;
  const { issuer: name, signIn } = await issuer.keys();
  if (saidIssuer === undefined ? signIn.sendsIssuer : saidIssuer !== name)
    throw new CodeRefused('the answer is of another issuer');
  if (signIn.tokenUrl === undefined)
    throw new IssuerUnavailable('the issuer of tokens has no token_endpoint');
  const { form, headers } = proofOf(client, signIn.clientProofs);
  form.set('grant_type', 'authorization_code');
  form.set('code', code);
  form.set('redirect_uri', client.redirectUrl);
  form.set('code_verifier', attempt.codeVerifier);
  const answer = await fetchClaims(options, signIn.tokenUrl, { form, headers });
  if (typeof answer.id_token !== 'string')
    throw new CodeRefused('the token endpoint of the issuer returned no id_token');
  const checked = await checkToken(answer.id_token, { issuer, audience: client.clientId, clock });
  if ('problem' in checked) {
    if (checked.isIssuerAway) throw new IssuerUnavailable(checked.problem);
    throw new CodeRefused(checked.problem);
  }
  const { subject, claims } = checked;
  refuseForeign(claims, client.clientId, attempt.nonce);
  return {
    issuer: name,
    subject,
    claims,
    async allClaims() {
      const accessToken = answer.access_token;
      if (signIn.userinfoUrl === undefined || typeof accessToken !== 'string') return claims;
      const found = await fetchClaims(options, signIn.userinfoUrl, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      if (found.sub !== subject)
        throw new CodeRefused('the user info of the issuer is about another subject');
      return { ...found, ...claims };
    },
  };
}

/** Checks the claims that a user's token needs in addition to those of any token. */
function refuseForeign(claims: Claims, clientId: string, nonce: string): void {
  const { aud, azp, iat } = claims;
  if (claims.nonce !== nonce) throw new CodeRefused('the claim nonce of the token is wrong');
  const isForSeveral = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? isForSeveral : azp !== clientId)
    throw new CodeRefused('the claim azp of the token is wrong');
  if (iat === undefined) throw new CodeRefused('the claim iat of the token is missing');
}

/** The client's authentication: in a header, or in the form if the issuer requires that. */
function proofOf({ clientId, clientSecret }: CodeClient, proofs: readonly string[]) {
  const form = new URLSearchParams();
  if (!proofs.includes('client_secret_basic') && proofs.includes('client_secret_post')) {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
    return { form, headers: {} };
  }
  const pair = `${formText(clientId)}:${formText(clientSecret)}`;
  return { form, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

/** Form-encodes a text, as RFC 6749 requires before base64. */
function formText(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

async function fetchClaims(
  { issuer, stop }: CodeFlowOptions,
  url: string,
  request: Parameters<Issuer['ask']>[2],
): Promise<Claims> {
  try {
    const answer = await issuer.ask(url, stop, request);
    return typeof answer === 'object' && answer !== null ? (answer as Claims) : {};
  } catch (error) {
    const { cause, message } = error as Error;
    const isOurs = cause instanceof RefusingAnswer && cause.status >= 400 && cause.status < 500;
    throw isOurs ? new CodeRefused(message) : new IssuerUnavailable(message);
  }
}
