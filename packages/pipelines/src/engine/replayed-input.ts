import { backOffMs, type Clock, pauseUnlessStopped } from '@weir/core';
import type { Delivery, Input } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';
import { withOrigins } from './shared-settling.ts';

interface Replay {
  readonly delivery: Delivery;
  readonly attempts: number;
}

/** Delivers again what was not written, until it is: `auto_replay_nacks`. */
export class ReplayedInput implements Input {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #replays: Replay[] = [];
  #wake: (() => void) | undefined;
  #reading: Promise<Delivery | undefined> | undefined;
  #unsettled = 0;

  constructor(input: Input, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    for (;;) {
      const replay = this.#replays.shift();
      if (replay !== undefined) return this.#again(replay, stop);
      // Started once: while it waits, something may have to be delivered again.
      this.#reading ??= this.#input.read(stop);
      const woken = new Promise<'woken'>((resolve) => {
        this.#wake = () => resolve('woken');
      });
      const read = await Promise.race([this.#reading, woken]);
      this.#wake = undefined;
      if (read === 'woken') continue;
      this.#reading = undefined;
      if (read !== undefined) return this.#tracked(read, 0);
      // At its end, the input still has messages that may have to be delivered again.
      this.#reading = Promise.resolve(undefined);
      if (this.#replays.length > 0) continue;
      if (this.#unsettled === 0) return undefined;
      await this.#changed(stop);
      if (stop.aborted) return undefined;
    }
  }

  async close(): Promise<void> {
    await this.#input.close();
  }

  async #again({ delivery, attempts }: Replay, stop: AbortSignal): Promise<Delivery> {
    const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
    await pauseUnlessStopped(this.#clock, backOffMs(attempts, { firstMs, maxMs }), stop);
    return this.#tracked(delivery, attempts + 1);
  }

  #tracked(delivery: Delivery, attempts: number): Delivery {
    this.#unsettled++;
    const batch = withOrigins(delivery.batch);
    const { answers } = batch[0]?.origin ?? {};
    return {
      batch,
      settle: async (error, failed) => {
        this.#unsettled--;
        if (error === undefined) await delivery.settle();
        // Someone waits for the answer, and decides.
        else if (answers !== undefined) await delivery.settle(error, failed);
        else {
          const rest = failed === undefined ? batch : batch.filter((_, index) => failed.has(index));
          this.#replays.push({ delivery: { batch: rest, settle: () => delivery.settle() }, attempts });
        }
        this.#wake?.();
      },
    };
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
      if (stop.aborted) done();
    });
  }
}
