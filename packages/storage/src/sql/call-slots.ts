import { onAbort } from '../store/abort.ts';

/**
 * Limits how many calls run at a time; the others wait in FIFO order. An aborted call settles at once: one that waits
 * never starts, and one that runs has its slot until it ends.
 */
export class CallSlots {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  run<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const start = () => {
        this.#free--;
        call()
          .then(resolve, reject)
          .finally(() => {
            stopWatching();
            this.#free++;
            this.#startNext();
          });
      };
      const stopWatching = onAbort(signal, (reason) => {
        this.#waiting.delete(start);
        reject(reason);
      });
      this.#waiting.add(start);
      this.#startNext();
    });
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#free <= 0) return;
    this.#waiting.delete(next);
    next();
  }
}
