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
import {
  type AnswerOf,
  type EventOf,
  type ModernEvents,
  type ModernRules,
  ModernStep,
} from '../modern/modern-step.ts';
import type { ConsumerGroup, ConsumerMember, MatchedTopicsView } from './consumer-group.ts';

/** All inputs of a group, with their answers. */
export interface ConsumerEvents extends ModernEvents {
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
  /** A pattern scan has finished. */
  matched: {
    readonly event: { readonly expression: string; readonly names: Set<string> };
    readonly answer: undefined;
  };
  /** The topic visibility may have changed. */
  rules: { readonly event: object; readonly answer: undefined };
}

export type ConsumerEventKind = keyof ConsumerEvents;

export type ConsumerEvent<Kind extends ConsumerEventKind> = EventOf<ConsumerEvents, Kind>;

export type ConsumerAnswer<Kind extends ConsumerEventKind> = AnswerOf<ConsumerEvents, Kind>;

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
export interface ConsumerRules extends ModernRules {
  /** For classic members. */
  readonly classicSessionTimeoutMsMin: number;
  readonly classicSessionTimeoutMsMax: number;
  readonly memberProtocolsMax: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
export class ConsumerStep extends ModernStep<ConsumerGroup, ConsumerRules, MatchedTopicsView> {
  readonly changed = new Set<string>();
  readonly removed = new Set<string>();
  isGroupChanged = false;

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
