import { clusterLimits } from '@weir/cluster/limits';
import type { Clock, Log } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import { GroupSaver, type Submit } from '../../group-saver.ts';
import { WakeQueue } from '../../wake-queue.ts';
import type { ShareConfigs, ShareGroupRules } from '../share-configs.ts';
import { expire } from './acquire.ts';
import { PartitionKeeper } from './partition-keeper.ts';
import type { SharePartition } from './share-partition.ts';
import { SharePartitions } from './share-partitions.ts';
import type { StoredPartition } from './stored-partition.ts';

interface HostedPartitionsOptions {
  readonly machine: Pick<ClusterMachine, 'kv' | 'topicById'>;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly log: Log;
  readonly configs: ShareConfigs;
}

/**
 * The share partitions of a cluster with their background work: locks expire, changes become durable, waiting requests
 * are woken.
 */
export class HostedPartitions {
  readonly #options: HostedPartitionsOptions;
  readonly #partitions: SharePartitions;
  readonly #saver: GroupSaver;
  readonly #keeper: PartitionKeeper;
  readonly #locks: WakeQueue<StoredPartition>;
  #spanCount = 0;

  constructor(options: HostedPartitionsOptions) {
    const { machine, submit, clock, log } = options;
    this.#options = options;
    this.#partitions = new SharePartitions(machine.kv, log);
    this.#saver = new GroupSaver(submit, clock, log);
    this.#keeper = new PartitionKeeper(this.#saver, clock);
    this.#locks = new WakeQueue(clock, (kept) => this.#expireLocks(kept));
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
  keep(kept: StoredPartition): Promise<void> {
    this.#note(kept);
    return this.#keeper.keep(kept);
  }

  /** For changes that no request waits for. */
  keepLater(kept: StoredPartition): void {
    this.#note(kept);
    this.#keeper.keepLater(kept);
  }

  erase(gone: readonly StoredPartition[]): Promise<void> {
    for (const kept of gone) this.#drop(kept);
    return this.#keeper.erase(gone);
  }

  forgetTopic(topicId: string): void {
    this.erase(this.#partitions.ofTopic(topicId)).catch(() => {});
  }

  /** Stops the growth of windows while all of them together are too large. */
  rules(groupId: string): ShareGroupRules {
    const rules = this.#options.configs.rules(groupId);
    return this.#spanCount < clusterLimits.shareSpansMax ? rules : { ...rules, windowMax: 0 };
  }

  #expireLocks(kept: StoredPartition): number {
    if (kept.isGone) return Number.POSITIVE_INFINITY;
    const nowMs = this.#options.clock.monotonicMs();
    if (expire(kept.state, nowMs, this.rules(kept.groupId))) this.keepLater(kept);
    // Also needed if an acquire request noticed the expiry before and did not take all records.
    kept.wakeWaiting();
    return kept.state.nextDeadlineMs;
  }

  #note(kept: StoredPartition): void {
    if (kept.isGone) return;
    const spanCount = kept.state.spans.length;
    this.#spanCount += spanCount - kept.countedSpans;
    kept.countedSpans = spanCount;
    this.#locks.wakeBy(kept, kept.state.nextDeadlineMs);
  }

  #drop(kept: StoredPartition): void {
    this.#partitions.remove(kept);
    this.#spanCount -= kept.countedSpans;
    kept.countedSpans = 0;
    kept.isGone = true;
    // Waiting requests must learn that it is gone.
    kept.wakeWaiting();
  }

  /** The previous leader may have ended between the deletion of a topic and that of its share partitions. */
  #forgetLostTopics(): void {
    const { machine } = this.#options;
    for (const topicId of [...this.#partitions.topicIds()]) {
      if (machine.topicById(topicId) === undefined) this.forgetTopic(topicId);
    }
  }
}
