import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type FetchIssuer, IssuerUnavailable } from '../src/workload-identity/issuer-keys.ts';

export interface TokenWish {
  readonly claims?: JWTPayload;
  readonly audience?: string;
  readonly issuer?: string;
  readonly nowMs: number;
  readonly lifetimeSeconds?: number;
}

/** An issuer of OpenID Connect: real keys and tokens, and what it publishes behind a function instead of a server. */
export class FakeIssuer {
  readonly issuer: string;
  /** Addresses that were asked for. */
  readonly asked: string[] = [];
  /** Addresses that do not answer. */
  away: RegExp | undefined;
  /** What it says of itself. */
  description: Record<string, unknown>;
  #keys: { readonly kid: string; readonly pair: Awaited<ReturnType<typeof generateKeyPair>> }[] = [];

  constructor(issuer = 'https://issuer.test/one') {
    this.issuer = issuer;
    this.description = { issuer, jwks_uri: `${issuer}/keys` };
  }

  /** Begins to sign with a new key, and goes on to publish the others. */
  async turnKey(): Promise<this> {
    this.#keys.push({ kid: `key-${this.#keys.length + 1}`, pair: await generateKeyPair('ES256') });
    return this;
  }

  readonly fetch: FetchIssuer = async (url) => {
    this.asked.push(url);
    if (this.away?.test(url)) throw new IssuerUnavailable(`${url} is away`);
    if (url === `${this.issuer}/.well-known/openid-configuration`) return this.description;
    if (url !== `${this.issuer}/keys`) throw new Error(`${url}: the answer has status 404`);
    const keys = this.#keys.map(async ({ kid, pair }) => ({
      ...(await exportJWK(pair.publicKey)),
      kid,
      alg: 'ES256',
    }));
    return { keys: await Promise.all(keys) };
  };

  token({
    claims = {},
    audience = 'weir://vci_test',
    issuer,
    nowMs,
    lifetimeSeconds = 600,
  }: TokenWish): Promise<string> {
    const { kid, pair } = this.#keys.at(-1)!;
    const nowSeconds = Math.floor(nowMs / 1000);
    return new SignJWT({ sub: 'weir', ...claims })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(issuer ?? this.issuer)
      .setAudience(audience)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + lifetimeSeconds)
      .sign(pair.privateKey);
  }
}
