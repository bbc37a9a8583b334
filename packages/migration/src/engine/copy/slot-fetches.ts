import { type Clock, pauseUnlessStopped, Semaphore } from '@weir/core';
import { migrationLimits } from '../../limits.ts';
import { placeKey } from '../../source/place-key.ts';
import { type FetchedRaw, fetchRaw, type RawAnswer, type RefusedFetch } from '../../source/raw-fetch.ts';
import { sourceProblem } from '../../source/source-problem.ts';
import { compareEnds } from '../compare-ends.ts';
import { AnswerBuffers } from './answer-buffers.ts';
import { emptyTail } from './empty-tail.ts';
import { FetchRate } from './fetch-rate.ts';
import { lookForMissing } from './missing-offset.ts';
import type { PartitionCopy } from './partition-copy.ts';
import type { SlotAppends } from './slot-appends.ts';
import type { SlotCopyOptions } from './slot-options.ts';
import type { AskedCopy, SlotPartitions } from './slot-partitions.ts';
import { notDueMs, type SlotWork } from './slot-work.ts';

const firstPauseMs = 500;
const pauseMsMax = 30_000;
/** How long an idle source is waited for. Meanwhile another broker may be fetched from. */
const idleWaitMs = 500;
const idleBytesMax = 1024 * 1024;
/** Copies of which the ends are compared with those of the source in one step. */
const comparedMax = 200;
/** So often a log that goes on has no batches before the offsets count as gone. */
const emptyAnswersMax = 2;
/** After so many fetches without records, about ten seconds, memory for answers goes back to the system. */
const emptyFetchesMax = 20;
/** The longest pause that a source may ask for. */
const throttleMsMax = 60_000;

interface SlotFetchesOptions {
  readonly slot: SlotCopyOptions;
  readonly partitions: SlotPartitions;
  readonly appends: SlotAppends;
  readonly work: SlotWork;
}

