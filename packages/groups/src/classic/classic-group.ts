import type { NamedBytes } from '@weir/cluster';

/**
 *     Empty ──join──▶ PreparingRebalance ──all joined, or time over──▶ CompletingRebalance ──leader assigned──▶ Stable
 *       ▲                │      ▲                                             │                                  │
 *       └──nobody left───┘      └────── somebody joins, leaves or falls silent, or the leader rejoins ───────────┘
 *
 * `Dead` is a group that was deleted while somebody still held it.
 */
const classicStates = ['Empty', 'PreparingRebalance', 'CompletingRebalance', 'Stable', 'Dead'] as const;

export type ClassicState = (typeof classicStates)[number];

/** Names a request that is answered later. */
export type Token = number;

export interface Member {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  clientId: string;
  clientHost: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  /** The preferred one first. Changed by `setProtocols` only. */
  protocols: readonly NamedBytes[];
  assignment: Uint8Array;
  /** The JoinGroup that waits. Changed by `setJoin` only. */
  join: Token | undefined;
  /** The SyncGroup that waits. */
  sync: Token | undefined;
  /** It has had no answer to a JoinGroup yet, and cannot send heartbeats. */
  isNew: boolean;
  /** The agent that passed its last JoinGroup on, if that is known. */
  agentId: string | undefined;
  /** When it counts as gone unless something is heard of it. */
  deadlineMs: number;
}

/** An id that was given out to a member that has not joined with it yet. */
interface PendingMember {
  /** Until when it may. */
  readonly deadlineMs: number;
  /** The agent that it asked for the id. */
  readonly agentId: string | undefined;
}

/** A rebalance that waits for members to join. */
interface Rebalance {
  deadlineMs: number;
  /** The first one of an empty group waits for more members, as long as more come and time is left. */
  readonly initial: { remainingMs: number; hasNewMember: boolean } | undefined;
}

export const noBytes = new Uint8Array(0);

/**
 * A classic group as data. Who changes it are the functions of this folder; what is here keeps what is derived from the members
 * in step with them, since a group may have thousands and counting them at every join would cost their square.
 */
export class ClassicGroup {
  readonly groupId: string;
  state: ClassicState = 'Empty';
  generationId = 0;
  /** What kind of members it has: `consumer`, `connect`; `null` for a group that never had any. */
  protocolType: string | null = null;
  /** The way to assign that all members know and most prefer. */
  protocolName: string | null = null;
  leaderId: string | null = null;
  /** Since when it has no members, by the time of the world. Set when that is made durable. */
  emptySinceMs: number | undefined;
  rebalance: Rebalance | undefined;
  /** When members that joined this generation and did not ask for their assignment are removed. */
  syncDeadlineMs: number | undefined;
  /** Those members. */
  readonly unsynced = new Set<string>();
  readonly pending = new Map<string, PendingMember>();
  readonly #members = new Map<string, Member>();
  readonly #staticMembers = new Map<string, string>();
  /** How many members know a protocol. */
  readonly #supporters = new Map<string, number>();
  #joinedCount = 0;
  #metadataBytes = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  /** In the order in which they came. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** Members whose JoinGroup waits. */
  get joinedCount(): number {
    return this.#joinedCount;
  }

  /** All that the members say of themselves. */
  get metadataBytes(): number {
    return this.#metadataBytes;
  }

  get hasAllJoined(): boolean {
    return this.#joinedCount === this.#members.size && this.pending.size === 0;
  }

  /** How long the slowest member may take to join. */
  get rebalanceTimeoutMs(): number {
    let longestMs = 0;
    for (const { rebalanceTimeoutMs } of this.#members.values()) {
      longestMs = Math.max(longestMs, rebalanceTimeoutMs);
    }
    return longestMs;
  }

  member(memberId: string): Member | undefined {
    return this.#members.get(memberId);
  }

  staticMemberId(groupInstanceId: string): string | undefined {
    return this.#staticMembers.get(groupInstanceId);
  }

  add(member: Member): void {
    this.#members.set(member.memberId, member);
    if (member.groupInstanceId !== null) this.#staticMembers.set(member.groupInstanceId, member.memberId);
    if (member.join !== undefined) this.#joinedCount++;
    this.#count(member.protocols, 1);
    this.leaderId ??= member.memberId;
  }

  /** The next member takes over from a leader. Whoever removes a member has answered what it waits for. */
  remove(member: Member): void {
    this.#members.delete(member.memberId);
    this.unsynced.delete(member.memberId);
    const { groupInstanceId } = member;
    if (groupInstanceId !== null && this.#staticMembers.get(groupInstanceId) === member.memberId) {
      this.#staticMembers.delete(groupInstanceId);
    }
    if (member.join !== undefined) this.#joinedCount--;
    this.#count(member.protocols, -1);
    if (this.leaderId === member.memberId) this.leaderId = this.#members.keys().next().value ?? null;
  }

  /** The same static member under another id. */
  replace(member: Member, memberId: string): Member {
    const wasLeader = this.leaderId === member.memberId;
    const wasUnsynced = this.unsynced.has(member.memberId);
    this.remove(member);
    const replacement = { ...member, memberId };
    this.add(replacement);
    if (wasLeader) this.leaderId = memberId;
    if (wasUnsynced) this.unsynced.add(memberId);
    return replacement;
  }

  setJoin(member: Member, join: Token | undefined): void {
    this.#joinedCount += (join === undefined ? 0 : 1) - (member.join === undefined ? 0 : 1);
    member.join = join;
  }

  setProtocols(member: Member, protocols: readonly NamedBytes[]): void {
    this.#count(member.protocols, -1);
    member.protocols = protocols;
    this.#count(protocols, 1);
  }

  /** Whether every member knows at least one of the protocols. */
  knowsOneOf(protocols: readonly NamedBytes[]): boolean {
    return protocols.some(({ name }) => this.#supporters.get(name) === this.#members.size);
  }

  /**
   * Every member votes for the one it likes best of those that all know. Of equally many votes the one counts that got its first
   * vote earlier.
   */
  selectProtocol(): string | null {
    const votes = new Map<string, number>();
    for (const { protocols } of this.#members.values()) {
      const liked = protocols.find(({ name }) => this.#supporters.get(name) === this.#members.size);
      if (liked !== undefined) votes.set(liked.name, (votes.get(liked.name) ?? 0) + 1);
    }
    let best: string | null = null;
    for (const [name, count] of votes) if (best === null || count > votes.get(best)!) best = name;
    return best;
  }

  #count(protocols: readonly NamedBytes[], difference: 1 | -1): void {
    for (const { name, metadata } of protocols) {
      const count = (this.#supporters.get(name) ?? 0) + difference;
      if (count > 0) this.#supporters.set(name, count);
      else this.#supporters.delete(name);
      this.#metadataBytes += difference * metadata.length;
    }
  }
}

export function metadataOf(member: Readonly<Member>, protocolName: string | null): Uint8Array {
  return member.protocols.find(({ name }) => name === protocolName)?.metadata ?? noBytes;
}
