import { Issuer, type IssuerOptions } from './issuer.ts';

/**
 * Several issuers, each with the keys that it has given out. Which of them are believed is for the caller to say: whoever takes an
 * address out of a token lets anybody make this process call it.
 */
export class Issuers {
  readonly #options: Omit<IssuerOptions, 'url'>;
  readonly #byUrl = new Map<string, Issuer>();

  constructor(options: Omit<IssuerOptions, 'url'>) {
    this.#options = options;
  }

  /** The issuer of this address, which is not asked for anything yet. */
  of(url: string): Issuer {
    const known = this.#byUrl.get(url);
    if (known !== undefined) return known;
    const issuer = new Issuer({ ...this.#options, url });
    this.#byUrl.set(url, issuer);
    return issuer;
  }

  /** Forgets issuers that nobody names any more, and their keys. */
  keepOnly(urls: ReadonlySet<string>): void {
    for (const [url, issuer] of this.#byUrl) {
      if (urls.has(url)) continue;
      issuer.close();
      this.#byUrl.delete(url);
    }
  }

  close(): void {
    this.keepOnly(new Set());
  }
}
