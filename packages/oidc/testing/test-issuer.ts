import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { patientHttpServer } from '@weir/core/testing';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { FetchJson } from '../src/fetch-json.ts';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
type Claims = Readonly<Record<string, unknown>>;

export const testAudience = 'weir';

/** What signs a token instead of the first key. */
export interface Signing {
  readonly kid?: string;
  readonly alg?: string;
  readonly key?: PrivateKey | Uint8Array;
}

/**
 * An OpenID Connect issuer with real keys and tokens. Its documents are in a map that a test may change; they are read
 * by `fetchJson`, or over HTTP from `startTestIssuer`.
 */
export class TestIssuer {
  readonly url: string;
  /** By path. Strings are returned as they are, anything else as JSON. */
  readonly documents = new Map<string, unknown>();
  /** The requested paths, in order. */
  readonly asked: string[] = [];
  readonly descriptionPath: string;
  readonly keysPath: string;
  readonly #nowMs: () => number;
  readonly #publicKeys: object[] = [];
  readonly #privateKeys = new Map<string, PrivateKey>();

  private constructor(url: string, nowMs: () => number) {
    const { pathname } = new URL(url);
    this.url = url;
    this.#nowMs = nowMs;
    this.descriptionPath = `${pathname}/.well-known/openid-configuration`;
    this.keysPath = `${pathname}/keys`;
    this.documents.set(this.descriptionPath, { issuer: url, jwks_uri: `${url}/keys` });
    this.documents.set(this.keysPath, { keys: this.#publicKeys });
  }

  /** Creates an issuer with one key, `first`. The address has a path, and no trailing slash. */
  static async create(url: string, nowMs: () => number): Promise<TestIssuer> {
    const issuer = new TestIssuer(url, nowMs);
    await issuer.addKey('first');
    return issuer;
  }

  /** Adds a key with this id, and returns the private key. */
  async addKey(kid: string, algorithm = 'ES256'): Promise<PrivateKey> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm);
    this.#publicKeys.push({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' });
    this.#privateKeys.set(kid, privateKey);
    return privateKey;
  }

  /** A token that is valid for an hour from now, except for what the test changes. */
  token(claims: Claims = {}, { kid = 'first', alg = 'ES256', key }: Signing = {}): Promise<string> {
    return new SignJWT(this.#claims(claims))
      .setProtectedHeader({ alg, kid })
      .sign(key ?? this.#privateKeys.get(kid)!);
  }

  /** Like `token`, but not signed. */
  unsignedToken(claims: Claims = {}): string {
    return new UnsecuredJWT(this.#claims(claims)).encode();
  }

  /** A token signed by a foreign key, with the id of the first key unless the test gives another. */
  async foreignToken(claims: Claims = {}, kid = 'first'): Promise<string> {
    return await this.token(claims, { kid, key: (await generateKeyPair('ES256')).privateKey });
  }

  /** The document at a path, as text. */
  answer(path: string): string | undefined {
    this.asked.push(path);
    const document = this.documents.get(path);
    return typeof document === 'string' ? document : JSON.stringify(document);
  }

  /** Answers without a network. */
  readonly fetchJson: FetchJson = async (url) => {
    const { origin, pathname } = new URL(url);
    const text = origin === new URL(this.url).origin ? this.answer(pathname) : undefined;
    if (text === undefined) throw new Error(`${url}: the answer has status 404`);
    return JSON.parse(text) as unknown;
  };

  #claims(claims: Claims): Claims {
    const iat = Math.floor(this.#nowMs() / 1000);
    return { iss: this.url, aud: testAudience, sub: 'alice', iat, exp: iat + 3600, ...claims };
  }
}

/** An issuer on this machine, at the path /realm. */
export async function startTestIssuer(t: TestContext, nowMs: () => number): Promise<TestIssuer> {
  const server = createServer(patientHttpServer, (request, response) => {
    const text = issuer.answer(request.url!);
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const issuer = await TestIssuer.create(`http://127.0.0.1:${port}/realm`, nowMs);
  return issuer;
}
