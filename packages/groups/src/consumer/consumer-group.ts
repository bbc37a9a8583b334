import type { NamedBytes, Pattern, TopicReader, UsablePattern } from '@weir/cluster';
import type { AssignorName } from '../assignors/assignor.ts';
import { addTopic, ModernGroup, type ModernMember, type TopicsView } from '../modern/modern-group.ts';
import type { Holding } from './reconcile.ts';
import { readerMark, readSeenPattern, type SeenPattern } from './seen-pattern.ts';
import type { TopicVisibility } from './topic-visibilities.ts';

/** The epoch of a static member that left temporarily. */
export const awayEpoch = -2;

/** The subscription of a member. */
export interface Subscription {
  /** Sorted and unique. */
  readonly names: readonly string[];
  /** Additional topics by pattern, as visible to its reader (seen-pattern.ts); empty for none. */
  readonly pattern: string;
}

/** The classic-protocol part of a classic member in a consumer group. */
export interface ClassicFace {
  readonly sessionTimeoutMs: number;
  /** In order of preference; only the first one applies. */
  readonly protocols: readonly NamedBytes[];
}

export interface ConsumerMember extends ModernMember {
  readonly instanceId: string | null;
  /** The time limit to give up partitions. */
  rebalanceTimeoutMs: number;
  /** The assignor that it requests. */
  assignor: AssignorName | null;
  classic: ClassicFace | null;
  /** Changed by `setSubscription` only. */
  subscription: Subscription;
  /** Changed by `setHolding` only. */
  holding: Holding;
  /** When it is removed unless it has given up its partitions or, as a classic member, joined or synced. */
  rebalanceDeadlineMs: number | undefined;
}

interface KnownPattern extends SeenPattern {
  /** The expression, independent of the reader. */
  readonly pattern: UsablePattern;
  memberCount: number;
  /**
   * Topics that match; until they are known, those of the pattern that this one replaced. Patterns with equal matches
   * (same visibility) share the set.
   */
  names: Set<string>;
  isMatched: boolean;
  /** The topics that the reader can see; `undefined` until needed. */
  visibility: TopicVisibility | undefined;
  /** Its source: a member; an earlier leader, which knew the matches; or before a change of the ACLs or topics. */
  origin: 'member' | 'leader' | 'before';
}

/** The cluster topics, for groups whose members subscribe by patterns. */
export interface MatchedTopicsView extends TopicsView {
  /** Compiles a client's expression; `busy` if that must wait. */
  compile(expression: string): Pattern | 'busy';
  /** The topics that a pattern matches; `undefined` if the group gets them later, by an event. */
  matching(groupId: string, expression: string, pattern: UsablePattern): Set<string> | undefined;
  /** Returns whether it matches a topic; `undefined` if patterns have used up their time and it must wait. */
  matchesNow(pattern: UsablePattern, name: string): boolean | undefined;
  measuredViewOf(reader: TopicReader | null): TopicVisibility;
}

/**
 * The state of a consumer group (KIP-848). The functions of this folder change it. The class maintains the values that
 * are derived from the members.
 */
export class ConsumerGroup extends ModernGroup<ConsumerMember> {
  assignor: AssignorName = 'uniform';
  /** The pause after a computation of the targets that the size of the group requires. */
  assignmentPauseMs = 0;
  readonly #staticMembers = new Map<string, string>();
  readonly #patterns = new Map<string, KnownPattern>();
  /** The owner of each partition. */
  readonly #owners = new Map<string, Map<number, string>>();
  #classicCount = 0;

  /** The number of members that use the classic protocol. */
  get classicCount(): number {
    return this.#classicCount;
  }

  get patterns(): ReadonlyMap<string, Readonly<KnownPattern>> {
    return this.#patterns;
  }

  member(memberId: string): ConsumerMember | undefined {
    return this.members.get(memberId);
  }

  staticMember(instanceId: string): ConsumerMember | undefined {
    const memberId = this.#staticMembers.get(instanceId);
    return memberId === undefined ? undefined : this.members.get(memberId);
  }

  ownerOf(topicId: string, partition: number): string | undefined {
    return this.#owners.get(topicId)?.get(partition);
  }

  /** `pattern` is the compiled pattern of the subscription; `undefined` if the subscription has none. */
  add(member: ConsumerMember, pattern: Pattern | undefined, isRestored = false): void {
    this.setMember(member);
    if (member.instanceId !== null) this.#staticMembers.set(member.instanceId, member.memberId);
    this.#countClassic(member.classic, 1);
    const origin = isRestored ? 'leader' : 'member';
    this.#subscribe(member.memberId, member.subscription, pattern, { names: new Set(), origin });
    this.#own(member);
  }

  remove(member: ConsumerMember): void {
    this.deleteMember(member);
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
    const visibility = view.measuredViewOf(readSeenPattern(subscription.pattern).reader);
    const namesBefore = this.#patterns.get(member.subscription.pattern)?.names ?? [];
    const names = new Set([...namesBefore].filter((name) => visibility.sees(name)));
    // Adds the new one first, so that a pattern that both contain is not dropped in between.
    this.#subscribe(member.memberId, subscription, pattern, { names, origin: 'member' });
    this.#unsubscribe(member.memberId, member.subscription);
    member.subscription = subscription;
  }

