import { collisionKey, type TopicDescription } from '@weir/cluster';
import { PartitionLog } from '../log/partition-log.ts';
import type { PointerPool } from '../log/pointer-pool.ts';

/** A topic with its partitions. It has a number, because every row of a journaled commit refers to a topic. */
export interface Topic {
  /** From 0 in order of creation; never reused. */
  readonly number: number;
  readonly partitions: PartitionLog[];
  /** The public description. A change replaces the object. */
  description: TopicDescription;
  /** When it was deleted. Its data is retained until it is removed. */
  deletedMs: number | undefined;
}

/** All topics of a cluster, including deleted ones that are still held. */
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

  /** Number of topics visible to clients. */
  get liveCount(): number {
    return this.#liveById.size;
  }

  /** Number of partitions visible to clients. */
  get livePartitionCount(): number {
    return this.#livePartitionCount;
  }

  /** Including partitions of deleted topics. */
  get heldPartitionCount(): number {
    return this.#heldPartitionCount;
  }

  byId(topicId: string): Topic | undefined {
    return this.#liveById.get(topicId);
  }

  /** Returns whether a topic has this id, including deleted ones. */
  hasId(topicId: string): boolean {
    return this.#heldIds.has(topicId);
  }

  /** Includes deleted topics until they are removed. */
  heldById(topicId: string): Topic | undefined {
    const live = this.#liveById.get(topicId);
    if (live !== undefined || !this.#heldIds.has(topicId)) return live;
    for (const topic of this.#byNumber.values()) if (topic.description.topicId === topicId) return topic;
    return undefined;
  }

  byName(name: string): Topic | undefined {
    return this.#liveByName.get(name);
  }

  /** Returns the topic with this name or with one that is equal to it in metrics. */
  colliding(name: string): Topic | undefined {
    return this.#liveByCollisionKey.get(collisionKey(name));
  }

  /** Includes deleted topics until they are removed. */
  byNumber(number: number): Topic | undefined {
    return this.#byNumber.get(number);
  }

  /** Returns live topics in order of creation. */
  live(): Iterable<Topic> {
    return this.#liveById.values();
  }

  /** Returns all topics in order of creation, including deleted ones. */
  held(): Iterable<Topic> {
    return this.#byNumber.values();
  }

  create(description: TopicDescription): Topic {
    return this.restore(this.#nextNumber, description, undefined);
  }

  /** Restores a topic from a snapshot. Call it in order of numbers. */
  restore(number: number, description: TopicDescription, deletedMs: number | undefined): Topic {
    const topic: Topic = { number, partitions: [], description, deletedMs };
    this.#nextNumber = number + 1;
    this.#byNumber.set(number, topic);
    this.#heldIds.add(description.topicId);
    if (deletedMs === undefined) this.#addLive(topic);
    this.#addPartitions(topic);
    return topic;
  }

  /** Prevents reuse of the numbers of removed topics. */
  skipTo(nextNumber: number): void {
    this.#nextNumber = nextNumber;
  }

  growTo(topic: Topic, partitionCount: number): void {
    topic.description = { ...topic.description, partitionCount };
    this.#addPartitions(topic);
  }

  /** Deletes a topic: its name is free at once; its partitions stay until `remove`. */
  softDelete(topic: Topic, deletedMs: number): void {
    const { topicId, name } = topic.description;
    topic.deletedMs = deletedMs;
    this.#liveById.delete(topicId);
    this.#liveByName.delete(name);
    this.#liveByCollisionKey.delete(collisionKey(name));
    this.#livePartitionCount -= topic.partitions.length;
  }

  /** Restores a deleted topic. Its name must be free. */
  undelete(topic: Topic): void {
    topic.deletedMs = undefined;
    // Rebuilt to preserve the order of creation.
    this.#liveById.clear();
    for (const held of this.#byNumber.values()) if (held.deletedMs === undefined) this.#addLive(held);
    this.#livePartitionCount += topic.partitions.length;
  }

  /** Removes a deleted topic. The caller has already freed what its partitions held. */
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
