/**
 * Counts the bytes that the requests of all connections hold, unfinished frames included. Connections that find it full
 * ask to be called when it is not.
 */
export class RequestMemory {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #held = new Set<() => void>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** No connection may begin another frame. */
  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  /** Frames that were begun grew so much that one of them has to go. */
  get isOverrun(): boolean {
    return this.#bytes >= 2 * this.#bytesMax;
  }

  change(byBytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += byBytes;
    if (!wasFull || this.isFull) return;
    const held = [...this.#held];
    this.#held.clear();
    for (const resume of held) resume();
  }

  /** Calls `resume` once when there is room; asking twice with the same function is asking once. */
  whenFree(resume: () => void): void {
    this.#held.add(resume);
  }

  forget(resume: () => void): void {
    this.#held.delete(resume);
  }
}
