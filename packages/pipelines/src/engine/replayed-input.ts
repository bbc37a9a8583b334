import { backOffMs, type Clock, pauseUnlessStopped } from '@weir/core';
import type { Delivery, Input } from '../component/instances.ts';
import { pipelineLimits } from '../limits.ts';
import { withOrigins } from './outcomes.ts';
import { endedError, PendingRead, Wake } from './pending-read.ts';

interface Replay {
  readonly delivery: Delivery;
  readonly attempts: number;
  /** By the monotonic clock. */
  readonly dueMs: number;
}

/**
 * Delivers again what was not written, until it is: `auto_replay_nacks`. Nothing new is read meanwhile, so that an
 * output that is down holds back the input.
 */
export class ReplayedInput implements Input {
  readonly #input: Input;
  readonly #clock: Clock;
  readonly #reads: PendingRead;
  readonly #replays: Replay[] = [];
  readonly #failed = new Wake();
  #isClosed = false;

  constructor(input: Input, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
    this.#reads = new PendingRead(input);
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    for (;;) {
      const replay = this.#replays[0];
      if (replay !== undefined) {
        const pauseMs = replay.dueMs - this.#clock.monotonicMs();
        if (pauseMs > 0) await pauseUnlessStopped(this.#clock, pauseMs, stop);
        if (stop.aborted) return undefined;
        this.#replays.shift();
        for (const { origin } of replay.delivery.batch)
          if (origin?.replay !== undefined) origin.replay.attempts++;
        return this.#tracked(replay.delivery, replay.attempts + 1);
      }
      const read = await this.#reads.next(stop, this.#failed.next());
      if (read !== 'interrupted') return read && this.#tracked(read, 0);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reads.abandon();
    for (const { delivery } of this.#replays.splice(0)) await delivery.settle(endedError());
    await this.#input.close();
  }

  #tracked(delivery: Delivery, attempts: number): Delivery {
    const batch = withOrigins(delivery.batch);
    // Someone waits for the answer, and decides.
    const hasAnswers = batch.some(
      ({ origin }) => origin?.answers !== undefined && !origin.answers.isReplayed,
    );
    return {
      batch,
      settle: async (error, failed) => {
        if (error === undefined || hasAnswers || this.#isClosed) return delivery.settle(error, failed);
        const some = batch.filter((_, index) => failed?.has(index));
        const rest = some.length === 0 ? batch : some;
        const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
        const dueMs = this.#clock.monotonicMs() + backOffMs(attempts, { firstMs, maxMs });
        this.#replays.push({
          delivery: { batch: rest, settle: settlesRest(delivery, rest, batch) },
          attempts,
          dueMs,
        });
        this.#failed.wake();
      },
    };
  }
}

/** Settles a delivery of which some messages were written before, by the places that these have in it. */
function settlesRest(
  delivery: Delivery,
  rest: Delivery['batch'],
  batch: Delivery['batch'],
): Delivery['settle'] {
  if (rest === batch) return (error, failed) => delivery.settle(error, failed);
  return (error, failed) => {
    if (error === undefined) return delivery.settle();
    const places = rest.map(({ origin }) => origin!.index);
    return delivery.settle(error, new Set(places.filter((_, at) => failed === undefined || failed.has(at))));
  };
}
