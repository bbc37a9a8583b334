/** Bounds the bytes that copies of an agent hold: fetched, and not yet stored. Waiters are served in order. */
export class ByteBudget {
  readonly #bytesMax: number;
  #heldBytes = 0;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Waits until there is room. A request for more than there is at all gets everything. Rejects when stopped. */
  async take(bytes: number, stop: AbortSignal): Promise<number> {
    stop.throwIfAborted();
    const wanted = Math.min(bytes, this.#bytesMax);
    if (this.#waiting.length === 0 && this.#fits(wanted)) {
      this.#heldBytes += wanted;
      return wanted;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter = {
        bytes: wanted,
        go: () => {
          stop.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        this.#serve();
        reject(stop.reason as Error);
      };
      stop.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiter);
    });
    return wanted;
  }

  /** Counts bytes that are there already, such as a batch that is larger than what was asked for. */
  add(bytes: number): void {
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
    this.#serve();
  }

  #fits(bytes: number): boolean {
    return this.#heldBytes === 0 || this.#heldBytes + bytes <= this.#bytesMax;
  }

  #serve(): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0]!.bytes)) {
      const { bytes, go } = this.#waiting.shift()!;
      this.#heldBytes += bytes;
      go();
    }
  }
}
