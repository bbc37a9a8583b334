import type {
  ConsumerHeartbeat,
  ConsumerHeartbeatAnswer,
  GroupError,
  GroupHeartbeat,
  JoinGroupAnswer,
  JoinGroupRequest,
  LeavingMember,
  SyncGroupAnswer,
  SyncGroupRequest,
} from '@weir/cluster';
import type { ConsumerGroup, ConsumerMember, MatchedTopicsView } from './consumer-group.ts';

/** All that can happen to a group, and what the answer to it is. */
interface ConsumerEvents {
  heartbeat: {
    readonly event: {
      readonly heartbeat: ConsumerHeartbeat;
      /** An id that nobody ever had, for a member without one. */
      readonly freshMemberId: string;
    };
    readonly answer: ConsumerHeartbeatAnswer;
  };
  /** The requests of members that speak the classic protocol. */
  classicJoin: {
    readonly event: { readonly request: JoinGroupRequest; readonly freshMemberId: string };
    readonly answer: JoinGroupAnswer;
  };
  classicSync: { readonly event: { readonly request: SyncGroupRequest }; readonly answer: SyncGroupAnswer };
  classicHeartbeat: { readonly event: { readonly heartbeat: GroupHeartbeat }; readonly answer: GroupError };
  classicLeave: {
    readonly event: { readonly members: readonly LeavingMember[] };
    readonly answer: readonly GroupError[];
  };
  /** Topics of these names came, grew or went; `undefined` when anything may have happened before this leader. */
  topics: { readonly event: { readonly names: readonly string[] | undefined }; readonly answer: undefined };
  /** The topics that a pattern matches are known, which took a while. */
  matched: {
    readonly event: { readonly expression: string; readonly names: Set<string> };
    readonly answer: undefined;
  };
  /** Somebody may see other topics than before. */
  rules: { readonly event: object; readonly answer: undefined };
  delete: { readonly event: object; readonly answer: GroupError };
  /** Time has passed. */
  tick: { readonly event: object; readonly answer: undefined };
}

export type ConsumerEventKind = keyof ConsumerEvents;

export type ConsumerEvent<Kind extends ConsumerEventKind> = {
  readonly kind: Kind;
} & ConsumerEvents[Kind]['event'];

export type ConsumerAnswer<Kind extends ConsumerEventKind> = ConsumerEvents[Kind]['answer'];

/** What an event leads to outside of the group. All of it has to be durable before the answer leaves. */
export interface ConsumerEffects<Answer> {
  readonly answer: Answer;
  /** Members that have to be written, or removed. */
  readonly changed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  /** The group itself has to be written. */
  readonly isGroupChanged: boolean;
  /** Some of its deadlines was set to this, and none to an earlier time. Infinite when none was set. */
  readonly soonestMs: number;
}

/** What is configured, and the limits. */
export interface ConsumerRules {
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly groupSizeMax: number;
  /** Topics that one member may name. */
  readonly subscribedNamesMax: number;
  /** What all members of a group may say of themselves. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
  /** For members that speak the classic protocol. */
  readonly classicSessionTimeoutMsMin: number;
  readonly classicSessionTimeoutMsMax: number;
  readonly memberProtocolsMax: number;
}

/** One event being dealt with: the group, the time, and what it leads to so far. */
export class ConsumerStep {
  readonly group: ConsumerGroup;
  readonly nowMs: number;
  readonly rules: ConsumerRules;
  readonly topics: MatchedTopicsView;
  readonly changed = new Set<string>();
  readonly removed = new Set<string>();
  isGroupChanged = false;
  soonestMs = Number.POSITIVE_INFINITY;

  constructor(group: ConsumerGroup, nowMs: number, rules: ConsumerRules, topics: MatchedTopicsView) {
    this.group = group;
    this.nowMs = nowMs;
    this.rules = rules;
    this.topics = topics;
  }

  /** The group is to be woken after so long. */
  deadline(delayMs: number): number {
    return this.wakeAt(this.nowMs + delayMs);
  }

  wakeAt(atMs: number): number {
    if (atMs < this.soonestMs) this.soonestMs = atMs;
    return atMs;
  }

  /** The member shows that it lives. */
  keepAlive(member: ConsumerMember): void {
    member.sessionDeadlineMs = this.deadline(member.classic?.sessionTimeoutMs ?? this.rules.sessionTimeoutMs);
  }

  change(member: ConsumerMember): void {
    this.changed.add(member.memberId);
    this.removed.delete(member.memberId);
  }

  remove(member: ConsumerMember): void {
    const { group } = this;
    group.remove(member);
    group.targets.delete(member.memberId);
    this.removed.add(member.memberId);
    this.changed.delete(member.memberId);
    this.isGroupChanged = true;
  }

  /** Members, subscriptions or topics are not what they were: targets have to be computed anew. */
  bump(): void {
    const { group } = this;
    group.epoch++;
    if (!group.isHeld) group.topics = group.findTopics(this.topics);
    this.isGroupChanged = true;
  }
}
