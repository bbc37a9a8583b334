import type { Clock, Log } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import type { GroupConfigs } from '../../group-configs.ts';
import { GroupSaver, type Submit } from '../../group-saver.ts';
import { groupLimits } from '../../limits.ts';
import { WakeQueue } from '../../wake-queue.ts';
import type { ShareGroupRules } from '../share-configs.ts';
import { expire } from './acquire.ts';
import { PartitionKeeper } from './partition-keeper.ts';
import type { SharePartition } from './share-partition.ts';
import { SharePartitions } from './share-partitions.ts';
import type { StoredPartition } from './stored-partition.ts';

interface PartitionRuntimesOptions {
  readonly machine: Pick<ClusterMachine, 'kv' | 'topicById'>;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly log: Log;
  readonly configs: GroupConfigs<ShareGroupRules>;
}

/**
 * The share partitions of a cluster with their background work: locks expire, changes become durable, waiting requests
 * are woken.
 */
export class PartitionRuntimes {
  readonly #options: PartitionRuntimesOptions;
  readonly #partitions: SharePartitions;
  readonly #saver: GroupSaver;
  readonly #keeper: PartitionKeeper;
  readonly #locks: WakeQueue<StoredPartition>;
  #spanCount = 0;

  constructor(options: PartitionRuntimesOptions) {
    const { machine, submit, clock, log } = options;
    this.#options = options;
    this.#partitions = new SharePartitions(machine.kv, log);
    this.#saver = new GroupSaver(submit, clock, log);
    this.#keeper = new PartitionKeeper(this.#saver, clock);
    this.#locks = new WakeQueue(clock, (stored) => this.#expireLocks(stored));
    this.#forgetLostTopics();
  }

  close(): void {
    this.#locks.close();
    this.#keeper.close();
    this.#saver.close();
  }

  find(place: Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'>): StoredPartition | undefined {
    return this.#partitions.find(place);
  }

  ofGroup(groupId: string): StoredPartition[] {
    return this.#partitions.ofGroup(groupId);
  }

  ofTopic(topicId: string): StoredPartition[] {
    return this.#partitions.ofTopic(topicId);
  }

  ofLog(topicId: string, partition: number): ReadonlySet<StoredPartition> {
    return this.#partitions.ofLog(topicId, partition);
  }

  /** Starts a partition for a group, again if it exists; `undefined` if there are too many. The caller must save it. */
  begin(
    place: Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'>,
    state: SharePartition,
  ): StoredPartition | undefined {
    const before = this.#partitions.find(place);
    if (before === undefined && !this.#partitions.hasRoom) return undefined;
    if (before !== undefined) this.#drop(before);
    return this.#partitions.add(place, state);
  }

  /** Resolves when the partition is durable in its present state. */
  keep(stored: StoredPartition): Promise<void> {
    this.#note(stored);
    return this.#keeper.keep(stored);
  }

  /** For changes that no request waits for. */
  keepLater(stored: StoredPartition): void {
    this.#note(stored);
    this.#keeper.keepLater(stored);
  }

  erase(gone: readonly StoredPartition[]): Promise<void> {
    for (const stored of gone) this.#drop(stored);
    return this.#keeper.erase(gone);
  }

  forgetTopic(topicId: string): void {
    this.erase(this.#partitions.ofTopic(topicId)).catch(() => {});
  }

  /** Stops the growth of windows while all of them together are too large. */
  rules(groupId: string): ShareGroupRules {
    const rules = this.#options.configs.rules(groupId);
    return this.#spanCount < groupLimits.shareSpansMax ? rules : { ...rules, windowMax: 0 };
  }

  #expireLocks(stored: StoredPartition): number {
    if (stored.isGone) return Number.POSITIVE_INFINITY;
    const nowMs = this.#options.clock.monotonicMs();
    if (expire(stored.state, nowMs, this.rules(stored.groupId))) this.keepLater(stored);
    // Also needed if an acquire request noticed the expiry before and did not take all records.
    stored.wakeWaiting();
    return stored.state.nextDeadlineMs;
  }

  #note(stored: StoredPartition): void {
    if (stored.isGone) return;
    const spanCount = stored.state.spans.length;
    this.#spanCount += spanCount - stored.countedSpans;
    stored.countedSpans = spanCount;
    this.#locks.wakeBy(stored, stored.state.nextDeadlineMs);
  }

  #drop(stored: StoredPartition): void {
    this.#partitions.remove(stored);
    this.#spanCount -= stored.countedSpans;
    stored.countedSpans = 0;
    stored.isGone = true;
    // Waiting requests must learn that it is gone.
    stored.wakeWaiting();
  }

  /** The previous leader may have ended between the deletion of a topic and that of its share partitions. */
  #forgetLostTopics(): void {
    const { machine } = this.#options;
    for (const topicId of [...this.#partitions.topicIds()]) {
      if (machine.topicById(topicId) === undefined) this.forgetTopic(topicId);
    }
  }
}
