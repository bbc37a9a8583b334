import { type Clock, pauseUnlessStopped } from '@weir/core';
import { sourceProblem } from '../../source/source-problem.ts';
import type { PartitionCopy } from './partition-copy.ts';
import type { SlotCopyOptions } from './slot-options.ts';

/** How often it is looked whether something is due, or stored. */
export const notDueMs = 20;

/** What is under way beside the fetches of a slot: appends, and what is found out about partitions. */
export class SlotWork {
  readonly #options: Pick<SlotCopyOptions, 'onEvent'>;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #under = new Set<Promise<void>>();

  constructor(options: SlotCopyOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#stop = options.stop;
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#under);
  }

  /** Waits until what was fetched of a partition is stored, so that the copy's end is known. */
  async untilStored(copy: PartitionCopy): Promise<void> {
    while (copy.appendCount > 0 && !this.#stop.aborted)
      await pauseUnlessStopped(this.#clock, notDueMs, this.#stop);
  }

  /** Copies a partition no more until an operator decides. */
  stopPartition(
    copy: PartitionCopy,
    type: 'truncation' | 'recreation' | 'partition_stopped',
    reason: string,
  ): void {
    if (copy.stopped !== undefined) return;
    copy.stopped = reason;
    this.#options.onEvent({
      type,
      level: 'error',
      topic: copy.topicName,
      message: 'stopped copying a partition until an operator decides',
      fields: { partition: copy.place.partition, offset: copy.position, reason },
    });
  }

  /** Does something about a partition, which is not fetched meanwhile. */
  doWith(copy: PartitionCopy, work: () => Promise<void>): void {
    copy.isBusy = true;
    this.watch(
      work()
        .catch((error: unknown) => copy.failed(sourceProblem(error), this.#clock.monotonicMs()))
        .finally(() => {
          copy.isBusy = false;
        }),
    );
  }

  /** Remembers that something is under way. */
  watch(work: Promise<void>): void {
    const watched = work.finally(() => this.#under.delete(watched));
    this.#under.add(watched);
  }

  /** Does something after a while, unless the copy is stopped. */
  later(delayMs: number, run: () => void): void {
    this.watch(
      pauseUnlessStopped(this.#clock, delayMs, this.#stop).then(() => {
        if (!this.#stop.aborted) run();
      }),
    );
  }
}
