/**
 * Counts bytes in use against a limit. A caller that finds it full can register a callback for when it no longer is.
 */
export class MemoryCounter {
  readonly bytesMax: number;
  readonly #onChange: ((bytes: number, byBytes: number) => void) | undefined;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  /** `onChange` is called after each change, before the waiting callers. */
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

  /** Reserves bytes, or releases them if negative. Never fails: callers check `isFull` before they start something. */
  change(byBytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += byBytes;
    this.#onChange?.(this.#bytes, byBytes);
    if (!wasFull || this.isFull) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  /** Calls `resume` once when it is no longer full. Registering the same function twice has no further effect. */
  whenFree(resume: () => void): void {
    this.#waiting.add(resume);
  }

  forget(resume: () => void): void {
    this.#waiting.delete(resume);
  }
}
