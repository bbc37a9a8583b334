import type { Clock } from '@weir/core';
import { placeKey } from '../../source/place-key.ts';
import { type SourceTopic, sourceTopics } from '../../source/source-topics.ts';
import { findTruncation } from '../../truncation/find-truncation.ts';
import { PartitionCopy } from './partition-copy.ts';
import type { SlotCopyOptions } from './slot-options.ts';
import type { SlotWork } from './slot-work.ts';

/** How often leaders are looked for if nothing moved. */
const metadataMsMax = 30_000;
const firstLookAgainMs = 1_000;

/** A copy as it was when something was asked about it. */
export interface AskedCopy {
  readonly copy: PartitionCopy;
  readonly generation: number;
}

interface SlotPartitionsOptions {
  readonly slot: SlotCopyOptions;
  readonly work: SlotWork;
  readonly onMoved: () => void;
}

/** The partitions of a slot, and their leaders at the source. */
export class SlotPartitions {
  readonly #options: SlotCopyOptions;
  readonly #work: SlotWork;
  readonly #onMoved: () => void;
  readonly #clock: Clock;
  /** By place at the source. */
  readonly #byPlace = new Map<string, PartitionCopy>();
  #isMoved = true;
  #metadataMs = Number.NEGATIVE_INFINITY;

  constructor({ slot, work, onMoved }: SlotPartitionsOptions) {
    this.#options = slot;
    this.#work = work;
    this.#onMoved = onMoved;
    this.#clock = slot.clock;
  }

  all(): readonly PartitionCopy[] {
    return [...this.#byPlace.values()];
  }

  ledBy(brokerId: number): readonly PartitionCopy[] {
    return this.all().filter(({ leaderId }) => leaderId === brokerId);
  }

  /** A leader may be another one now. */
  moved(): void {
    this.#isMoved = true;
    this.#onMoved();
  }

  /** Whether the copy did not go on elsewhere meanwhile. */
  isCurrent({ copy, generation }: AskedCopy): boolean {
    return (
      copy.generation === generation &&
      copy.stopped === undefined &&
      this.#byPlace.get(placeKey(copy.place)) === copy
    );
  }

  /** Follows topics and partitions that appear, and those that are handed over or gone. */
  follow(): void {
    const { destination, isMine } = this.#options;
    const wanted = new Set<string>();
    for (const topic of destination.managedTopics()) {
      if (topic.state === 'MIGRATED') continue;
      for (let partition = 0; partition < topic.partitionCount; partition++) {
        if (!isMine(topic.topicId, partition)) continue;
        const key = placeKey({ topic: topic.sourceTopic, partition });
        wanted.add(key);
        if (this.#byPlace.get(key)?.topicId === topic.topicId) continue;
        const position = destination.endOffset(topic.topicId, partition);
        if (position === undefined) continue;
        this.#byPlace.set(key, new PartitionCopy(topic, partition, position));
        this.#isMoved = true;
      }
    }
    for (const key of this.#byPlace.keys()) if (!wanted.has(key)) this.#byPlace.delete(key);
  }

  get needsMetadata(): boolean {
    if (this.#byPlace.size === 0) return false;
    return this.#isMoved || this.#clock.monotonicMs() - this.#metadataMs > metadataMsMax;
  }

  async findLeaders(): Promise<void> {
    this.#isMoved = false;
    const names = [...new Set(Array.from(this.#byPlace.values(), ({ place }) => place.topic))];
    const { topics } = await sourceTopics(this.#options.source, names);
    this.#metadataMs = this.#clock.monotonicMs();
    const byName = new Map(topics.map((topic) => [topic.name, topic]));
    for (const copy of this.#byPlace.values()) {
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
    const isLost = [...this.#byPlace.values()].some(({ leaderId }) => leaderId === -1);
    // Without a pause, a partition without a leader would be asked for again and again.
    if (isLost) this.#work.later(firstLookAgainMs, () => this.moved());
  }

  #checkIdentity(copy: PartitionCopy, topic: SourceTopic): void {
    if (topic.topicId === null || copy.sourceTopicId === null || topic.topicId === copy.sourceTopicId) return;
    const verdict = findTruncation(
      { topicId: topic.topicId, logStart: 0, endOffset: copy.position },
      { topicId: copy.sourceTopicId, logStart: 0, nextOffset: copy.position },
    );
    if (verdict.kind === 'recreated') this.#work.stopPartition(copy, 'recreation', verdict.message);
  }
}
