import type { NamedBytes, Pattern, TopicReader, UsablePattern } from '@weir/cluster';
import type { AssignorName } from '../assignors/assignor.ts';
import { noPartitions, type TopicPartitions } from '../assignors/partitions.ts';
import type { Holding } from './reconcile.ts';
import { readerMark, readSeenPattern, type SeenPattern } from './seen-pattern.ts';
import type { TopicVisibility } from './topic-visibilities.ts';

/** The epoch of a static member that is away and will come back. */
export const awayEpoch = -2;

/** What a member says that it listens to. */
export interface Subscription {
  /** In order, each once. */
  readonly names: readonly string[];
  /** All topics that it matches, besides, as seen by somebody (seen-pattern.ts); empty for none. */
  readonly pattern: string;
}

/** A member that speaks the classic protocol, in a group that has changed to the new one. */
export interface ClassicFace {
  readonly sessionTimeoutMs: number;
  /** The preferred one first; it is the one that counts. */
  readonly protocols: readonly NamedBytes[];
}

export interface ConsumerMember {
  readonly memberId: string;
  readonly instanceId: string | null;
  rackId: string | null;
  clientId: string;
  clientHost: string;
  /** How long it may take to give partitions up. */
  rebalanceTimeoutMs: number;
  /** The assignor that it would like. */
  assignor: AssignorName | null;
  classic: ClassicFace | null;
  /** Changed by `setSubscription` only. */
  subscription: Subscription;
  /** Changed by `setHolding` only. */
  holding: Holding;
  /** When it counts as gone unless something is heard of it. */
  sessionDeadlineMs: number;
  /** When it counts as gone unless it has done what it was told: to give partitions up or, as a classic member, to join or sync. */
  rebalanceDeadlineMs: number | undefined;
}

interface KnownPattern extends SeenPattern {
  /** The expression, whoever looks. */
  readonly pattern: UsablePattern;
  memberCount: number;
  /**
   * Topics that it matches now; until that is known, those of the pattern whose place it took. Patterns that match the same because
   * they are seen alike share the set.
   */
  names: Set<string>;
  isMatched: boolean;
  /** What its member sees; `undefined` until somebody has to know. */
  sight: TopicVisibility | undefined;
  /**
   * Where it comes from: a member, an earlier leader, which knew what it matches, or from before the rules or the
   * topics were changed.
   */
  origin: 'member' | 'leader' | 'before';
}

/** The part of the cluster's topics that groups look at. */
export interface TopicsView {
  byName(name: string): { readonly topicId: string; readonly partitionCount: number } | undefined;
  /** `undefined` for one that is gone. */
  nameOf(topicId: string): string | undefined;
  names(): Iterable<string>;
}

/** The same for groups whose members subscribe by patterns. */
export interface MatchedTopicsView extends TopicsView {
  /** A pattern from what a client wrote; `busy` when that has to wait. */
  compile(expression: string): Pattern | 'busy';
  /** The topics that a pattern matches; `undefined` when a group is told later, by an event. */
  matching(groupId: string, expression: string, pattern: UsablePattern): Set<string> | undefined;
  /** Whether it matches one; `undefined` when patterns have taken so much time that this has to wait. */
  matchesNow(pattern: UsablePattern, name: string): boolean | undefined;
  measuredViewOf(reader: TopicReader | null): TopicVisibility;
}

/**
 * A group of the new protocol as data. Who changes it are the functions of this folder; what is here keeps what is derived from
 * the members in step with them.
 */