  override isSubscribedTo(name: string): boolean {
    if (super.isSubscribedTo(name)) return true;
    for (const { names } of this.#patterns.values()) if (names.has(name)) return true;
    return false;
  }

  override isConcernedBy(name: string): boolean {
    return this.isSubscribedTo(name) || this.#patterns.size > 0;
  }

  /**
   * Handles topics that were created or deleted. Patterns without time left are matched again later, in slices; until
   * then their old matches apply. Returns whether patterns that were matched again have news for members; the caller
   * detects other changes by the topics of the group.
   */
  matchTopics(view: MatchedTopicsView, changed: readonly string[]): boolean {
    const done = new Set<Set<string>>();
    const late = new Set<Set<string>>();
    let isWaiting = false;
    for (const known of this.#patterns.values()) {
      const { names, isMatched } = known;
      // The scan that will match it also receives the change.
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
    // A running scan continues; these patterns follow it.
    return isWaiting ? false : this.matchPatterns(view);
  }

  /** Matches patterns until one needs a scan in the background. Returns whether the result is new to members. */
  matchPatterns(view: MatchedTopicsView): boolean {
    const waiting = this.#patterns.values().filter(({ isMatched }) => !isMatched);
    const matched = new Map<string, Set<string>>();
    let hasNews = false;
    for (const known of [...waiting]) {
      if (matched.size === 0) this.#collectMatched(matched);
      known.visibility = view.measuredViewOf(known.reader);
      const key = matchKey(known);
      const names = matched.get(key) ?? view.matching(this.groupId, key, seenMatcher(known));
      if (names === undefined) break;
      matched.set(key, names);
      hasNews = setNames(known, names) || hasNews;
    }
    return hasNews;
  }

  /** Sets the result of a scan. Returns whether it is new to members. */
  setMatched(key: string, names: Set<string>): boolean {
    let hasNews = false;
    for (const known of this.#patterns.values()) {
      if (known.isMatched || known.visibility === undefined || matchKey(known) !== key) continue;
      hasNews = setNames(known, names) || hasNews;
    }
    return hasNews;
  }

  /**
   * Handles a change of topic ACLs: patterns whose visibility changed are matched again; until then their old matches
   * apply.
   */
  invalidateMatches(view: MatchedTopicsView): void {
    for (const known of this.#patterns.values()) {
      if (known.visibility === undefined || view.measuredViewOf(known.reader).key === known.visibility.key)
        continue;
      known.visibility = undefined;
      if (known.isMatched) known.origin = 'before';
      known.isMatched = false;
    }
  }

  isMatched(pattern: string): boolean {
    return this.#patterns.get(pattern)?.isMatched ?? true;
  }

  /** Returns the compiled form of an expression that a member already uses. */
  compiled(expression: string): UsablePattern | undefined {
    for (const known of this.#patterns.values()) if (known.expression === expression) return known.pattern;
    return undefined;
  }

  /** Equal for patterns with equal matches. */
  matchKeyOf(pattern: string): string {
    const known = this.#patterns.get(pattern);
    return known?.isMatched === true ? matchKey(known) : pattern;
  }

  /**
   * Whether the leader is new and does not know the matches of patterns yet; until then all members retain their
   * assignment.
   */
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

  override findTopics(view: TopicsView): Map<string, number> {
    const found = super.findTopics(view);
    const sets = new Set(this.#patterns.values().map(({ names }) => names));
    for (const names of sets) for (const name of names) addTopic(found, view, name);
    return found;
  }

  #collectMatched(matched: Map<string, Set<string>>): void {
    for (const known of this.#patterns.values())
      if (known.isMatched) matched.set(matchKey(known), known.names);
  }

  #countClassic(classic: ClassicFace | null, difference: 1 | -1): void {
    if (classic === null) return;
    this.#classicCount += difference;
    this.addChars(difference * bytesOf(classic));
  }

  #subscribe(
    memberId: string,
    { names, pattern: seen }: Subscription,
    pattern: Pattern | undefined,
    until: Pick<KnownPattern, 'names' | 'origin'>,
  ): void {
    this.countSubscription(memberId, names, 1);
    this.addChars(seen.length);
    const known = this.#patterns.get(seen);
    if (known !== undefined) known.memberCount++;
    else if (pattern?.problem === undefined && pattern !== undefined) {
      const fresh = { memberCount: 1, isMatched: false, visibility: undefined, ...until };
      this.#patterns.set(seen, { ...readSeenPattern(seen), pattern, ...fresh });
    }
  }

  #unsubscribe(memberId: string, { names, pattern: seen }: Subscription): void {
    this.countSubscription(memberId, names, -1);
    this.addChars(-seen.length);
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

  /** Skips partitions that another member has taken meanwhile. */
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

/** The key of a pattern's matches: the expression alone if its reader sees all topics. */
function matchKey({ expression, visibility }: KnownPattern): string {
  return visibility === undefined || visibility.key === ''
    ? expression
    : `${readerMark}${visibility.key}${readerMark}${expression}`;
}

/** Matches only visible topics. */
function seenMatcher({ pattern, visibility }: KnownPattern): UsablePattern {
  if (visibility === undefined || visibility.key === '') return pattern;
  return { ...pattern, matches: (name) => pattern.matches(name) && visibility.sees(name) };
}

/** Returns whether it finished. */
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

/** Returns whether the names are new to the members. */
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

export function bytesOf({ protocols }: ClassicFace): number {
  return protocols.reduce((sum, { name, metadata }) => sum + name.length + metadata.length, 0);
}
