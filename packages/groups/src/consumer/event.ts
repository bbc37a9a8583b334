import type { ConsumerHeartbeat, ModernHeartbeatAnswer } from '@weir/cluster';
import type { ClassicRequests } from '../classic/event.ts';
import { type ModernEvents, type ModernRules, ModernStep } from '../modern/modern-step.ts';
import type { ConsumerGroup, ConsumerMember, MatchedTopicsView } from './consumer-group.ts';

/** All inputs of a group, with their answers. */
export interface ConsumerEvents extends ModernEvents {
  heartbeat: {
    readonly event: {
      readonly heartbeat: ConsumerHeartbeat;
      /** A unique new id, for a member without one. */
      readonly freshMemberId: string;
    };
    readonly answer: ModernHeartbeatAnswer;
  };
  classicJoin: ClassicRequests['join'];
  classicSync: ClassicRequests['sync'];
  classicHeartbeat: ClassicRequests['heartbeat'];
  classicLeave: ClassicRequests['leave'];
  /** A pattern scan has finished. */
  matched: {
    readonly event: { readonly expression: string; readonly names: Set<string> };
    readonly answer: undefined;
  };
  /** The topic visibility may have changed. */
  rules: { readonly event: object; readonly answer: undefined };
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
  /** Members to write, or to remove. */
  readonly changed = new Set<string>();
  readonly removed = new Set<string>();
  /** The group entry must be written. */
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
