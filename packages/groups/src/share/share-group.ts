import { noPartitions, type TopicPartitions } from '../assignors/partitions.ts';
import type { TopicsView } from '../consumer/consumer-group.ts';

export interface ShareMember {
  readonly memberId: string;
  rackId: string | null;
  clientId: string;
  clientHost: string;
  /** In order, each once. Changed by `setNames` only. */
  names: readonly string[];
  /** What it was told last, and before that; `undefined` after a failover, when any epoch of the group will do. */
  epoch: number | undefined;
  previousEpoch: number;
  /** What it was told last. */
  told: TopicPartitions | undefined;
  /** When it counts as gone unless something is heard of it. */
  sessionDeadlineMs: number;
}

/**
 * A share group as data: its members and what they are to read. Nobody has to give anything up before somebody else gets it, so
 * that a member has what it is to have as soon as it hears of it.
 */
export class ShareGroup {
  readonly groupId: string;
  /** Rises with every change of members, subscriptions and topics. Targets are computed at once. */
  epoch = 0;
  /** The topics that somebody listens to, with the numbers of their partitions, as of `epoch`. */
  topics: ReadonlyMap<string, number> = new Map();
  targets: ReadonlyMap<string, TopicPartitions> = new Map();
  isDead = false;
  readonly #members = new Map<string, ShareMember>();
  /** How many members name a topic. */
  readonly #listeners = new Map<string, number>();
  #textChars = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  get members(): ReadonlyMap<string, ShareMember> {
    return this.#members;
  }

  /** What members say of themselves, by its length. */
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

  /** The topics that somebody listens to and that are there. */
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

/** What a member costs. */
export function charsOf(memberId: string, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + name.length, memberId.length);
}
