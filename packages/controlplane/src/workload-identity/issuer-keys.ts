import { get } from 'node:https';
import { type Clock, caps } from '@weir/core';
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';

/** An issuer did not answer, which says nothing of the token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Gives the JSON behind an address of an issuer, or fails with `IssuerUnavailable`. */
export type FetchIssuer = (url: string) => Promise<unknown>;

const answerMsMax = 10_000;
/** An issuer moves its keys to another address hardly ever. */
const discoveryMsMax = 3_600_000;

/** The keys of issuers, found as OpenID Connect Discovery says. Only issuers that a binding names may be asked for. */
export class IssuerKeys {
  readonly #fetch: FetchIssuer;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly keys: Promise<JWTVerifyGetKey>; readonly sinceMs: number }>();

  constructor(fetch: FetchIssuer, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** What finds the key of a token. Keys are kept, and looked for again when a token names one that is not known. */
  of(issuer: string): Promise<JWTVerifyGetKey> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(issuer);
    if (known !== undefined && nowMs - known.sinceMs < discoveryMsMax) return known.keys;
    const keys = this.#discover(issuer);
    this.#known.set(issuer, { keys, sinceMs: nowMs });
    // What failed is not remembered.
    keys.catch(() => {
      if (this.#known.get(issuer)?.keys === keys) this.#known.delete(issuer);
    });
    return keys;
  }

  /** Forgets issuers that no binding names any more. */
  keepOnly(issuers: ReadonlySet<string>): void {
    for (const issuer of this.#known.keys()) if (!issuers.has(issuer)) this.#known.delete(issuer);
  }

  async #discover(issuer: string): Promise<JWTVerifyGetKey> {
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const { issuer: said, jwks_uri: keysUri } = ((await this.#fetch(address)) ?? {}) as Record<
      string,
      unknown
    >;
    if (said !== issuer) throw new Error(`${address} speaks of another issuer`);
    if (typeof keysUri !== 'string' || URL.parse(keysUri)?.protocol !== 'https:') {
      throw new Error(`${address} names no https:// address of keys`);
    }
    return createRemoteJWKSet(new URL(keysUri), {
      [customFetch]: async (url: string) => Response.json(await this.#fetch(url)),
    });
  }
}

/** Asks over HTTPS, for a bounded time and a bounded answer, and follows nobody elsewhere. */
export function httpsFetchIssuer(clock: Clock): FetchIssuer {
  return (url) =>
    new Promise((resolve, reject) => {
      const late = new AbortController();
      const cancel = clock.after(answerMsMax, () => late.abort());
      const fail = (problem: string) => {
        cancel();
        reject(new IssuerUnavailable(`${url}: ${problem}`));
      };
      const request = get(url, {
        agent: false,
        signal: late.signal,
        headers: { accept: 'application/json' },
      });
      request.on('error', (error) =>
        fail(late.signal.aborted ? `no answer within ${answerMsMax} ms` : error.message),
      );
      request.on('response', async (response) => {
        try {
          if (response.statusCode !== 200) throw new Error(`the answer has status ${response.statusCode}`);
          const chunks: Buffer[] = [];
          let bytes = 0;
          for await (const chunk of response as AsyncIterable<Buffer>) {
            bytes += chunk.length;
            if (bytes > caps.issuerAnswerBytesMax) throw new Error('the answer is too long');
            chunks.push(chunk);
          }
          const found: unknown = JSON.parse(Buffer.concat(chunks).toString());
          cancel();
          resolve(found);
        } catch (error) {
          request.destroy();
          fail((error as Error).message);
        }
      });
    });
}
