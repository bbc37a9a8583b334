interface Entry {
  /** The offset after its last message. */
  readonly nextOffset: number;
  readonly messageCount: number;
  isSettled: boolean;
}

/**
 * Knows up to where the messages of a partition are settled. They are settled in any order; an offset is released when
 * all before it are.
 */
export class Checkpointer {
  /** In the order of offsets; those before `#first` are released. */
  #entries: Entry[] = [];
  #first = 0;
  #pending = 0;
  #released: number | undefined;

  /** Messages that are not settled. */
  get pendingCount(): number {
    return this.#pending;
  }

  /** The offset after the last message before which all are settled; absent if none is. */
  get released(): number | undefined {
    return this.#released;
  }

  /** Adds messages that follow those before. Returns a function that settles them; only the first call counts. */
  track(messageCount: number, nextOffset: number): () => void {
    const entry: Entry = { nextOffset, messageCount, isSettled: false };
    this.#entries.push(entry);
    this.#pending += messageCount;
    return () => {
      if (entry.isSettled) return;
      entry.isSettled = true;
      this.#pending -= messageCount;
      this.#release();
    };
  }

  /** Says that there are no messages up to an offset. */
  skipTo(nextOffset: number): void {
    this.track(0, nextOffset)();
  }

  #release(): void {
    while (this.#entries[this.#first]?.isSettled) this.#released = this.#entries[this.#first++]!.nextOffset;
    // Removing entries one by one would take time for all that follow.
    if (this.#first < 64 || this.#first * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}
