import type { NamedBytes } from '@weir/cluster';

/**
 *     Empty ──join──▶ PreparingRebalance ──all joined or timeout──▶ CompletingRebalance ──leader assigned──▶ Stable
 *       ▲                │       ▲                                        │                                     │
 *       └───no members───┘       └─────── a member joins or leaves ───────┴─────────────────────────────────────┘
 *
 * A member whose session expires counts as one that leaves. The leader starts a rebalance also when it rejoins. `Dead`
 * is a group that was deleted while a caller still held a reference to it.
 */
const classicStates = ['Empty', 'PreparingRebalance', 'CompletingRebalance', 'Stable', 'Dead'] as const;

export type ClassicState = (typeof classicStates)[number];

/** Identifies a request that is answered later. */
export type Token = number;

export interface Member {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  clientId: string;
  clientHost: string;
  sessionTimeoutMs: number;
  rebalanceTimeoutMs: number;
  /** In order of preference. Changed by `setProtocols` only. */
  protocols: readonly NamedBytes[];
  assignment: Uint8Array;
  /** The waiting JoinGroup. Changed by `setJoin` only. */
  join: Token | undefined;
  /** The waiting SyncGroup. */
  sync: Token | undefined;
  /** It has no answer to a JoinGroup yet, so it cannot send heartbeats. */
  isNew: boolean;
  /** The agent that forwarded its last JoinGroup, if known. */
  agentId: string | undefined;
  /** When its session expires unless it sends a request. */
  deadlineMs: number;
}

/** A member id that was assigned to a client that has not joined with it yet. */
interface PendingMember {
  /** When the id expires. */
  readonly deadlineMs: number;
  /** The agent that requested the id. */
  readonly agentId: string | undefined;
}

/** A rebalance that waits for members to join. */
interface Rebalance {
  deadlineMs: number;
  /** The first rebalance of an empty group waits for more members, while more join and time remains. */
  readonly initial: { remainingMs: number; hasNewMember: boolean } | undefined;
}

export const noBytes = new Uint8Array(0);

/**
 * The state of a classic group. The functions of this folder change it. The class maintains the values that are derived
 * from the members, because recounting thousands of members at every join would cost quadratic time.
 */
export class ClassicGroup {
  readonly groupId: string;
  state: ClassicState = 'Empty';
  generationId = 0;
  /** The protocol type of its members: `consumer`, `connect`; `null` for a group that never had members. */
  protocolType: string | null = null;
  /** The protocol that all members support and most prefer. */
  protocolName: string | null = null;
  leaderId: string | null = null;
  /** Since when it has no members, in wall-clock time. Set when the empty state becomes durable. */
  emptySinceMs: number | undefined;
  rebalance: Rebalance | undefined;
  /** When members that joined this generation but sent no SyncGroup are removed. */
  syncDeadlineMs: number | undefined;
  /** Members that `syncDeadlineMs` applies to. */
  readonly unsynced = new Set<string>();
  readonly pending = new Map<string, PendingMember>();
  readonly #members = new Map<string, Member>();
  readonly #staticMembers = new Map<string, string>();
  /** The number of members that support a protocol. */
  readonly #supporters = new Map<string, number>();
  #joinedCount = 0;
  #metadataBytes = 0;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  /** In the order in which they joined. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** The number of members whose JoinGroup waits. */
  get joinedCount(): number {
    return this.#joinedCount;
  }

  /** The size of the metadata of all members. */
  get metadataBytes(): number {
    return this.#metadataBytes;
  }

  get hasAllJoined(): boolean {
    return this.#joinedCount === this.#members.size && this.pending.size === 0;
  }

  /** The longest rebalance timeout of all members. */
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

  /**
   * If the member is the leader, the next member becomes the leader. The caller has already answered its waiting
   * requests.
   */
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

  /** Replaces the member id of a static member. */
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

  /** Returns whether all members support one of the protocols. */
  knowsOneOf(protocols: readonly NamedBytes[]): boolean {
    return protocols.some(({ name }) => this.#supporters.get(name) === this.#members.size);
  }

  /**
   * Every member votes for its most preferred protocol among those that all support. On a tie, the protocol that got
   * its first vote earlier wins.
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
