/** A cache that is bounded by the size of what it holds. The least recently used value leaves first. */
export class SizedCache<Value> {
  readonly #sizeMax: number;
  readonly #values = new Map<string, { readonly value: Value; readonly size: number }>();
  #size = 0;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    const found = this.#values.get(key);
    if (found === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, found);
    return found.value;
  }

  /** A value that is larger than the cache is not kept. */
  set(key: string, value: Value, size: number): void {
    this.#drop(key);
    if (size > this.#sizeMax) return;
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#sizeMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const found = this.#values.get(key);
    if (found === undefined) return;
    this.#values.delete(key);
    this.#size -= found.size;
  }
}
