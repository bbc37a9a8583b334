/** A set of file slots: one bit per slot of the file table. */
export class SlotSet {
  #words: Uint32Array;
  #count = 0;

  constructor(words = new Uint32Array(0)) {
    this.#words = words;
    for (const _ of this) this.#count++;
  }

  get count(): number {
    return this.#count;
  }

  has(slot: number): boolean {
    return ((this.#words[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
  }

  add(slot: number): void {
    if (this.has(slot)) return;
    if (slot >>> 5 >= this.#words.length) {
      const grown = new Uint32Array(Math.max(16, 2 * this.#words.length, (slot >>> 5) + 1));
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[slot >>> 5]! |= 1 << (slot & 31);
    this.#count++;
  }

  /** Returns whether it had the slot. */
  delete(slot: number): boolean {
    if (!this.has(slot)) return false;
    this.#words[slot >>> 5]! &= ~(1 << (slot & 31));
    this.#count--;
    return true;
  }

  copy(): SlotSet {
    return new SlotSet(this.#words.slice());
  }

  /** Yields slots in their order. The set may lose slots meanwhile. */
  *[Symbol.iterator](): Generator<number> {
    for (let word = 0; word < this.#words.length; word++) {
      for (let bits = this.#words[word]!; bits !== 0; bits &= bits - 1) {
        yield 32 * word + 31 - Math.clz32(bits & -bits);
      }
    }
  }
}