/** Fetches what the source has of the partitions of a slot, from each broker that leads some. */
export class SlotFetches {
  readonly #options: SlotCopyOptions;
  readonly #partitions: SlotPartitions;
  readonly #appends: SlotAppends;
  readonly #work: SlotWork;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  /** By broker. */
  readonly #loops = new Map<number, Promise<void>>();
  /** One fetch of a slot runs at a time. Waiting at an idle broker is none. */
  readonly #fetching = new Semaphore({ permits: 1 });
  readonly #buffers = new AnswerBuffers({
    answerBytesMax: migrationLimits.fetchedAnswerBytesMax + migrationLimits.fetchedPartitionBytesMax,
    freeBytesMax: migrationLimits.reusedAnswerBytesMax,
  });
  readonly #rate: FetchRate;
  /** In a row. */
  #emptyFetches = 0;

  constructor({ slot, partitions, appends, work }: SlotFetchesOptions) {
    this.#options = slot;
    this.#partitions = partitions;
    this.#appends = appends;
    this.#work = work;
    this.#clock = slot.clock;
    this.#stop = slot.stop;
    this.#rate = new FetchRate(slot.fetchBytesPerSecond, slot.clock);
  }

  /** Resolves when no broker is fetched from any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#loops.values());
  }

  /** Begins to fetch from brokers that lead partitions. */
  start(): void {
    for (const { leaderId } of this.#partitions.all()) {
      if (leaderId === -1 || this.#loops.has(leaderId)) continue;
      const loop = this.#fetchFrom(leaderId).finally(() => this.#loops.delete(leaderId));
      this.#loops.set(leaderId, loop);
    }
  }

  /** Fetches from one broker as long as it leads partitions. */
  async #fetchFrom(brokerId: number): Promise<void> {
    let [isIdle, failureCount] = [false, 0];
    for (let turn = 0; !this.#stop.aborted; turn++) {
      const dueInMs = this.#rate.waitMs();
      if (dueInMs > 0) await pauseUnlessStopped(this.#clock, dueInMs, this.#stop);
      const led = this.#partitions.ledBy(brokerId);
      if (led.length === 0) return;
      const due = this.#due(led, turn);
      if (due.length === 0) {
        await pauseUnlessStopped(this.#clock, notDueMs, this.#stop);
        continue;
      }
      try {
        const unknown = due.filter(({ isCompared }) => !isCompared);
        if (unknown.length > 0) {
          await this.#compareEnds(unknown.slice(0, comparedMax));
          failureCount = 0;
          continue;
        }
        const { throttleMs, isEmpty } = isIdle
          ? await this.#fetchOnce(brokerId, due, idleWaitMs)
          : await this.#fetching.run(() => this.#fetchOnce(brokerId, due, 0));
        failureCount = 0;
        isIdle = isEmpty;
        await pauseUnlessStopped(this.#clock, Math.min(throttleMs, throttleMsMax), this.#stop);
      } catch (error) {
        if (this.#stop.aborted) return;
        const problem = sourceProblem(error);
        for (const copy of due) {
          copy.error = problem;
          copy.isCompared = false;
        }
        this.#partitions.moved();
        failureCount++;
        await pauseUnlessStopped(
          this.#clock,
          Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(failureCount - 1, 10)),
          this.#stop,
        );
      }
    }
  }

  /** Stops copies that end with other records than the source has there: it lost them while they were not followed. */
  async #compareEnds(copies: readonly PartitionCopy[]): Promise<void> {
    const { source, destination } = this.#options;
    const asked = copies.map((copy) => ({ copy, generation: copy.generation }));
    const verdicts = await compareEnds(
      source,
      destination,
      copies.map(({ topicId, sourceTopicId, place, leaderId, position }) => ({
        topicId,
        sourceTopic: place.topic,
        sourceTopicId,
        partition: place.partition,
        leaderId,
        nextOffset: position,
      })),
    );
    for (const [index, one] of asked.entries()) {
      if (!this.#partitions.isCurrent(one)) continue;
      const { copy } = one;
      const verdict = verdicts[index]!;
      if (verdict.kind === 'same') copy.isCompared = true;
      else if (verdict.kind === 'other') this.#work.stopPartition(copy, 'truncation', verdict.message);
      else if (verdict.refusal !== undefined) this.#refused(copy, verdict.refusal);
      else copy.failed('the source does not answer for it at the moment', this.#clock.monotonicMs());
    }
  }

  /** The partitions take turns at being first, which is the one that a broker always has room for. */
  #due(led: readonly PartitionCopy[], turn: number): readonly PartitionCopy[] {
    const nowMs = this.#clock.monotonicMs();
    const due = led.filter(
      (copy) =>
        copy.stopped === undefined &&
        !copy.isBusy &&
        copy.notBeforeMs <= nowMs &&
        // What ends a copy is known once everything is stored.
        copy.appendCount < (copy.isCompared ? migrationLimits.appendsPerPartitionMax : 1),
    );
    if (due.length < 2) return due;
    const large = due.findIndex(({ bytesMax }) => bytesMax !== undefined);
    const first = large === -1 ? turn % due.length : large;
    return [...due.slice(first), ...due.slice(0, first)];
  }

  async #fetchOnce(
    brokerId: number,
    due: readonly PartitionCopy[],
    waitMs: number,
  ): Promise<{ readonly throttleMs: number; readonly isEmpty: boolean }> {
    const { source, budget, fetchBytesMax, partitionBytesMax } = this.#options;
    const { fetchedAnswerBytesMax, fetchedPartitionBytesMax } = migrationLimits;
    const largest = Math.max(0, ...due.map(({ bytesMax = 0 }) => bytesMax));
    const answerBytes = Math.max(
      largest,
      Math.min(fetchBytesMax, waitMs === 0 ? fetchedAnswerBytesMax : idleBytesMax, this.#rate.answerBytesMax),
    );
    let granted = await budget.take(answerBytes, this.#stop);
    try {
      const asked = due.map((copy) => ({ copy, generation: copy.generation, offset: copy.position }));
      const buffer = this.#buffers.next();
      const answer = await fetchRaw(
        source,
        brokerId,
        asked.map(({ copy, offset }) => ({
          ...copy.place,
          topicId: copy.sourceTopicId,
          offset,
          bytesMax: copy.bytesMax,
          lastEpoch: copy.lastEpoch,
        })),
        {
          answerBytesMax: Math.max(granted, largest),
          partitionBytesMax: Math.min(partitionBytesMax, fetchedPartitionBytesMax, answerBytes),
          waitMs,
          memory: buffer.memory,
        },
      );
      const bytes = answer.fetched.reduce((sum, { records }) => sum + records.length, 0);
      this.#rate.took(bytes);
      // Each part gives back its own bytes once it is stored.
      budget.add(bytes);
      budget.release(granted);
      granted = 0;
      let partsInUse = answer.fetched.length;
      await this.#takeAnswer(answer, asked, ({ records }) => {
        budget.release(records.length);
        partsInUse--;
        if (partsInUse === 0) buffer.release();
      });
      if (bytes > 0) this.#emptyFetches = 0;
      else if (++this.#emptyFetches >= emptyFetchesMax) this.#buffers.clear();
      return { throttleMs: answer.throttleMs, isEmpty: bytes === 0 };
    } finally {
      if (granted > 0) budget.release(granted);
    }
  }

  async #takeAnswer(
    { fetched, refused }: RawAnswer,
    asked: readonly AskedCopy[],
    release: (part: FetchedRaw) => void,
  ): Promise<void> {
    const byPlace = new Map(asked.map((one) => [placeKey(one.copy.place), one]));
    const [first] = asked;
    for (const refusal of refused) {
      const one = byPlace.get(placeKey(refusal));
      if (one !== undefined && this.#partitions.isCurrent(one)) this.#refused(one.copy, refusal);
    }
    for (const part of fetched) {
      const one = byPlace.get(placeKey(part))!;
      if (!this.#partitions.isCurrent(one)) {
        release(part);
        continue;
      }
      await this.#take(one.copy, part, one === first, () => release(part));
    }
  }

  #refused(copy: PartitionCopy, { failure, message }: RefusedFetch): void {
    const nowMs = this.#clock.monotonicMs();
    switch (failure) {
      case 'moved':
        copy.isCompared = false;
        copy.failed(message, nowMs);
        this.#partitions.moved();
        return;
      case 'out-of-range':
        this.#lookFor({ copy, diverging: undefined });
        return;
      case 'gone':
        copy.isCompared = false;
        copy.failed(message, nowMs);
        this.#partitions.moved();
        return;
      default:
        copy.failed(message, nowMs);
    }
  }

  async #take(copy: PartitionCopy, part: FetchedRaw, isFirst: boolean, release: () => void): Promise<void> {
    const { budget } = this.#options;
    const { records, highWatermark, diverging } = part;
    if (diverging !== undefined) {
      release();
      this.#lookFor({ copy, diverging });
      return;
    }
    if (records.length === 0) {
      release();
      copy.worked();
      if (highWatermark <= copy.position) copy.emptyCount = 0;
      // Others may have taken all the room of the answer, unless it was the first.
      else if (isFirst && ++copy.emptyCount >= emptyAnswersMax) {
        const tail = emptyTail(copy.position, highWatermark);
        budget.add(tail.length);
        await this.#appends.submit(copy, tail, () => budget.release(tail.length));
      }
      return;
    }
    copy.emptyCount = 0;
    await this.#appends.submit(copy, records, release);
  }

  #lookFor(missing: Parameters<typeof lookForMissing>[0]): void {
    this.#work.doWith(missing.copy, () =>
      lookForMissing(missing, { slot: this.#options, work: this.#work, partitions: this.#partitions }),
    );
  }
}
