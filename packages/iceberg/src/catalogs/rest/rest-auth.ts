/** How requests to a catalog server are authenticated. */
import { hash } from 'node:crypto';
import { type Clock, Failure } from '@weir/core';
import { type Credentials, signRequest } from '@weir/storage';
import { CatalogDenied } from '../../table-errors.ts';
import { type OutgoingRequest, type ServerAnswer, urlBelow } from '../server-request.ts';

export type RestAuth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly token: string }
  /** OAuth 2, client credentials. */
  | {
      readonly type: 'oauth2';
      readonly clientId: string;
      readonly clientSecret: string;
      /** By default `v1/oauth/tokens` of the catalog. */
      readonly tokenUrl?: string | undefined;
      readonly scope?: string | undefined;
    }
  /** AWS Signature Version 4. */
  | {
      readonly type: 'sigv4';
      readonly region: string;
      readonly service: 'glue' | 's3tables' | 'execute-api';
      readonly credentials: () => Promise<Credentials>;
    };

type SendRequest = (request: OutgoingRequest) => Promise<ServerAnswer>;

/** Adds what authenticates a request. */
export interface Authenticator {
  headers(request: OutgoingRequest): Promise<Record<string, string>>;
  /** The server refused it. Returns whether another attempt may succeed. */
  refused(): boolean;
}

interface AuthDeps {
  readonly clock: Clock;
  readonly send: SendRequest;
  readonly uri: URL;
}

export function authenticator(auth: RestAuth, deps: AuthDeps): Authenticator {
  switch (auth.type) {
    case 'none':
      return { headers: async () => ({}), refused: () => false };
    case 'bearer':
      return { headers: async () => ({ authorization: `Bearer ${auth.token}` }), refused: () => false };
    case 'oauth2':
      return new ClientCredentials(auth, deps);
    case 'sigv4':
      return {
        headers: async ({ method, url, headers, body }) =>
          signRequest(
            {
              method,
              path: escapedTwice(url.pathname),
              query: sortedQuery(url),
              headers: { host: url.host, ...headers },
            },
            {
              credentials: await auth.credentials(),
              service: auth.service,
              region: auth.region,
              nowMs: deps.clock.nowMs(),
              payloadHash: hash('sha256', body ?? ''),
            },
          ),
        refused: () => false,
      };
  }
}

/** Services other than S3 sign the path with every segment escaped once more. */
function escapedTwice(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function sortedQuery(url: URL): string {
  const escaped = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join('&');
}

/** Tokens are renewed so long before their end. */
const earlyMs = 30_000;

class ClientCredentials implements Authenticator {
  readonly #auth: Extract<RestAuth, { type: 'oauth2' }>;
  readonly #deps: AuthDeps;
  #known: { readonly token: string; readonly endMs: number } | undefined;
  /** A request that others wait for too. */
  #coming: Promise<string> | undefined;

  constructor(auth: Extract<RestAuth, { type: 'oauth2' }>, deps: AuthDeps) {
    this.#auth = auth;
    this.#deps = deps;
  }

  async headers(): Promise<Record<string, string>> {
    const isFresh = this.#known !== undefined && this.#known.endMs > this.#deps.clock.nowMs();
    if (isFresh) return { authorization: `Bearer ${this.#known!.token}` };
    this.#coming ??= this.#fetch().finally(() => {
      this.#coming = undefined;
    });
    return { authorization: `Bearer ${await this.#coming}` };
  }

  refused(): boolean {
    const hadToken = this.#known !== undefined;
    this.#known = undefined;
    return hadToken;
  }

  async #fetch(): Promise<string> {
    const { clientId, clientSecret, tokenUrl, scope = 'catalog' } = this.#auth;
    const url =
      tokenUrl === undefined ? urlBelow(this.#deps.uri, ['v1', 'oauth', 'tokens']) : new URL(tokenUrl);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const { status, text } = await this.#deps.send({ method: 'POST', url, headers, body: form.toString() });
    if (status !== 200) {
      const problem = `${url.origin}: the token server answered with status ${status}; check client id and secret`;
      // RFC 6749 lets servers answer a client that they do not know with 400 too.
      throw status >= 400 && status < 404 ? new CatalogDenied(problem) : new Failure(problem);
    }
    const { token, seconds } = tokenIn(text, url);
    this.#known = { token, endMs: this.#deps.clock.nowMs() + seconds * 1000 - earlyMs };
    return token;
  }
}

function tokenIn(text: string, url: URL): { readonly token: string; readonly seconds: number } {
  let answer: { access_token?: unknown; expires_in?: unknown };
  try {
    answer = Object(JSON.parse(text));
  } catch {
    answer = {};
  }
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== 'string' || token === '')
    throw new Failure(`${url.origin}: the token server answered without a token`);
  // Without a time it is renewed when the catalog refuses it.
  return { token, seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 365 * 86_400 };
}
