import { type Clock, pauseUnlessStopped } from '@weir/core';
import { sourceProblem } from '../../source/source-problem.ts';
import { CopyRates } from './copy-rates.ts';
import { SlotAppends } from './slot-appends.ts';
import { SlotFetches } from './slot-fetches.ts';
import type { SlotCopyOptions } from './slot-options.ts';
import { SlotPartitions } from './slot-partitions.ts';
import { SlotWork } from './slot-work.ts';

/** What a slot copies of a topic. */
export interface CopiedTopic {
  readonly topicId: string;
  readonly bytesPerSecond: number;
  readonly recordsPerSecond: number;
  readonly error?: string | undefined;
}

/** How often new topics and partitions are looked for. */
const lookMs = 500;
const sourcePauseMsMax = 30_000;

/** Copies the partitions of one slot of a migration, as their source has them, until it is stopped. */
export class SlotCopy {
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #work: SlotWork;
  readonly #partitions: SlotPartitions;
  readonly #fetches: SlotFetches;
  readonly #rates = new Map<string, CopyRates>();
  #error: string | undefined;
  #wake = () => {};

  constructor(options: SlotCopyOptions) {
    this.#clock = options.clock;
    this.#stop = options.stop;
    const work = new SlotWork(options);
    const partitions = new SlotPartitions({ slot: options, work, onMoved: () => this.#wake() });
    const appends = new SlotAppends({
      slot: options,
      work,
      onCopied: (topicName, bytes, records) => {
        this.#ratesOf(topicName).add(bytes, records);
        options.onCopied(topicName, bytes, records);
      },
    });
    this.#work = work;
    this.#partitions = partitions;
    this.#fetches = new SlotFetches({ slot: options, partitions, appends, work });
  }

  /** Why nothing is copied at the moment, in one line. */
  get error(): string | undefined {
    return this.#error;
  }

  copied(): readonly CopiedTopic[] {
    const topics = new Map<string, CopiedTopic>();
    for (const { topicId, topicName, place, stopped, error } of this.#partitions.all()) {
      const before = topics.get(topicId);
      const problem = stopped === undefined ? error : `stopped: ${stopped}`;
      const line = problem === undefined ? undefined : `partition ${place.partition}: ${problem}`;
      if (before === undefined)
        topics.set(topicId, { topicId, ...this.#ratesOf(topicName).perSecond(), error: line });
      else if (before.error === undefined && line !== undefined)
        topics.set(topicId, { ...before, error: line });
    }
    return [...topics.values()];
  }

  /** Returns when it was stopped and nothing is under way any more. */
  async run(): Promise<void> {
    let failureCount = 0;
    while (!this.#stop.aborted) {
      try {
        this.#partitions.follow();
        if (this.#partitions.needsMetadata) await this.#partitions.findLeaders();
        this.#fetches.start();
        this.#error = undefined;
        failureCount = 0;
        await this.#pause(lookMs);
      } catch (error) {
        if (this.#stop.aborted) break;
        this.#error = sourceProblem(error);
        await this.#pause(Math.min(sourcePauseMsMax, lookMs * 2 ** Math.min(failureCount++, 10)), false);
      }
    }
    await this.#fetches.ended();
    await this.#work.ended();
  }

  /** Ends early when something is to be looked at. */
  async #pause(delayMs: number, mayWake = true): Promise<void> {
    const woken = new AbortController();
    if (mayWake) this.#wake = () => woken.abort();
    await pauseUnlessStopped(this.#clock, delayMs, AbortSignal.any([this.#stop, woken.signal]));
    this.#wake = () => {};
  }

  #ratesOf(topicName: string): CopyRates {
    const known = this.#rates.get(topicName);
    if (known !== undefined) return known;
    const rates = new CopyRates(this.#clock);
    this.#rates.set(topicName, rates);
    return rates;
  }
}
