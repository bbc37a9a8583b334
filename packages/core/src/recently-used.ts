/**
 * A bounded cache, for keys that clients choose. There are two generations: a used key moves to the younger one, and
 * when that holds half of the limit, the older one is dropped as a whole. A key that is used again before half the
 * limit of other keys is never evicted, and the cost of a call does not depend on the size.
 */
export class RecentlyUsed<Value> {
  readonly #generationMax: number;
  #young = new Map<string, Value>();
  #old: ReadonlyMap<string, Value> = new Map();

  constructor(countMax: number) {
    this.#generationMax = Math.max(1, Math.floor(countMax / 2));
  }

  get count(): number {
    return this.#young.size + this.#old.size;
  }

  /** Returns the value of a key, and creates it if it is not cached. */
  of(key: string, create: () => Value): Value {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old.get(key) ?? create();
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }

  /** Returns the value of a key if it is cached. */
  find(key: string): Value | undefined {
    const found = this.#young.get(key) ?? this.#old.get(key);
    return found === undefined ? undefined : this.of(key, () => found);
  }

  forgetAll(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
