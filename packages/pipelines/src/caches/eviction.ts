/**
 * Which entry of a full cache goes. It knows keys only, in maps that remember the order in which keys were put there;
 * `evict` is called for the key of an entry that has to go.
 */
export interface Eviction {
  /** An entry was read. */
  used(key: string): void;
  /** An entry was set, or changed. */
  set(key: string): void;
  removed(key: string): void;
  /** The key that would go next. */
  oldest(): string | undefined;
}

type Evict = (key: string) => void;

function oldestOf(keys: ReadonlySet<string>): string | undefined {
  for (const key of keys) return key;
  return undefined;
}

/** Puts a key at the end of an order. */
function renew(keys: Set<string>, key: string): void {
  keys.delete(key);
  keys.add(key);
}

/** The entry goes that was not used for longest. */
export class LeastRecentlyUsed implements Eviction {
  readonly #capacity: number;
  readonly #evict: Evict;
  readonly #keys = new Set<string>();

  constructor(capacity: number, evict: Evict) {
    this.#capacity = capacity;
    this.#evict = evict;
  }

  used(key: string): void {
    renew(this.#keys, key);
  }

  set(key: string): void {
    renew(this.#keys, key);
    if (this.#keys.size > this.#capacity) this.#evict(this.oldest()!);
  }

  removed(key: string): void {
    this.#keys.delete(key);
  }

  oldest(): string | undefined {
    return oldestOf(this.#keys);
  }
}

/**
 * 2Q: entries that were used once are apart from those that were used again, so that many new ones do not push those
 * out. Keys that went are remembered for a while; one that comes back then is taken for one that is used again.
 */
export class TwoQueues implements Eviction {
  readonly #capacity: number;
  readonly #recentMax: number;
  readonly #ghostsMax: number;
  readonly #evict: Evict;
  readonly #recent = new Set<string>();
  readonly #frequent = new Set<string>();
  readonly #ghosts = new Set<string>();

  constructor(capacity: number, ratios: { readonly recent: number; readonly ghost: number }, evict: Evict) {
    this.#capacity = capacity;
    this.#recentMax = Math.floor(capacity * ratios.recent);
    this.#ghostsMax = Math.floor(capacity * ratios.ghost);
    this.#evict = evict;
  }

  used(key: string): void {
    this.#recent.delete(key);
    renew(this.#frequent, key);
  }

  set(key: string): void {
    if (this.#frequent.has(key) || this.#recent.has(key)) {
      this.used(key);
      return;
    }
    const wasThere = this.#ghosts.delete(key);
    if (this.#recent.size + this.#frequent.size >= this.#capacity) this.#makeRoom(wasThere);
    (wasThere ? this.#frequent : this.#recent).add(key);
  }

  removed(key: string): void {
    this.#recent.delete(key);
    this.#frequent.delete(key);
  }

  oldest(): string | undefined {
    return oldestOf(this.#recent) ?? oldestOf(this.#frequent);
  }

  #makeRoom(isForFrequent: boolean): void {
    const { size } = this.#recent;
    const takesRecent =
      size > 0 &&
      (size > this.#recentMax || (size === this.#recentMax && !isForFrequent) || this.#frequent.size === 0);
    const key = oldestOf(takesRecent ? this.#recent : this.#frequent)!;
    this.#evict(key);
    if (!takesRecent || this.#ghostsMax === 0) return;
    this.#ghosts.add(key);
    if (this.#ghosts.size > this.#ghostsMax) this.#ghosts.delete(oldestOf(this.#ghosts)!);
  }
}

/** ARC: as 2Q, but how much room each of the two has follows from which keys come back. */
export class AdaptiveReplacement implements Eviction {
  readonly #capacity: number;
  readonly #evict: Evict;
  readonly #recent = new Set<string>();
  readonly #frequent = new Set<string>();
  readonly #recentGhosts = new Set<string>();
  readonly #frequentGhosts = new Set<string>();
  /** How many entries that were used once are kept. */
  #target = 0;

  constructor(capacity: number, evict: Evict) {
    this.#capacity = capacity;
    this.#evict = evict;
  }

  used(key: string): void {
    this.#recent.delete(key);
    renew(this.#frequent, key);
  }

  set(key: string): void {
    if (this.#frequent.has(key) || this.#recent.has(key)) this.used(key);
    else if (this.#recentGhosts.has(key)) {
      const step = Math.max(1, Math.floor(this.#frequentGhosts.size / this.#recentGhosts.size));
      this.#target = Math.min(this.#capacity, this.#target + step);
      this.#makeRoom(false);
      this.#recentGhosts.delete(key);
      this.#frequent.add(key);
    } else if (this.#frequentGhosts.has(key)) {
      const step = Math.max(1, Math.floor(this.#recentGhosts.size / this.#frequentGhosts.size));
      this.#target = Math.max(0, this.#target - step);
      this.#makeRoom(true);
      this.#frequentGhosts.delete(key);
      this.#frequent.add(key);
    } else {
      this.#makeRoom(false);
      if (this.#recentGhosts.size > this.#capacity - this.#target)
        this.#recentGhosts.delete(oldestOf(this.#recentGhosts)!);
      if (this.#frequentGhosts.size > this.#target)
        this.#frequentGhosts.delete(oldestOf(this.#frequentGhosts)!);
      this.#recent.add(key);
    }
  }

  removed(key: string): void {
    this.#recent.delete(key);
    this.#frequent.delete(key);
  }

  oldest(): string | undefined {
    return oldestOf(this.#recent) ?? oldestOf(this.#frequent);
  }

  #makeRoom(isFrequentGhost: boolean): void {
    if (this.#recent.size + this.#frequent.size < this.#capacity) return;
    const { size } = this.#recent;
    const takesRecent =
      size > 0 &&
      (size > this.#target || (size === this.#target && isFrequentGhost) || this.#frequent.size === 0);
    const key = oldestOf(takesRecent ? this.#recent : this.#frequent)!;
    this.#evict(key);
    (takesRecent ? this.#recentGhosts : this.#frequentGhosts).add(key);
  }
}
