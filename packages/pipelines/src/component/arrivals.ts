interface Limits {
  readonly itemsMax: number;
  readonly bytesMax: number;
}

/** What a server has sent and the pipeline has not taken. While there is enough, the connection is not read. */
export class Arrivals<Item> {
  readonly #limits: Limits;
  readonly #setPaused: (isPaused: boolean) => void;
  #items: { readonly item: Item; readonly byteCount: number }[] = [];
  /** Of the next one; those before it were taken. */
  #at = 0;
  #byteCount = 0;
  #isPaused = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(limits: Limits, setPaused: (isPaused: boolean) => void) {
    this.#limits = limits;
    this.#setPaused = setPaused;
  }

  /** A new connection takes the place of the one that failed. */
  begin(): void {
    this.#failure = undefined;
    this.#isPaused = false;
  }

  get isEmpty(): boolean {
    return this.#at >= this.#items.length;
  }

  push(item: Item, byteCount: number): void {
    this.#items.push({ item, byteCount });
    this.#byteCount += byteCount;
    this.#balance();
    this.#wake?.();
  }

  /** The call that waits, or the next one, rejects after the items that are there; `drops` takes them away. */
  fail(error: Error, { drops = false } = {}): void {
    if (drops) this.drain();
    this.#failure = error;
    this.#isPaused = false;
    this.#wake?.();
  }

  /** Takes away what is there. */
  drain(): Item[] {
    const items = this.#items.slice(this.#at).map(({ item }) => item);
    this.#items = [];
    this.#at = 0;
    this.#byteCount = 0;
    return items;
  }

  /** The next item; `undefined` if `stop` is aborted before there is one. */
  async next(stop: AbortSignal): Promise<Item | undefined> {
    for (;;) {
      const found = this.#items[this.#at];
      if (found !== undefined) return this.#taken(found);
      const failure = this.#failure;
      if (failure !== undefined) {
        this.#failure = undefined;
        throw failure;
      }
      if (stop.aborted) return undefined;
      await this.#changed(stop);
    }
  }

  #taken({ item, byteCount }: { readonly item: Item; readonly byteCount: number }): Item {
    this.#at++;
    this.#byteCount -= byteCount;
    // The list is moved rarely, so that taking an item costs the same however many there are.
    if (this.#at * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#at);
      this.#at = 0;
    }
    this.#balance();
    return item;
  }

  #balance(): void {
    const count = this.#items.length - this.#at;
    const { itemsMax, bytesMax } = this.#limits;
    const isFull = count >= itemsMax || this.#byteCount >= bytesMax;
    const isLow = count <= itemsMax / 2 && this.#byteCount <= bytesMax / 2;
    if (this.#isPaused ? !isLow : !isFull) return;
    this.#isPaused = !this.#isPaused;
    this.#setPaused(this.#isPaused);
  }

  #changed(stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        stop.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      this.#wake = done;
      stop.addEventListener('abort', done);
    });
  }
}
