/**
 * Inputs that deliver no more until messages are settled, such as one at its `checkpoint_limit`. What gathers messages
 * must not wait for more then.
 */
export class HeldBack {
  readonly #began = new Set<() => void>();
  readonly #gathering = new Set<() => void>();
  #count = 0;

  get isHeld(): boolean {
    return this.#count > 0;
  }

  /** An input begins to wait. Returns a function that says that it waits no more. */
  begin(): () => void {
    this.#count++;
    if (this.#count === 1) for (const began of [...this.#began]) began();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count--;
    };
  }

  /** Calls `began` when an input waits and none did before. */
  watch(began: () => void): () => void {
    this.#began.add(began);
    return () => this.#began.delete(began);
  }

  /** Calls `release` when messages that are gathered before the processors have to be delivered. */
  gather(release: () => void): () => void {
    this.#gathering.add(release);
    return () => this.#gathering.delete(release);
  }

  /** Makes all that gather before the processors deliver what they have. */
  release(): void {
    for (const release of [...this.#gathering]) release();
  }
}
