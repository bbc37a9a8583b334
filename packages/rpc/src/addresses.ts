import type { Clock } from '@weir/core';

/** How long an address without an answer counts as unreachable or silent: longer than it takes to replace a leader. */
const doubtMs = 10_000;

/**
 * The known addresses of the control plane: the configured ones, and those that processes report. They are tried in
 * turn, so that the client survives the death of a process.
 *
 * With `areOrdered` the reported ones are in the order of preference, and go before the configured ones: the first one
 * that has not failed since the last success is next, and not the one behind the last.
 */
export class Addresses {
  readonly #clock: Clock;
  readonly #given: readonly string[];
  readonly #mustBeSecure: boolean;
  readonly #areOrdered: boolean;
  #announced: readonly string[] = [];
  /** The regions of reported addresses. */
  #regions: ReadonlyMap<string, string> = new Map();
  #current: string;
  /** The number of failed attempts since the last success. */
  #failures = 0;

  /** The addresses that failed since the last success, or since all had failed. */
  readonly #tried = new Set<string>();

  /** When an address failed, or its process went silent, until it is reached. */
  readonly #notReachedMs = new Map<string, number>();
  readonly #silentMs = new Map<string, number>();

  constructor(given: readonly string[], clock: Clock, { areOrdered = false } = {}) {
    this.#clock = clock;
    this.#areOrdered = areOrdered;
    this.#given = [...new Set(given.map(normalAddress))];
    const first = this.#given[0];
    if (first === undefined) throw new TypeError('at least one control plane address is required');
    this.#current = first;
    this.#mustBeSecure = this.#given.every((address) => address.startsWith('https:'));
  }

  get current(): string {
    return this.#current;
  }

  /** All known addresses: the configured ones first, or in the order of preference. */
  get all(): readonly string[] {
    const [first, then] = this.#areOrdered ? [this.#announced, this.#given] : [this.#given, this.#announced];
    return [...new Set([...first, ...then])];
  }

  /** Stores the addresses that a process reports, and their regions: one for each, or none that it could report. */
  learn(members: readonly string[], regions?: readonly string[]): void {
    const usable = members.map((member) => this.#usable(member));
    this.#announced = usable.filter((address) => address !== undefined);
    // An earlier release reports no regions, which makes those that are known no worse.
    if (regions?.length !== members.length) return;
    const found = usable.map((address, index): [string | undefined, string] => [address, regions[index]!]);
    this.#regions = new Map(
      found.filter((entry): entry is [string, string] => entry[0] !== undefined && entry[1] !== ''),
    );
  }

  /** The region of an address, if a process reported it. */
  regionOf(address: string): string | undefined {
    return this.#regions.get(address);
  }

  /** The regions that have addresses. */
  get regions(): readonly string[] {
    return [...new Set(this.#regions.values())];
  }

  /** Switches to the address of the leader. Returns false if it is unusable or the present one. */
  follow(leader: string | undefined): boolean {
    const address = leader === undefined ? undefined : this.#usable(leader);
    if (address === undefined || address === this.#current) return false;
    this.#current = address;
    return true;
  }

  /** Notes that the present address did not answer. */
  notReached(): void {
    this.#notReachedMs.set(this.#current, this.#clock.monotonicMs());
  }

  /**
   * Notes that the process at the present address stopped answering. Returns whether there is another address;
   * otherwise nothing is gained by leaving it.
   */
  leaveSilent(): boolean {
    if (this.all.length === 1) return false;
    this.#silentMs.set(this.#current, this.#clock.monotonicMs());
    return true;
  }

  reached(): void {
    this.#notReachedMs.delete(this.#current);
    this.#silentMs.delete(this.#current);
  }

  /** Whether the address failed recently, or its process went silent. */
  isDoubtful(address: string): boolean {
    return this.unreachable().includes(address) || this.silent().includes(address);
  }

  /** The addresses that failed recently. */
  unreachable(): string[] {
    return this.#recent(this.#notReachedMs);
  }

  /** The addresses whose processes recently went silent over an open connection. */
  silent(): string[] {
    return this.#recent(this.#silentMs);
  }

  #recent(addresses: Map<string, number>): string[] {
    const nowMs = this.#clock.monotonicMs();
    for (const [address, atMs] of addresses) if (nowMs - atMs >= doubtMs) addresses.delete(address);
    return [...addresses.keys()];
  }

  worked(): void {
    this.#tried.clear();
    this.#failures = 0;
  }

  /**
   * Switches to the next address, and passes over those that failed recently if there is another one. Returns how many
   * times all of them have failed.
   */
  failed(): number {
    const all = this.all;
    this.#failures++;
    const others = this.#areOrdered ? this.#untriedFirst(all) : this.#fromCurrent(all);
    this.#current = others.find((address) => !this.isDoubtful(address)) ?? others[0] ?? this.#current;
    return Math.floor(this.#failures / all.length);
  }

  #fromCurrent(all: readonly string[]): string[] {
    const at = all.indexOf(this.#current) + 1;
    return [...all.slice(at), ...all.slice(0, Math.max(0, at - 1))];
  }

  #untriedFirst(all: readonly string[]): string[] {
    this.#tried.add(this.#current);
    const others = all.filter((address) => address !== this.#current);
    const untried = others.filter((address) => !this.#tried.has(address));
    if (untried.length > 0) return [...untried, ...others.filter((address) => this.#tried.has(address))];
    this.#tried.clear();
    this.#tried.add(this.#current);
    return others;
  }

  /** The agent key is sent to reported addresses, so they must not lead from TLS to plain text. */
  #usable(address: string): string | undefined {
    let normal: string;
    try {
      normal = normalAddress(address);
    } catch {
      return undefined;
    }
    return this.#mustBeSecure && !normal.startsWith('https:') ? undefined : normal;
  }
}

/** Normalises to `http:` or `https:`, and a path that ends with a slash. */
export function normalAddress(address: string): string {
  const url = new URL(address);
  const scheme = { 'http:': 'http:', 'https:': 'https:', 'ws:': 'http:', 'wss:': 'https:' }[url.protocol];
  if (scheme === undefined) {
    throw new TypeError(`${address}: control plane address must start with http:// or https://`);
  }
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${scheme}//${url.host}${path}`;
}
