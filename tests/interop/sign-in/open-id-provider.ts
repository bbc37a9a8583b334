import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
// @ts-expect-error: the package has no types of its own, and its DefinitelyTyped package depends on two web frameworks.
import { Provider } from 'oidc-provider';

interface OpenIdProvider {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The user at the browser; if undefined, sign-in is refused. */
  person: Person | undefined;
  /** Paths of the requests received. */
  readonly requestedPaths: readonly string[];
}

interface Person {
  readonly id: string;
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly groups: readonly string[];
}

interface Grant {
  addOIDCScope(scope: string): void;
  save(): Promise<string>;
}

/** The parts of oidc-provider that are used here. */
interface ForeignProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  Grant: new (about: object) => Grant;
}

interface ForeignContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: ForeignProvider;
  };
}

const scopes = 'openid email profile groups';

/**
 * Starts a certified OpenID provider whose sign-in page asks nothing. It requires PKCE, and returns user claims only
 * from the userinfo endpoint.
 */
export async function startOpenIdProvider(
  t: TestContext,
  {
    redirectUrl,
    proof,
  }: { readonly redirectUrl: string; readonly proof: 'client_secret_basic' | 'client_secret_post' },
): Promise<OpenIdProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['weir console', 'secret: 100% & more'];
  const requestedPaths: string[] = [];
  const made: OpenIdProvider & { requestedPaths: string[] } = {
    url,
    clientId,
    clientSecret,
    person: undefined,
    requestedPaths,
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'signing' }] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUrl],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: proof,
      },
    ],
    clientAuthMethods: [proof],
    pkce: { required: () => true },
    cookies: { keys: ['of this test'] },
    scopes: scopes.split(' '),
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => {
        const { email, isEmailVerified, groups } = made.person!;
        return { sub, email, email_verified: isEmailVerified, name: `Name of ${sub}`, groups };
      },
    }),
    async loadExistingGrant({ oidc }: ForeignContext) {
      const about = { clientId: oidc.client.clientId, accountId: oidc.session.accountId };
      const grant = new oidc.provider.Grant(about);
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
  }) as ForeignProvider;
  const answer = provider.callback();
  server.on('request', (request, response) => {
    requestedPaths.push(request.url!.split('?', 1)[0]!);
    if (!request.url!.startsWith('/interaction/')) {
      answer(request, response);
      return;
    }
    const { person } = made;
    const result =
      person === undefined
        ? { error: 'access_denied', error_description: 'Nobody wants to sign in.' }
        : { login: { accountId: person.id } };
    void provider.interactionFinished(request, response, result);
  });
  return made;
}
