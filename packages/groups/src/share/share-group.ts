import { noPartitions, type TopicPartitions } from '../assignors/partitions.ts';
import type { TopicsView } from '../consumer/consumer-group.ts';

export interface ShareMember {
  readonly memberId: string;
  rackId: string | null;
  clientId: string;
  clientHost: string;
  /** Sorted and unique. Changed by `setNames` only. */
  names: readonly string[];
  /**
   * The last epoch sent to it, and the one before; `undefined` after a failover, when any epoch of the group is valid.
   */
  epoch: number | undefined;
  previousEpoch: number;
  /** The last assignment sent to it. */
  sentAssignment: TopicPartitions | undefined;
  /** When its session expires unless it sends a request. */
  sessionDeadlineMs: number;
}

/**
 * The state of a share group: its members and targets. Partitions are shared, so no member has to revoke before another
 * one gets a partition: a target applies as soon as the member receives it.
 */
export class ShareGroup {
  readonly groupId: string;
  /** Incremented by every change of members, subscriptions and topics. Targets are computed at once. */
  epoch = 0;
  /** Subscribed topics with their partition counts, as of `epoch`. */
  topics: ReadonlyMap<string, number> = new Map();
  targets: ReadonlyMap<string, TopicPartitions> = new Map();
  isDead = false;
  readonly #members = new Map<string, ShareMember>();
  /** The number of members that subscribe to a topic. */
  readonly #listeners = new Map<string, number>();
  #textChars = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  get members(): ReadonlyMap<string, ShareMember> {
    return this.#members;
  }

  /** The size of all member metadata, in characters. */
  get textChars(): number {
    return this.#textChars;
  }

  targetOf(memberId: string): TopicPartitions {
    return this.targets.get(memberId) ?? noPartitions;
  }

  isSubscribedTo(name: string): boolean {
    return this.#listeners.has(name);
  }

  add(member: ShareMember): void {
    this.#members.set(member.memberId, member);
    this.#listen(member, 1);
  }

  remove(member: ShareMember): void {
    this.#members.delete(member.memberId);
    this.#listen(member, -1);
  }

  setNames(member: ShareMember, names: readonly string[]): void {
    this.#listen(member, -1);
    member.names = names;
    this.#listen(member, 1);
  }

  /** Returns the subscribed topics that exist. */
  findTopics(view: TopicsView): Map<string, number> {
    const found = new Map<string, number>();
    for (const name of this.#listeners.keys()) {
      const topic = view.byName(name);
      if (topic !== undefined) found.set(topic.topicId, topic.partitionCount);
    }
    return found;
  }

  #listen({ memberId, names }: ShareMember, difference: 1 | -1): void {
    this.#textChars += difference * charsOf(memberId, names);
    for (const name of names) {
      const count = (this.#listeners.get(name) ?? 0) + difference;
      if (count === 0) this.#listeners.delete(name);
      else this.#listeners.set(name, count);
    }
  }
}

/** The size of a member's metadata, in characters. */
export function charsOf(memberId: string, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, memberId.length);
}
