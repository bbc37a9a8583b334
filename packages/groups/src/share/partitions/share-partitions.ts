import type { Log } from '@weir/core';
import { type KeyValueStore, UnreadableBytes } from '@weir/machine';
import { groupLimits } from '../../limits.ts';
import type { SharePartition } from './share-partition.ts';
import { placeOf, StoredPartition } from './stored-partition.ts';

type Place = Pick<StoredPartition, 'groupId' | 'topicId' | 'partition'>;

/** The share partitions of a cluster, by group and by topic. */
export class SharePartitions {
  readonly #log: Log;
  readonly #groups = new Map<string, Map<string, StoredPartition>>();
  /** By topic id and partition number. */
  readonly #topics = new Map<string, Map<number, Set<StoredPartition>>>();
  #count = 0;

  /** Indexes the stored partitions; each is read on first use. */
  constructor(kv: Pick<KeyValueStore, 'of'>, log: Log) {
    this.#log = log;
    for (const [key, value] of kv.of('sharePartition')) {
      const place = placeOf(key);
      if (place !== undefined) this.#enter(new StoredPartition(place, value));
    }
  }

  get hasRoom(): boolean {
    return this.#count < groupLimits.sharePartitionsMax;
  }

  find({ groupId, topicId, partition }: Place): StoredPartition | undefined {
    const stored = this.#groups.get(groupId)?.get(keyOf(topicId, partition));
    return stored === undefined || this.#isReadable(stored) ? stored : undefined;
  }

  add(place: Place, state: SharePartition): StoredPartition {
    const stored = new StoredPartition(place, state);
    this.#enter(stored);
    return stored;
  }

  remove(stored: StoredPartition): void {
    const { groupId, topicId, partition } = stored;
    const group = this.#groups.get(groupId);
    if (group?.get(keyOf(topicId, partition)) !== stored) return;
    group.delete(keyOf(topicId, partition));
    if (group.size === 0) this.#groups.delete(groupId);
    const topic = this.#topics.get(topicId)!;
    const log = topic.get(partition)!;
    log.delete(stored);
    if (log.size === 0) topic.delete(partition);
    if (topic.size === 0) this.#topics.delete(topicId);
    this.#count--;
  }

  ofGroup(groupId: string): StoredPartition[] {
    const group = this.#groups.get(groupId);
    return group === undefined ? [] : [...group.values()].filter((stored) => this.#isReadable(stored));
  }

  /** Of all groups, unread ones included. */
  ofTopic(topicId: string): StoredPartition[] {
    return Array.from(this.#topics.get(topicId)?.values() ?? [], (log) => [...log]).flat();
  }

  /** Of all groups that read one partition. */
  ofLog(topicId: string, partition: number): ReadonlySet<StoredPartition> {
    return this.#topics.get(topicId)?.get(partition) ?? none;
  }

  topicIds(): Iterable<string> {
    return this.#topics.keys();
  }

  #enter(stored: StoredPartition): void {
    const { groupId, topicId, partition } = stored;
    let group = this.#groups.get(groupId);
    if (group === undefined) {
      group = new Map();
      this.#groups.set(groupId, group);
    }
    group.set(keyOf(topicId, partition), stored);
    let topic = this.#topics.get(topicId);
    if (topic === undefined) {
      topic = new Map();
      this.#topics.set(topicId, topic);
    }
    let log = topic.get(partition);
    if (log === undefined) {
      log = new Set();
      topic.set(partition, log);
    }
    log.add(stored);
    this.#count++;
  }

  #isReadable(stored: StoredPartition): boolean {
    try {
      return stored.state !== undefined;
    } catch (error) {
      if (!(error instanceof UnreadableBytes)) throw error;
      this.#log.error('failed to read share partition, starting it anew', {
        groupId: stored.groupId,
        topicId: stored.topicId,
        partition: stored.partition,
        error: error.message,
      });
      this.remove(stored);
      return false;
    }
  }
}

const none: ReadonlySet<StoredPartition> = new Set();

function keyOf(topicId: string, partition: number): string {
  return `${topicId}/${partition}`;
}
