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

/** All inputs of a group, with their answers. */
interface ConsumerEvents {
  heartbeat: {
    readonly event: {
      readonly heartbeat: ConsumerHeartbeat;
      /** A unique new id, for a member without one. */
      readonly freshMemberId: string;
    };
    readonly answer: ConsumerHeartbeatAnswer;
  };
  /** Requests of classic members. */
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
  /** Topics of these names were created, grown or deleted; `undefined` if a new leader must check all topics. */
  topics: { readonly event: { readonly names: readonly string[] | undefined }; readonly answer: undefined };
  /** A pattern scan has finished. */
  matched: {
    readonly event: { readonly expression: string; readonly names: Set<string> };
    readonly answer: undefined;
  };
  /** The topic visibility may have changed. */
  rules: { readonly event: object; readonly answer: undefined };
  delete: { readonly event: object; readonly answer: GroupError };
  /** A deadline may have passed. */
  tick: { readonly event: object; readonly answer: undefined };
}

export type ConsumerEventKind = keyof ConsumerEvents;

export type ConsumerEvent<Kind extends ConsumerEventKind> = {
  readonly kind: Kind;
} & ConsumerEvents[Kind]['event'];

export type ConsumerAnswer<Kind extends ConsumerEventKind> = ConsumerEvents[Kind]['answer'];

/** The output of an event. All of it must be durable before the answer is sent. */
export interface ConsumerEffects<Answer> {
  readonly answer: Answer;
  /** Members to write, or to remove. */
  readonly changed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  /** The group entry must be written. */
  readonly isGroupChanged: boolean;
  /** The earliest deadline that this event set. Infinite if it set none. */
  readonly soonestMs: number;
}

/** Configuration and limits. */
export interface ConsumerRules {
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly groupSizeMax: number;
  /** The limit of topic names in a subscription. */
  readonly subscribedNamesMax: number;
  /** The limit of the metadata of all members of a group. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
  /** For classic members. */
  readonly classicSessionTimeoutMsMin: number;
  readonly classicSessionTimeoutMsMax: number;
  readonly memberProtocolsMax: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
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

  /** Schedules a wake-up of the group after the delay. */
  deadline(delayMs: number): number {
    return this.wakeAt(this.nowMs + delayMs);
  }

  wakeAt(atMs: number): number {
    if (atMs < this.soonestMs) this.soonestMs = atMs;
    return atMs;
  }

  /** Extends the session of the member. */
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

  /** Raises the epoch after a change of members, subscriptions or topics, so that targets are computed again. */
  bump(): void {
    const { group } = this;
    group.epoch++;
    if (!group.isHeld) group.topics = group.findTopics(this.topics);
    this.isGroupChanged = true;
  }
}
