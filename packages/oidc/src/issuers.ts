import { Issuer, type IssuerOptions } from './issuer.ts';
import { oidcLimits } from './limits.ts';

/**
 * Several issuers, each with its keys. The caller decides which of them are trusted: code that takes an address from a
 * token lets any client make this process call it.
 */
export class Issuers {
  readonly #options: Omit<IssuerOptions, 'url'>;
  /** Least recently used first. */
  readonly #byUrl = new Map<string, Issuer>();

  constructor(options: Omit<IssuerOptions, 'url'>) {
    this.#options = options;
  }

  /** Returns the issuer of this address. Does not call it yet. */
  of(url: string): Issuer {
    const issuer = this.#byUrl.get(url) ?? new Issuer({ ...this.#options, url });
    this.#byUrl.delete(url);
    this.#byUrl.set(url, issuer);
    if (this.#byUrl.size > oidcLimits.rememberedIssuersMax) this.#forget(...firstOf(this.#byUrl));
    return issuer;
  }

  /** Removes issuers that are no longer named, and their keys. */
  keepOnly(urls: ReadonlySet<string>): void {
    for (const [url, issuer] of this.#byUrl) {
      if (!urls.has(url)) this.#forget(url, issuer);
    }
  }

  close(): void {
    this.keepOnly(new Set());
  }

  #forget(url: string, issuer: Issuer): void {
    issuer.close();
    this.#byUrl.delete(url);
  }
}

function firstOf<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value] {
  const [first] = map;
  return first!;
}
