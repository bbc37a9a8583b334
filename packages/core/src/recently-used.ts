/**
 * Values by keys that are a client's choice, so that only so many are kept. There are two generations: a key that is used goes to the
 * younger one, and when that holds half of what may be kept, the older one is forgotten whole. A key that is used again before
 * as many others is never forgotten, and none of it costs more the more there are.
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

  /** The value of a key, made when it is not known or no longer. */
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

  /** The value of a key that is known. */
  find(key: string): Value | undefined {
    const found = this.#young.get(key) ?? this.#old.get(key);
    return found === undefined ? undefined : this.of(key, () => found);
  }

  forgetAll(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
