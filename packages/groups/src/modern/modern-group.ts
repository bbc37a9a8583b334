import type { GroupError } from '@weir/cluster';
import { noPartitions, type TopicPartitions } from '../assignors/partitions.ts';

/** The part of the cluster topics that groups read. */
export interface TopicsView {
  byName(name: string): { readonly topicId: string; readonly partitionCount: number } | undefined;
  /** `undefined` for a deleted topic. */
  nameOf(topicId: string): string | undefined;
  names(): Iterable<string>;
}

export interface ModernMember {
  readonly memberId: string;
  rackId: string | null;
  clientId: string;
  clientHost: string;
  /** When its session expires unless it sends a request. */
  sessionDeadlineMs: number;
}

/**
 * The state that consumer and share groups have in common: members, their subscriptions by name, and targets. As in
 * Kafka, these are the modern groups: the coordinator assigns, and members learn their assignment by heartbeats.
 */
export class ModernGroup<Member extends ModernMember = ModernMember> {
  readonly groupId: string;
  /** Incremented by every change of members, subscriptions and topics. */
  epoch = 0;
  /** The epoch that `targets` were computed for. */
  assignmentEpoch = 0;
  /** When this leader computed `targets`. */
  assignedMs = Number.NEGATIVE_INFINITY;
  /** Subscribed topics with their partition counts, as of `epoch`. */
  topics: ReadonlyMap<string, number> = new Map();
  /** The target assignment of each member. */
  targets = new Map<string, TopicPartitions>();
  isDead = false;
  readonly #members = new Map<string, Member>();
  /** The number of members that subscribe to a topic by name. */
  readonly #listeners = new Map<string, number>();
  #textChars = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  /** In the order in which they joined. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** The size of all member metadata, in characters. */
  get textChars(): number {
    return this.#textChars;
  }

  /** The members whose deadline has passed. */
  expired(nowMs: number, deadlineMsOf: (member: Member) => number): Member[] {
    return Array.from(this.#members.values()).filter((member) => deadlineMsOf(member) <= nowMs);
  }

  /** The earliest deadline of a member; infinite without members. */
  soonestDeadlineMs(deadlineMsOf: (member: Member) => number): number {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const member of this.#members.values()) soonestMs = Math.min(soonestMs, deadlineMsOf(member));
    return soonestMs;
  }

  targetOf(memberId: string): TopicPartitions {
    return this.targets.get(memberId) ?? noPartitions;
  }

  isSubscribedTo(name: string): boolean {
    return this.#listeners.has(name);
  }

  /** Returns whether a new, grown or deleted topic of this name affects the group. */
  isConcernedBy(name: string): boolean {
    return this.isSubscribedTo(name);
  }

  /** Returns the subscribed topics that exist, with their partition counts. */
  findTopics(view: TopicsView): Map<string, number> {
    const found = new Map<string, number>();
    for (const name of this.#listeners.keys()) addTopic(found, view, name);
    return found;
  }

  /** Returns whether the subscribed topics differ from those of the present epoch. */
  hasOtherTopics(view: TopicsView): boolean {
    const found = this.findTopics(view);
    if (found.size !== this.topics.size) return true;
    for (const [topicId, count] of found) if (this.topics.get(topicId) !== count) return true;
    return false;
  }

  /** Ends a group without members. */
  delete(): GroupError {
    if (this.#members.size > 0) return 'NON_EMPTY_GROUP';
    this.isDead = true;
    return 'NONE';
  }

  protected setMember(member: Member): void {
    this.#members.set(member.memberId, member);
  }

  protected deleteMember(member: Member): void {
    this.#members.delete(member.memberId);
  }

  /** Counts a subscription (1), or no longer (-1). */
  protected countSubscription(memberId: string, names: readonly string[], difference: 1 | -1): void {
    this.addChars(difference * charsOf(memberId, names));
    for (const name of names) {
      const count = (this.#listeners.get(name) ?? 0) + difference;
      if (count === 0) this.#listeners.delete(name);
      else this.#listeners.set(name, count);
    }
  }

  protected addChars(difference: number): void {
    this.#textChars += difference;
  }
}

export function addTopic(topics: Map<string, number>, view: TopicsView, name: string): void {
  const topic = view.byName(name);
  if (topic !== undefined) topics.set(topic.topicId, topic.partitionCount);
}

/** The size of a subscription, in characters. */
export function charsOf(memberId: string, names: readonly string[], pattern = ''): number {
  return names.reduce((sum, name) => sum + name.length, memberId.length + pattern.length);
}
