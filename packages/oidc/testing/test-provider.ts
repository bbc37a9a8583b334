import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { patientHttpServer } from '@weir/core/testing';
import { TestIssuer } from './test-issuer.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The behaviour of the provider; tests may change it. */
interface TestProviderBehaviour {
  /** The user in front of the browser. */
  subject: string;
  /** Claims of a token besides `sub`, or instead of its defaults. `undefined` removes a claim. */
  claims: Claims;
  /** Further claims about the user. */
  userinfo: Claims | undefined;
  /** The error in the redirect, instead of a code. */
  refusal: string | undefined;
  /** Creates the token, for tests of invalid ones. */
  idToken: ((claims: Claims) => Promise<string> | string) | undefined;
  /** The status of the token endpoint instead of a token. */
  tokenStatus: number | undefined;
  /** The issuer in the redirect, if any. */
  issuerParameter: string | undefined;
}

export interface TestProvider {
  readonly issuer: TestIssuer;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly behaviour: TestProviderBehaviour;
  /** Changes the provider's metadata. */
  describe(changes: Claims): void;
  /** The headers and forms that the token endpoint received, in order. */
  readonly redeemed: { readonly authorization: string | undefined; readonly form: URLSearchParams }[];
}

interface GivenCode {
  readonly challenge: string;
  readonly nonce: string;
  readonly redirectUrl: string;
}

/**
 * An OpenID provider on this machine where every user is signed in already. It follows the rules, except for those that
 * a test breaks.
 */
export async function startTestProvider(t: TestContext, nowMs: () => number): Promise<TestProvider> {
  const server = createServer(patientHttpServer, (request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  const issuer = await TestIssuer.create(url, nowMs);
  const [clientId, clientSecret] = ['weir console', 'secret: 100% & more'];
  const behaviour: TestProviderBehaviour = {
    subject: 'alice',
    claims: { email: 'alice@example.com', email_verified: true, name: 'Alice' },
    userinfo: undefined,
    refusal: undefined,
    idToken: undefined,
    tokenStatus: undefined,
    issuerParameter: undefined,
  };
  const codes = new Map<string, GivenCode>();
  const redeemed: { authorization: string | undefined; form: URLSearchParams }[] = [];
  const describe = (changes: Claims) =>
    issuer.documents.set(issuer.descriptionPath, {
      issuer: url,
      jwks_uri: `${url}/keys`,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      ...changes,
    });
  describe({});

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, url);
    if (pathname === '/realm/authorize') authorize(searchParams, response);
    else if (pathname === '/realm/token') await redeem(request, response);
    else if (pathname === '/realm/userinfo') sendUserinfo(request, response);
    else {
      const text = issuer.answer(pathname);
      response.writeHead(text === undefined ? 404 : 200).end(text);
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUrl = query.get('redirect_uri')!;
    const back = new URL(redirectUrl);
    back.searchParams.set('state', query.get('state')!);
    if (behaviour.issuerParameter !== undefined) back.searchParams.set('iss', behaviour.issuerParameter);
    if (behaviour.refusal === undefined) {
      const code = `code-${codes.size}`;
      codes.set(code, { challenge: query.get('code_challenge')!, nonce: query.get('nonce')!, redirectUrl });
      back.searchParams.set('code', code);
    } else back.searchParams.set('error', behaviour.refusal);
    response.writeHead(303, { location: back.href }).end();
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    redeemed.push({ authorization: request.headers.authorization, form });
    const code = codes.get(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    codes.delete(form.get('code') ?? '');
    if (behaviour.tokenStatus !== undefined) response.writeHead(behaviour.tokenStatus).end('{}');
    else if (!isOurClient(request.headers.authorization, form)) refuse(response, 401, 'invalid_client');
    else if (code?.challenge !== challenge || code.redirectUrl !== form.get('redirect_uri'))
      refuse(response, 400, 'invalid_grant');
    else {
      const claims = { aud: clientId, nonce: code.nonce, sub: behaviour.subject, ...behaviour.claims };
      const idToken = await (behaviour.idToken ?? ((payload) => issuer.token(payload)))(claims);
      response.end(JSON.stringify({ id_token: idToken, access_token: 'access', token_type: 'Bearer' }));
    }
  }

  function isOurClient(authorization: string | undefined, form: URLSearchParams): boolean {
    const pair = new URLSearchParams([[clientId, clientSecret]]).toString().replace('=', ':');
    if (authorization !== undefined) return authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
    return form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
  }

  function refuse(response: ServerResponse, status: number, error: string): void {
    response.writeHead(status).end(JSON.stringify({ error, error_description: 'something with a secret' }));
  }

  function sendUserinfo(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.authorization !== 'Bearer access') refuse(response, 401, 'invalid_token');
    else response.end(JSON.stringify({ sub: behaviour.subject, ...behaviour.userinfo }));
  }

  return { issuer, url, clientId, clientSecret, behaviour, describe, redeemed };
}
