import type { TopicDescription } from '@weir/cluster';
import { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';
import { collisionKey } from './topic-name.ts';

/** A topic with its partitions. It has a number, because the journal names topics in every row of a commit. */
export interface Topic {
  /** Counted from 0 in the order of creation, and never used again. */
  readonly number: number;
  readonly partitions: PartitionLog[];
  /** What everybody is told about it. A change replaces it. */
  description: TopicDescription;
  /** When it was deleted. Its data is kept until it is removed. */
  deletedMs: number | undefined;
}

/** All topics of a cluster, those that are deleted but still held included. */
export class Topics {
  readonly #pool: PointerPool;
  readonly #heldIds = new Set<string>();
  readonly #byNumber = new Map<number, Topic>();
  readonly #liveById = new Map<string, Topic>();
  readonly #liveByName = new Map<string, Topic>();
  readonly #liveByCollisionKey = new Map<string, Topic>();
  #nextNumber = 0;
  #livePartitionCount = 0;
  #heldPartitionCount = 0;

  constructor(pool: PointerPool) {
    this.#pool = pool;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Topics that clients can see. */
  get liveCount(): number {
    return this.#liveById.size;
  }

  /** Partitions that clients can see. */
  get livePartitionCount(): number {
    return this.#livePartitionCount;
  }

  /** Those of deleted topics included. */
  get heldPartitionCount(): number {
    return this.#heldPartitionCount;
  }

  byId(topicId: string): Topic | undefined {
    return this.#liveById.get(topicId);
  }

  /** Whether a topic has this id, deleted ones included. */
  hasId(topicId: string): boolean {
    return this.#heldIds.has(topicId);
  }

  byName(name: string): Topic | undefined {
    return this.#liveByName.get(name);
  }

  /** The topic that has this name or one that metrics could not tell from it. */
  colliding(name: string): Topic | undefined {
    return this.#liveByCollisionKey.get(collisionKey(name));
  }

  /** Deleted topics too, until they are removed. */
  byNumber(number: number): Topic | undefined {
    return this.#byNumber.get(number);
  }

  /** In the order of creation. */
  live(): Iterable<Topic> {
    return this.#liveById.values();
  }

  /** In the order of creation, deleted ones included. */
  held(): Iterable<Topic> {
    return this.#byNumber.values();
  }

  create(description: TopicDescription): Topic {
    return this.restore(this.#nextNumber, description, undefined);
  }

  /** Takes a topic of a snapshot, in the order of numbers. */
  restore(number: number, description: TopicDescription, deletedMs: number | undefined): Topic {
    const topic: Topic = { number, partitions: [], description, deletedMs };
    this.#nextNumber = number + 1;
    this.#byNumber.set(number, topic);
    this.#heldIds.add(description.topicId);
    if (deletedMs === undefined) this.#addLive(topic);
    this.#addPartitions(topic);
    return topic;
  }

  /** The numbers that were given to topics that are gone are not given again either. */
  skipTo(nextNumber: number): void {
    this.#nextNumber = nextNumber;
  }

  growTo(topic: Topic, partitionCount: number): void {
    topic.description = { ...topic.description, partitionCount };
    this.#addPartitions(topic);
  }

  /** The name is free at once; the partitions stay until `remove`. */
  softDelete(topic: Topic, deletedMs: number): void {
    const { topicId, name } = topic.description;
    topic.deletedMs = deletedMs;
    this.#liveById.delete(topicId);
    this.#liveByName.delete(name);
    this.#liveByCollisionKey.delete(collisionKey(name));
    this.#livePartitionCount -= topic.partitions.length;
  }

  /** Brings a deleted topic back. Its name has to be free. */
  undelete(topic: Topic): void {
    topic.deletedMs = undefined;
    // Made anew, because they are in the order of creation.
    this.#liveById.clear();
    for (const held of this.#byNumber.values()) if (held.deletedMs === undefined) this.#addLive(held);
    this.#livePartitionCount += topic.partitions.length;
  }

  /** Forgets a deleted topic. What its partitions hold has been given back before. */
  remove(topic: Topic): void {
    this.#byNumber.delete(topic.number);
    this.#heldIds.delete(topic.description.topicId);
    this.#heldPartitionCount -= topic.partitions.length;
  }

  #addLive(topic: Topic): void {
    const { topicId, name } = topic.description;
    this.#liveById.set(topicId, topic);
    this.#liveByName.set(name, topic);
    this.#liveByCollisionKey.set(collisionKey(name), topic);
  }

  #addPartitions(topic: Topic): void {
    const { number, partitions, description, deletedMs } = topic;
    const added = description.partitionCount - partitions.length;
    for (let left = added; left > 0; left--) {
      partitions.push(new PartitionLog(number, description.topicId, partitions.length, this.#pool));
    }
    this.#heldPartitionCount += added;
    if (deletedMs === undefined) this.#livePartitionCount += added;
  }
}