export class ConsumerGroup {
  readonly groupId: string;
  /** Rises with every change of members, subscriptions and topics. */
  epoch = 0;
  /** The epoch that the targets were computed for. */
  assignmentEpoch = 0;
  assignor: AssignorName = 'uniform';
  /** The topics that somebody listens to, with the numbers of their partitions, as of `epoch`. */
  topics: ReadonlyMap<string, number> = new Map();
  /** What each member is to have in the end. */
  targets = new Map<string, TopicPartitions>();
  /** Not before this are targets computed again: in large groups many changes share one computation. */
  nextAssignmentMs = Number.NEGATIVE_INFINITY;
  isDead = false;
  readonly #members = new Map<string, ConsumerMember>();
  readonly #staticMembers = new Map<string, string>();
  /** How many members name a topic. */
  readonly #listeners = new Map<string, number>();
  readonly #patterns = new Map<string, KnownPattern>();
  /** Who holds each partition. */
  readonly #owners = new Map<string, Map<number, string>>();
  #classicCount = 0;
  #textChars = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  /** In the order in which they came. */
  get members(): ReadonlyMap<string, ConsumerMember> {
    return this.#members;
  }

  /** Members that speak the classic protocol. */
  get classicCount(): number {
    return this.#classicCount;
  }

  /** What members say of themselves, by its length. */
  get textChars(): number {
    return this.#textChars;
  }

  get patterns(): ReadonlyMap<string, Readonly<KnownPattern>> {
    return this.#patterns;
  }

  member(memberId: string): ConsumerMember | undefined {
    return this.#members.get(memberId);
  }

  staticMember(instanceId: string): ConsumerMember | undefined {
    const memberId = this.#staticMembers.get(instanceId);
    return memberId === undefined ? undefined : this.#members.get(memberId);
  }

  targetOf(memberId: string): TopicPartitions {
    return this.targets.get(memberId) ?? noPartitions;
  }

  ownerOf(topicId: string, partition: number): string | undefined {
    return this.#owners.get(topicId)?.get(partition);
  }

  /** The pattern of the subscription has been compiled and is given with it, unless it is empty. */
  add(member: ConsumerMember, pattern: Pattern | undefined, isRestored = false): void {
    this.#members.set(member.memberId, member);
    if (member.instanceId !== null) this.#staticMembers.set(member.instanceId, member.memberId);
    this.#countClassic(member.classic, 1);
    const origin = isRestored ? 'leader' : 'member';
    this.#subscribe(member.memberId, member.subscription, pattern, { names: new Set(), origin });
    this.#own(member);
  }

  remove(member: ConsumerMember): void {
    this.#members.delete(member.memberId);
    const { instanceId } = member;
    if (instanceId !== null && this.#staticMembers.get(instanceId) === member.memberId) {
      this.#staticMembers.delete(instanceId);
    }
    this.#countClassic(member.classic, -1);
    this.#unsubscribe(member.memberId, member.subscription);
    this.#disown(member);
  }

  setClassic(member: ConsumerMember, classic: ClassicFace | null): void {
    this.#countClassic(member.classic, -1);
    member.classic = classic;
    this.#countClassic(classic, 1);
  }

  setHolding(member: ConsumerMember, holding: Holding): void {
    this.#disown(member);
    member.holding = holding;
    this.#own(member);
  }

  setSubscription(
    member: ConsumerMember,
    subscription: Subscription,
    pattern: Pattern | undefined,
    view: MatchedTopicsView,
  ): void {
    const sight = view.measuredViewOf(readSeenPattern(subscription.pattern).reader);
    const namesBefore = this.#patterns.get(member.subscription.pattern)?.names ?? [];
    const names = new Set([...namesBefore].filter((name) => sight.sees(name)));
    // The new one first, so that a pattern that both have is not forgotten in between.
    this.#subscribe(member.memberId, subscription, pattern, { names, origin: 'member' });
    this.#unsubscribe(member.memberId, member.subscription);
    member.subscription = subscription;
  }

