import { type Clock, pauseUnlessStopped, Semaphore } from '@weir/core';
import { type Walk, walkAnswer } from '../../batches/walk.ts';
import { migrationLimits } from '../../limits.ts';
import { logEnds } from '../../source/log-ends.ts';
import { placeKey } from '../../source/place-key.ts';
import { type FetchedRaw, fetchRaw, type RawAnswer, type RefusedFetch } from '../../source/raw-fetch.ts';
import type { SourceCluster } from '../../source/source-cluster.ts';
import { sourceProblem } from '../../source/source-problem.ts';
import { type SourceTopic, sourceTopics } from '../../source/source-topics.ts';
import { findTruncation } from '../../truncation/find-truncation.ts';
import { compareEnds } from '../compare-ends.ts';
import type { CopyDestination, CopyOutcome } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';
import { AnswerBuffers } from './answer-buffers.ts';
import type { ByteBudget } from './byte-budget.ts';
import { CopyRates } from './copy-rates.ts';
import { emptyTail } from './empty-tail.ts';
import { PartitionCopy } from './partition-copy.ts';

export interface SlotCopyOptions {
  readonly pipelineId: string;
  readonly source: SourceCluster;
  readonly destination: CopyDestination;
  /** Whether a partition belongs to the slot. */
  readonly isMine: (topicId: string, partition: number) => boolean;
  readonly fetchBytesMax: number;
  readonly partitionBytesMax: number;
  /** Of all copies of the agent. */
  readonly budget: ByteBudget;
  readonly onEvent: (event: MigrationEvent) => void;
  readonly onCopied: (topicName: string, bytes: number, records: number) => void;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** What a slot copies of a topic. */
export interface CopiedTopic {
  readonly topicId: string;
  readonly bytesPerSecond: number;
  readonly recordsPerSecond: number;
  readonly error?: string | undefined;
}

/** How often new topics and partitions are looked for, and leaders if nothing moved. */
const lookMs = 500;
const metadataMsMax = 30_000;
const sourcePauseMsMax = 30_000;
/** How long an idle source is waited for. Meanwhile another broker may be fetched from. */
const idleWaitMs = 500;
const idleBytesMax = 1024 * 1024;
/** Copies of which the ends are compared with those of the source in one step. */
const comparedMax = 200;
/** How often a source is asked again before its word is taken that its log is shorter, and the pause between. */
const doubtsMax = 3;
const doubtPauseMs = 2_000;
/** So often a log that goes on has no batches before the offsets count as gone. */
const emptyAnswersMax = 2;
/** After so many fetches without records, about ten seconds, memory for answers goes back to the system. */
const emptyFetchesMax = 20;
/** The longest pause that a source may ask for. */
const throttleMsMax = 60_000;

/** Copies the partitions of one slot of a migration, as their source has them, until it is stopped. */
export class SlotCopy {
  readonly #options: SlotCopyOptions;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  /** By place at the source. */
  readonly #partitions = new Map<string, PartitionCopy>();
  /** By broker. */
  readonly #loops = new Map<number, Promise<void>>();
  readonly #rates = new Map<string, CopyRates>();
  /** Appends, and what is found out about partitions. */
  readonly #under = new Set<Promise<void>>();
  /** One fetch of a slot runs at a time. Waiting at an idle broker is none. */
  readonly #fetching = new Semaphore({ permits: 1 });
  readonly #buffers = new AnswerBuffers({
    answerBytesMax: migrationLimits.fetchedAnswerBytesMax + migrationLimits.fetchedPartitionBytesMax,
    freeBytesMax: migrationLimits.reusedAnswerBytesMax,
  });
  /** In a row. */
  #emptyFetches = 0;
  #error: string | undefined;
  #isMoved = true;
  #metadataMs = Number.NEGATIVE_INFINITY;
  #wake = () => {};

  constructor(options: SlotCopyOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#stop = options.stop;
  }

  /** Why nothing is copied at the moment, in one line. */
  get error(): string | undefined {
    return this.#error;
  }

  copied(): readonly CopiedTopic[] {
    const topics = new Map<string, CopiedTopic>();
    for (const { topicId, topicName, place, stopped, error } of this.#partitions.values()) {
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
        this.#findPartitions();
        if (this.#needsMetadata()) await this.#findLeaders();
        this.#startLoops();
        this.#error = undefined;
        failureCount = 0;
        await this.#pause(lookMs);
      } catch (error) {
        if (this.#stop.aborted) break;
        this.#error = sourceProblem(error);
        await this.#pause(Math.min(sourcePauseMsMax, lookMs * 2 ** Math.min(failureCount++, 10)), false);
      }
    }
    await Promise.all(this.#loops.values());
    await Promise.all(this.#under);
  }

  /** Ends early when something is to be looked at. */
  async #pause(delayMs: number, mayWake = true): Promise<void> {
    const woken = new AbortController();
    if (mayWake) this.#wake = () => woken.abort();
    await pauseUnlessStopped(this.#clock, delayMs, AbortSignal.any([this.#stop, woken.signal]));
    this.#wake = () => {};
  }

  #moved(): void {
    this.#isMoved = true;
    this.#wake();
  }

  /** Follows topics and partitions that appear, and those that are handed over or gone. */
  #findPartitions(): void {
    const { destination, isMine } = this.#options;
    const wanted = new Set<string>();
    for (const topic of destination.managedTopics()) {
      if (topic.state === 'MIGRATED') continue;
      for (let partition = 0; partition < topic.partitionCount; partition++) {
        if (!isMine(topic.topicId, partition)) continue;
        const key = placeKey({ topic: topic.sourceTopic, partition });
        wanted.add(key);
        if (this.#partitions.get(key)?.topicId === topic.topicId) continue;
        const position = destination.endOffset(topic.topicId, partition);
        if (position === undefined) continue;
        this.#partitions.set(key, new PartitionCopy(topic, partition, position));
        this.#isMoved = true;
      }
    }
    for (const key of this.#partitions.keys()) if (!wanted.has(key)) this.#partitions.delete(key);
  }

  #needsMetadata(): boolean {
    if (this.#partitions.size === 0) return false;
    return this.#isMoved || this.#clock.monotonicMs() - this.#metadataMs > metadataMsMax;
  }

  async #findLeaders(): Promise<void> {
    this.#isMoved = false;
    const names = [...new Set(Array.from(this.#partitions.values(), ({ place }) => place.topic))];
    const { topics } = await sourceTopics(this.#options.source, names);
    this.#metadataMs = this.#clock.monotonicMs();
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    for (const copy of this.#partitions.values()) {
      const topic = byName.get(copy.place.topic);
      const leaderId = topic?.partitions[copy.place.partition]?.leaderId ?? -1;
      if (topic !== undefined) this.#checkIdentity(copy, topic);
      if (copy.leaderId !== leaderId) copy.isCompared = false;
      copy.leaderId = leaderId;
      if (leaderId === -1 && copy.stopped === undefined)
        copy.failed(
          topic === undefined
            ? 'the source has no such topic at the moment'
            : 'it has no leader at the source',
          this.#clock.monotonicMs(),
        );
    }
    const isLost = [...this.#partitions.values()].some(({ leaderId }) => leaderId === -1);
    // Without a pause, a partition without a leader would be asked for again and again.
    if (isLost) this.#later(firstLookAgainMs, () => this.#moved());
  }

  #checkIdentity(copy: PartitionCopy, topic: SourceTopic): void {
    if (topic.topicId === null || copy.sourceTopicId === null || topic.topicId === copy.sourceTopicId) return;
    const verdict = findTruncation(
      { topicId: topic.topicId, logStart: 0, endOffset: copy.position },
      { topicId: copy.sourceTopicId, logStart: 0, nextOffset: copy.position },
    );
    if (verdict.kind === 'recreated') this.#stopPartition(copy, 'recreation', verdict.message);
  }

  #startLoops(): void {
    for (const { leaderId } of this.#partitions.values()) {
      if (leaderId === -1 || this.#loops.has(leaderId)) continue;
      const loop = this.#fetchFrom(leaderId).finally(() => this.#loops.delete(leaderId));
      this.#loops.set(leaderId, loop);
    }
  }

  /** Fetches from one broker as long as it leads partitions. */
  async #fetchFrom(brokerId: number): Promise<void> {
    let [isIdle, failureCount] = [false, 0];
    for (let turn = 0; !this.#stop.aborted; turn++) {
      const led = [...this.#partitions.values()].filter(({ leaderId }) => leaderId === brokerId);
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
        this.#moved();
        failureCount++;
        await pauseUnlessStopped(
          this.#clock,
          Math.min(sourcePauseMsMax, lookMs * 2 ** Math.min(failureCount - 1, 10)),
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
      if (!this.#isCurrent(one)) continue;
      const { copy } = one;
      const verdict = verdicts[index]!;
      if (verdict.kind === 'same') copy.isCompared = true;
      else if (verdict.kind === 'other') this.#stopPartition(copy, 'truncation', verdict.message);
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
      Math.min(fetchBytesMax, waitMs === 0 ? fetchedAnswerBytesMax : idleBytesMax),
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
    asked: readonly { readonly copy: PartitionCopy; readonly generation: number; readonly offset: number }[],
    release: (part: FetchedRaw) => void,
  ): Promise<void> {
    const byPlace = new Map(asked.map((one) => [placeKey(one.copy.place), one]));
    const [first] = asked;
    for (const refusal of refused) {
      const one = byPlace.get(placeKey(refusal));
      if (one !== undefined && this.#isCurrent(one)) this.#refused(one.copy, refusal);
    }
    for (const part of fetched) {
      const one = byPlace.get(placeKey(part))!;
      if (!this.#isCurrent(one)) {
        release(part);
        continue;
      }
      await this.#take(one.copy, part, one === first, () => release(part));
    }
  }

  /** Whether the copy did not go on elsewhere meanwhile. */
  #isCurrent(one: { readonly copy: PartitionCopy; readonly generation: number }): boolean {
    const { copy, generation } = one;
    return (
      copy.generation === generation &&
      copy.stopped === undefined &&
      this.#partitions.get(placeKey(copy.place)) === copy
    );
  }

  #refused(copy: PartitionCopy, { failure, message }: RefusedFetch): void {
    const nowMs = this.#clock.monotonicMs();
    switch (failure) {
      case 'moved':
        copy.isCompared = false;
        copy.failed(message, nowMs);
        this.#moved();
        return;
      case 'out-of-range':
        this.#doWith(copy, () => this.#lookAt(copy, undefined));
        return;
      case 'gone':
        copy.isCompared = false;
        copy.failed(message, nowMs);
        this.#moved();
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
      this.#doWith(copy, () => this.#lookAt(copy, diverging));
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
        await this.#submit(copy, tail, () => budget.release(tail.length));
      }
      return;
    }
    copy.emptyCount = 0;
    await this.#submit(copy, records, release);
  }

  /** Begins to append what was fetched. The bytes are released once it is stored. */
  async #submit(copy: PartitionCopy, records: Buffer, release: () => void): Promise<void> {
    const { pipelineId, destination } = this.#options;
    const expectedOffset = copy.position;
    const walk = await walkAnswer(records, { expectedOffset, clock: this.#clock });
    if (walk.problem !== undefined && walk.batches.length === 0)
      this.#stopPartition(copy, 'partition_stopped', walk.problem.message);
    copy.bytesMax = undefined;
    if (walk.wantedBytes !== undefined) this.#wantMore(copy, walk.wantedBytes);
    if (walk.byteLength > migrationLimits.copiedPartBytesMax) {
      const { copiedPartBytesMax } = migrationLimits;
      this.#stopPartition(
        copy,
        'partition_stopped',
        `the batch at offset ${walk.batches[0]!.baseOffset} has ${walk.byteLength} bytes, and ${copiedPartBytesMax} can be copied`,
      );
      release();
      return;
    }
    if (walk.batches.length === 0) {
      release();
      return;
    }
    copy.position = walk.nextOffset;
    copy.lastEpoch = walk.lastEpoch;
    copy.appendCount++;
    const { generation } = copy;
    const appended = destination.append({
      pipelineId,
      topicId: copy.topicId,
      partition: copy.place.partition,
      expectedOffset,
      batches: walk.batches,
      slices: walk.slices,
      byteLength: walk.byteLength,
      nextOffset: walk.nextOffset,
    });
    this.#watch(
      appended.then((outcome) => {
        release();
        copy.appendCount--;
        if (copy.generation === generation) this.#appended(copy, walk, outcome);
      }),
    );
  }

  #wantMore(copy: PartitionCopy, bytes: number): void {
    if (bytes > migrationLimits.copiedPartBytesMax)
      this.#stopPartition(
        copy,
        'partition_stopped',
        `the batch at offset ${copy.position} has ${bytes} bytes, and ${migrationLimits.copiedPartBytesMax} can be copied`,
      );
    else copy.bytesMax = bytes;
  }

  #appended(copy: PartitionCopy, walk: Walk, outcome: CopyOutcome): void {
    const { onCopied } = this.#options;
    if (outcome.error === 'NONE') {
      copy.worked();
      const records = walk.batches.reduce((sum, { recordCount }) => sum + recordCount, 0);
      this.#ratesOf(copy.topicName).add(walk.byteLength, records);
      onCopied(copy.topicName, walk.byteLength, records);
      if (walk.problem !== undefined) this.#stopPartition(copy, 'partition_stopped', walk.problem.message);
      return;
    }
    // Appends behind this one fail too, and say nothing new.
    copy.generation++;
    this.#doWith(copy, async () => {
      while (copy.appendCount > 0 && !this.#stop.aborted)
        await pauseUnlessStopped(this.#clock, notDueMs, this.#stop);
      this.#goOnAfter(copy, outcome);
    });
  }

  #goOnAfter(copy: PartitionCopy, outcome: Exclude<CopyOutcome, { error: 'NONE' }>): void {
    const nowMs = this.#clock.monotonicMs();
    const { destination } = this.#options;
    const known = destination.endOffset(copy.topicId, copy.place.partition);
    const next = outcome.nextOffset >= 0 ? outcome.nextOffset : known;
    if (next !== undefined) copy.goOnAt(next);
    switch (outcome.error) {
      case 'END_CHANGED':
        // Another agent copied it, or an answer of the leader was lost.
        copy.failed(outcome.message, nowMs);
        copy.error = undefined;
        return;
      default:
        // A topic that is handed over or gone leaves the view soon, and the partition with it.
        copy.failed(outcome.message, nowMs);
    }
  }

  /** Finds out why a source does not have the next offset. */
  async #lookAt(
    copy: PartitionCopy,
    diverging: { readonly epoch: number; readonly endOffset: number } | undefined,
  ): Promise<void> {
    const { source, destination } = this.#options;
    // What was fetched is stored first, so that the copy's end is known.
    while (copy.appendCount > 0 && !this.#stop.aborted)
      await pauseUnlessStopped(this.#clock, notDueMs, this.#stop);
    for (let doubt = 1; !this.#stop.aborted; doubt++) {
      const [ends] = await logEnds(source, [{ ...copy.place, leaderId: copy.leaderId }]);
      if (ends === undefined || 'failure' in ends) {
        copy.failed(ends?.message ?? 'the source does not answer', this.#clock.monotonicMs());
        this.#moved();
        return;
      }
      const verdict = findTruncation(
        { topicId: copy.sourceTopicId, logStart: ends.logStart, endOffset: ends.endOffset, diverging },
        {
          topicId: copy.sourceTopicId,
          logStart: 0,
          nextOffset: copy.position,
          lastEpoch: copy.lastEpoch,
        },
      );
      if (verdict.kind === 'intact') {
        copy.failed('the source does not have the next offset at the moment', this.#clock.monotonicMs());
        return;
      }
      if (verdict.kind === 'gap') {
        const [moved] = await destination.moveLogStarts([
          {
            topicId: copy.topicId,
            partition: copy.place.partition,
            logStartOffset: verdict.toOffset,
            endOffset: verdict.fromOffset,
          },
        ]);
        if (moved?.error === 'NONE')
          this.#options.onEvent({
            type: 'gap',
            level: 'warn',
            topic: copy.topicName,
            message: 'skipped records that the source deleted before they were copied',
            fields: {
              partition: copy.place.partition,
              from_offset: verdict.fromOffset,
              to_offset: verdict.toOffset,
            },
          });
        if (moved !== undefined && moved.nextOffset >= 0) copy.goOnAt(moved.nextOffset);
        if (moved?.error !== 'NONE')
          copy.failed(
            `the gap from offset ${verdict.fromOffset} cannot be noted: ${moved?.error ?? 'no answer'}`,
            this.#clock.monotonicMs(),
          );
        return;
      }
      // A new leader may not know the end of its log yet.
      if (doubt >= doubtsMax) {
        const type = verdict.kind === 'recreated' ? 'recreation' : 'truncation';
        this.#stopPartition(copy, type, verdict.message);
        return;
      }
      await pauseUnlessStopped(this.#clock, doubtPauseMs, this.#stop);
    }
  }

  #stopPartition(
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
  #doWith(copy: PartitionCopy, work: () => Promise<void>): void {
    copy.isBusy = true;
    this.#watch(
      work()
        .catch((error: unknown) => copy.failed(sourceProblem(error), this.#clock.monotonicMs()))
        .finally(() => {
          copy.isBusy = false;
        }),
    );
  }

  #watch(work: Promise<void>): void {
    const watched = work.finally(() => this.#under.delete(watched));
    this.#under.add(watched);
  }

  #later(delayMs: number, run: () => void): void {
    this.#watch(
      pauseUnlessStopped(this.#clock, delayMs, this.#stop).then(() => {
        if (!this.#stop.aborted) run();
      }),
    );
  }

  #ratesOf(topicName: string): CopyRates {
    const known = this.#rates.get(topicName);
    if (known !== undefined) return known;
    const rates = new CopyRates(this.#clock);
    this.#rates.set(topicName, rates);
    return rates;
  }
}

const notDueMs = 20;
const firstLookAgainMs = 1_000;
