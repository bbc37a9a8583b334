import { pipelineLimits } from '../limits.ts';

/**
 * The part of the rate limit of an agent that an instance has got. It asks for more than it needs, so that small
 * batches do not wait for the other thread.
 */
export class ByteAllowance {
  readonly #ask: (bytes: number) => void;
  #left = 0;
  #granted: (() => void) | undefined;

  constructor(ask: (bytes: number) => void) {
    this.#ask = ask;
  }

  /** Waits until bytes may be read, or until `stop`: what was read when a pipeline stops is not delayed. */
  async take(bytes: number, stop: AbortSignal): Promise<void> {
    this.#left -= bytes;
    if (this.#left >= 0 || stop.aborted) return;
    const asked = Math.max(-this.#left, pipelineLimits.allowanceBytesMin);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#granted = resolve;
    stop.addEventListener('abort', () => resolve(), { once: true });
    this.#ask(asked);
    await promise;
    this.#left += asked;
  }

  grant(): void {
    this.#granted?.();
  }
}
