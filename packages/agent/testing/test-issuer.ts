import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** Documents by their paths, as an issuer of tokens gives them out on this machine; a test may change them. */
export interface TestIssuer {
  readonly url: string;
  readonly documents: Map<string, unknown>;
  /** The paths that were asked for, in order. */
  readonly asked: string[];
  /** Adds a key under this id, and gives what signs with it. */
  addKey(kid: string, algorithm?: string): Promise<PrivateKey>;
  /** A token that is good for an hour from `nowMs`, but for what the test says. */
  token(
    claims?: Readonly<Record<string, unknown>>,
    header?: { kid?: string; alg?: string; key?: PrivateKey },
  ): Promise<string>;
}

export const testAudience = 'weir';

export async function startTestIssuer(t: TestContext, nowMs: () => number): Promise<TestIssuer> {
  const documents = new Map<string, unknown>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const document = documents.get(request.url!);
    response.statusCode = document === undefined ? 404 : 200;
    response.end(typeof document === 'string' ? document : JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  const keys: object[] = [];
  const privateKeys = new Map<string, PrivateKey>();
  documents.set('/realm/.well-known/openid-configuration', { issuer: url, jwks_uri: `${url}/keys` });
  documents.set('/realm/keys', { keys });
  const issuer: TestIssuer = {
    url,
    documents,
    asked,
    async addKey(kid, algorithm = 'ES256') {
      const { publicKey, privateKey } = await generateKeyPair(algorithm);
      keys.push({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' });
      privateKeys.set(kid, privateKey);
      return privateKey;
    },
    token(claims = {}, { kid = 'first', alg = 'ES256', key = privateKeys.get(kid) } = {}) {
      const iat = Math.floor(nowMs() / 1000);
      const standard = { iss: url, aud: testAudience, sub: 'alice', iat, exp: iat + 3600 };
      return new SignJWT({ ...standard, ...claims }).setProtectedHeader({ alg, kid }).sign(key!);
    },
  };
  await issuer.addKey('first');
  return issuer;
}
