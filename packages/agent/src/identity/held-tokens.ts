import type { KeyPlace } from '@weir/rpc';

/** What the control plane gives in one exchange. */
export interface GivenTokens {
  /** The token of the region of the process that answered, or one for all regions. */
  readonly text: string;
  readonly lifetimeMs: number;
  /** From a process with a region: that region, and one token for each, which admits there only. */
  readonly byRegion?: { readonly own: string; readonly tokens: ReadonlyMap<string, string> } | undefined;
}

/** The tokens of one exchange, of which each connection gets that of its region. */
export class HeldTokens {
  readonly lifetimeMs: number;
  /** On the monotonic clock. */
  readonly endMs: number;
  readonly #given: GivenTokens;
  /** By address: the tokens that were refused where the region is not known. */
  readonly #refused = new Map<string, Set<string>>();

  constructor(given: GivenTokens, receivedMs: number) {
    this.#given = given;
    this.lifetimeMs = given.lifetimeMs;
    this.endMs = receivedMs + given.lifetimeMs;
  }

  /** The regions that have a token of their own; none if one serves in all. */
  get regions(): readonly string[] {
    return [...(this.#given.byRegion?.tokens.keys() ?? [])];
  }

  /**
   * The token for a control plane; `undefined` if there is none for its region. The region of an address that the
   * operator wrote may be unknown, and that of a load balancer may change: there the region that answered the exchange
   * is the first guess, and others follow as tokens are refused.
   */
  at(place?: KeyPlace): string | undefined {
    const { text, byRegion } = this.#given;
    if (byRegion === undefined || place === undefined) return text;
    if (place.region !== undefined) return byRegion.tokens.get(place.region);
    const refused = this.#refused.get(place.url);
    return [text, ...byRegion.tokens.values()].find((token) => refused?.has(token) !== true);
  }

  /** Notes a refusal. Returns whether it asks for a new exchange: no other token of this one can help there. */
  refuse(text: string, place: KeyPlace): boolean {
    if (this.at(place) !== text) return false;
    if (this.#given.byRegion === undefined || place.region !== undefined) return true;
    const refused = this.#refused.get(place.url) ?? new Set();
    this.#refused.set(place.url, refused.add(text));
    return this.at(place) === undefined;
  }

  /** Those regions that have no token. */
  missing(regions: readonly string[]): string[] {
    const { byRegion } = this.#given;
    return byRegion === undefined ? [] : regions.filter((region) => !byRegion.tokens.has(region));
  }
}
