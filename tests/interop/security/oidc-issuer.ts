import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
// @ts-expect-error: the package has no types of its own, and its DefinitelyTyped package depends on two web frameworks.
import { Provider } from 'oidc-provider';
import type { Lifetime } from '../brokers/weir-process.ts';

/** An OpenID provider that issues access tokens to applications. */
interface OidcIssuer {
  readonly url: string;
  readonly tokenEndpoint: string;
  readonly audience: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Requests a token for one of the audiences. */
  token(options?: { readonly audience?: string }): Promise<string>;
}

const audience = 'weir-interop';
/** An audience whose tokens are valid, but not for this cluster. */
export const foreignAudience = 'somebody-else';

export async function startOidcIssuer(lifetime: Lifetime): Promise<OidcIssuer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['robot', 'the secret of the robot'];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'signing' }] },
    ttl: { ClientCredentials: 600 },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `urn:${audience}`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: 'kafka',
          audience: resource.slice('urn:'.length),
          accessTokenTTL: 600,
          accessTokenFormat: 'jwt' as const,
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
    },
  });
  server.on('request', (provider as { callback(): RequestListener }).callback());
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const tokenEndpoint = `${url}/token`;
  return {
    url,
    tokenEndpoint,
    audience,
    clientId,
    clientSecret,
    async token({ audience: wanted = audience } = {}) {
      const basic = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
      const response = await fetch(tokenEndpoint, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          resource: `urn:${wanted}`,
          scope: 'kafka',
        }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`the issuer gave no token: ${response.status}`);
      return token;
    },
  };
}
