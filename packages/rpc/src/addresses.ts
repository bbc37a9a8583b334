import type { Clock } from '@weir/core';

/** An address where nobody answered counts as unreachable for so long: longer than it takes to replace a leader. */
const unreachableMs = 10_000;

/**
 * The addresses of the control plane that a client knows: those it was given, and those that the processes tell. Tried in
 * turn, so that the death of one process is survived.
 */
export class Addresses {
  readonly #clock: Clock;
  readonly #given: readonly string[];
  readonly #mustBeSecure: boolean;
  #told: readonly string[] = [];
  #current: string;
  /** How many were tried in vain since the last that worked. */
  #failures = 0;

  /** When an address was tried in vain, until it is reached. */
  readonly #notReachedMs = new Map<string, number>();

  constructor(given: readonly string[], clock: Clock) {
    this.#clock = clock;
    this.#given = [...new Set(given.map(normalAddress))];
    const first = this.#given[0];
    if (first === undefined) throw new TypeError('the control plane needs at least one address');
    this.#current = first;
    this.#mustBeSecure = this.#given.every((address) => address.startsWith('https:'));
  }

  get current(): string {
    return this.#current;
  }

  /** All that are known, the given ones first. */
  get all(): readonly string[] {
    return [...new Set([...this.#given, ...this.#told])];
  }

  /** Remembers what a process said of itself and the others. */
  learn(members: readonly string[]): void {
    this.#told = members.flatMap((member) => this.#usable(member) ?? []);
  }

  /** Goes to the address of the leader. Says whether that is a place to go to. */
  follow(leader: string | undefined): boolean {
    const address = leader === undefined ? undefined : this.#usable(leader);
    if (address === undefined || address === this.#current) return false;
    this.#current = address;
    return true;
  }

  /** Nobody answered at the present address. */
  notReached(): void {
    this.#notReachedMs.set(this.#current, this.#clock.monotonicMs());
  }

  reached(): void {
    this.#notReachedMs.delete(this.#current);
  }

  isUnreachable(address: string): boolean {
    const atMs = this.#notReachedMs.get(address);
    return atMs !== undefined && this.#clock.monotonicMs() - atMs < unreachableMs;
  }

  /** Where nobody answered a moment ago. */
  unreachable(): string[] {
    for (const address of this.#notReachedMs.keys()) {
      if (!this.isUnreachable(address)) this.#notReachedMs.delete(address);
    }
    return [...this.#notReachedMs.keys()];
  }

  worked(): void {
    this.#failures = 0;
  }

  /** Goes on to the next one. Returns how many times all of them were tried in vain. */
  failed(): number {
    const all = this.all;
    this.#failures++;
    this.#current = all[(all.indexOf(this.#current) + 1) % all.length]!;
    return Math.floor(this.#failures / all.length);
  }

  /** The agent key goes where a process points, so that it must not point from a secure place to an open one. */
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

/** `http:` or `https:`, and a path that ends with a slash. */
export function normalAddress(address: string): string {
  const url = new URL(address);
  const scheme = { 'http:': 'http:', 'https:': 'https:', 'ws:': 'http:', 'wss:': 'https:' }[url.protocol];
  if (scheme === undefined) {
    throw new TypeError(`${address}: the address of the control plane begins with http:// or https://`);
  }
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return `${scheme}//${url.host}${path}`;
}
