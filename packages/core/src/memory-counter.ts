/** Counts bytes in use against a limit. Callers that find it full ask to be called when it no longer is. */
export class MemoryCounter {
  readonly bytesMax: number;
  readonly #onChange: ((bytes: number, byBytes: number) => void) | undefined;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  /** `onChange` is called after each change, before those that wait. */
  constructor(bytesMax: number, onChange?: (bytes: number, byBytes: number) => void) {
    this.bytesMax = bytesMax;
    this.#onChange = onChange;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.bytesMax;
  }

  /** Reserves bytes, or releases them if negative. It never refuses: callers look at `isFull` before they begin something. */
  change(byBytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += byBytes;
    this.#onChange?.(this.#bytes, byBytes);
    if (!wasFull || this.isFull) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  /** Calls `resume` once when it is no longer full. Asking twice with the same function is asking once. */
  whenFree(resume: () => void): void {
    this.#waiting.add(resume);
  }

  forget(resume: () => void): void {
    this.#waiting.delete(resume);
  }
}
