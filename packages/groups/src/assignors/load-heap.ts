/** A heap that exposes only its first entry, the only one whose order may change. */
export class LoadHeap<T> {
  readonly #entries: T[];
  readonly #compare: (a: T, b: T) => number;

  constructor(entries: readonly T[], compare: (a: T, b: T) => number) {
    // A sorted list is a heap.
    this.#entries = [...entries].sort(compare);
    this.#compare = compare;
  }

  get first(): T | undefined {
    return this.#entries[0];
  }

  changeFirst(change: (first: T) => void): void {
    const [first] = this.#entries;
    if (first === undefined) return;
    change(first);
    this.#sink();
  }

  dropFirst(): void {
    const last = this.#entries.pop();
    if (last === undefined || this.#entries.length === 0) return;
    this.#entries[0] = last;
    this.#sink();
  }

  #sink(): void {
    const entries = this.#entries;
    const sinking = entries[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && this.#compare(entries[child + 1]!, entries[child]!) < 0) child++;
      if (this.#compare(entries[child]!, sinking) >= 0) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = sinking;
  }
}