  isSubscribedTo(name: string): boolean {
    if (this.#listeners.has(name)) return true;
    for (const { names } of this.#patterns.values()) if (names.has(name)) return true;
    return false;
  }

  /** Whether the group has to look when this topic comes, grows or goes. */
  isConcernedBy(name: string): boolean {
    return this.isSubscribedTo(name) || this.#patterns.size > 0;
  }

  /**
   * Topics of these names came or went. Patterns for which there is no time now are matched anew, in slices; until then
   * what they matched counts. Says whether somebody listens to something new.
   */
  matchTopics(view: MatchedTopicsView, changed: readonly string[]): boolean {
    const done = new Set<Set<string>>();
    const late = new Set<Set<string>>();
    let isWaiting = false;
    for (const known of this.#patterns.values()) {
      const { names, isMatched } = known;
      // Whoever is about to match it has heard of the change too.
      if (!isMatched) isWaiting = true;
      if (!isMatched || done.has(names)) continue;
      done.add(names);
      if (!matchNames(view, known, changed)) late.add(names);
    }
    if (late.size === 0) return false;
    for (const known of this.#patterns.values()) {
      if (!known.isMatched || !late.has(known.names)) continue;
      known.isMatched = false;
      known.origin = 'before';
    }
    // A scan that is under way goes on; these follow it.
    return isWaiting ? false : this.matchPatterns(view);
  }

  /** Asks for the topics of patterns until an answer takes time. Says whether somebody listens to something new. */
  matchPatterns(view: MatchedTopicsView): boolean {
    const waiting = this.#patterns.values().filter(({ isMatched }) => !isMatched);
    const matched = new Map<string, Set<string>>();
    let hasNews = false;
    for (const known of [...waiting]) {
      if (matched.size === 0) this.#collectMatched(matched);
      known.sight = view.measuredViewOf(known.reader);
      const key = matchKey(known);
      const names = matched.get(key) ?? view.matching(this.groupId, key, seenMatcher(known));
      if (names === undefined) break;
      matched.set(key, names);
      hasNews = setNames(known, names) || hasNews;
    }
    return hasNews;
  }

  /** The answer to a question that took time. Says whether somebody listens to something new. */
  setMatched(key: string, names: Set<string>): boolean {
    let hasNews = false;
    for (const known of this.#patterns.values()) {
      if (known.isMatched || known.sight === undefined || matchKey(known) !== key) continue;
      hasNews = setNames(known, names) || hasNews;
    }
    return hasNews;
  }

  /** The rules about topics are others. What members see under them is asked for anew; until it is known the old counts. */
  lookAnew(view: MatchedTopicsView): void {
    for (const known of this.#patterns.values()) {
      if (known.sight === undefined || view.measuredViewOf(known.reader).key === known.sight.key) continue;
      known.sight = undefined;
      if (known.isMatched) known.origin = 'before';
      known.isMatched = false;
    }
  }

  isMatched(pattern: string): boolean {
    return this.#patterns.get(pattern)?.isMatched ?? true;
  }

  /** An expression that some member has brought already. */
  compiled(expression: string): UsablePattern | undefined {
    for (const known of this.#patterns.values()) if (known.expression === expression) return known.pattern;
    return undefined;
  }

  /** The same for patterns that match the same. */
  matchKeyOf(pattern: string): string {
    const known = this.#patterns.get(pattern);
    return known?.isMatched === true ? matchKey(known) : pattern;
  }

  /** Whether the leader is new and does not know yet what the group listens to; until then everybody keeps what they have. */
  get isHeld(): boolean {
    for (const { origin, isMatched } of this.#patterns.values())
      if (origin === 'leader' && !isMatched) return true;
    return false;
  }

  topicNames(subscription: Subscription): Set<string> {
    const names = new Set(subscription.names);
    const matched = this.#patterns.get(subscription.pattern)?.names;
    if (matched !== undefined) for (const name of matched) names.add(name);
    return names;
  }

  /** The topics that somebody listens to and that are there. */
  findTopics(view: TopicsView): Map<string, number> {
    const found = new Map<string, number>();
    const look = (name: string): void => {
      const topic = view.byName(name);
      if (topic !== undefined) found.set(topic.topicId, topic.partitionCount);
    };
    for (const name of this.#listeners.keys()) look(name);
    const sets = new Set(this.#patterns.values().map(({ names }) => names));
    for (const names of sets) for (const name of names) look(name);
    return found;
  }

  #collectMatched(matched: Map<string, Set<string>>): void {
    for (const known of this.#patterns.values())
      if (known.isMatched) matched.set(matchKey(known), known.names);
  }

  #countClassic(classic: ClassicFace | null, difference: 1 | -1): void {
    if (classic === null) return;
    this.#classicCount += difference;
    this.#textChars += difference * bytesOf(classic);
  }

  #subscribe(
    memberId: string,
    { names, pattern: seen }: Subscription,
    pattern: Pattern | undefined,
    until: Pick<KnownPattern, 'names' | 'origin'>,
  ): void {
    this.#textChars += charsOf(memberId, names, seen);
    for (const name of names) this.#listeners.set(name, (this.#listeners.get(name) ?? 0) + 1);
    const known = this.#patterns.get(seen);
    if (known !== undefined) known.memberCount++;
    else if (pattern?.problem === undefined && pattern !== undefined) {
      const fresh = { memberCount: 1, isMatched: false, sight: undefined, ...until };
      this.#patterns.set(seen, { ...readSeenPattern(seen), pattern, ...fresh });
    }
  }

  #unsubscribe(memberId: string, { names, pattern: seen }: Subscription): void {
    this.#textChars -= charsOf(memberId, names, seen);
    for (const name of names) {
      const count = this.#listeners.get(name)! - 1;
      if (count === 0) this.#listeners.delete(name);
      else this.#listeners.set(name, count);
    }
    const known = this.#patterns.get(seen);
    if (known !== undefined && --known.memberCount === 0) this.#patterns.delete(seen);
  }

  #own({ memberId, holding }: ConsumerMember): void {
    for (const partitions of [holding.assigned, holding.revoking]) {
      for (const [topicId, numbers] of partitions) {
        let owners = this.#owners.get(topicId);
        if (owners === undefined) {
          owners = new Map();
          this.#owners.set(topicId, owners);
        }
        for (const number of numbers) owners.set(number, memberId);
      }
    }
  }

  /** What somebody else has taken meanwhile stays theirs. */
  #disown({ memberId, holding }: ConsumerMember): void {
    for (const partitions of [holding.assigned, holding.revoking]) {
      for (const [topicId, numbers] of partitions) {
        const owners = this.#owners.get(topicId);
        if (owners === undefined) continue;
        for (const number of numbers) if (owners.get(number) === memberId) owners.delete(number);
        if (owners.size === 0) this.#owners.delete(topicId);
      }
    }
  }
}

/** What tells the matches of a pattern from those of others: who sees everything is told by the expression alone. */
function matchKey({ expression, sight }: KnownPattern): string {
  return sight === undefined || sight.key === ''
    ? expression
    : `${readerMark}${sight.key}${readerMark}${expression}`;
}

/** What matches, and is seen. */
function seenMatcher({ pattern, sight }: KnownPattern): UsablePattern {
  if (sight === undefined || sight.key === '') return pattern;
  return { ...pattern, matches: (name) => pattern.matches(name) && sight.sees(name) };
}

/** Says whether it came to the end. */
function matchNames(view: MatchedTopicsView, known: KnownPattern, changed: readonly string[]): boolean {
  const matcher = seenMatcher(known);
  const { names } = known;
  for (const name of changed) if (view.byName(name) === undefined) names.delete(name);
  for (const name of changed) {
    if (view.byName(name) === undefined || names.has(name)) continue;
    const isMatch = view.matchesNow(matcher, name);
    if (isMatch === undefined) return false;
    if (isMatch) names.add(name);
  }
  return true;
}

/** Says whether that is something new to its members. */
function setNames(known: KnownPattern, names: Set<string>): boolean {
  const before = known.names;
  known.names = names;
  known.isMatched = true;
  switch (known.origin) {
    case 'member':
      return true;
    case 'leader':
      return false;
    case 'before':
      return before.size !== names.size || !before.isSubsetOf(names);
  }
}

/** What a subscription costs. */
export function charsOf(memberId: string, names: readonly string[], pattern: string): number {
  return names.reduce((sum, name) => sum + name.length, memberId.length + pattern.length);
}

export function bytesOf({ protocols }: ClassicFace): number {
  return protocols.reduce((sum, { name, metadata }) => sum + name.length + metadata.length, 0);
}
