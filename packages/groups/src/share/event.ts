import type { ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import {
  type AnswerOf,
  type EventOf,
  type ModernEvents,
  type ModernRules,
  ModernStep,
} from '../modern/modern-step.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';

/** All inputs of a share group, with their answers. */
export interface ShareEvents extends ModernEvents {
  heartbeat: {
    readonly event: { readonly heartbeat: ShareHeartbeat };
    readonly answer: ShareHeartbeatAnswer;
  };
}

export type ShareEventKind = keyof ShareEvents;

export type ShareEvent<Kind extends ShareEventKind> = EventOf<ShareEvents, Kind>;

export type ShareAnswer<Kind extends ShareEventKind> = AnswerOf<ShareEvents, Kind>;

/** The output of an event. */
export interface ShareEffects<Answer> {
  readonly answer: Answer;
  /** The group must be durable in its present state before the answer is sent. */
  readonly isChanged: boolean;
  /** Removed members whose records are released to others. */
  readonly gone: readonly string[];
  /** The earliest deadline that this event set. Infinite if it set none. */
  readonly soonestMs: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
export class ShareStep extends ModernStep<ShareGroup, ModernRules, TopicsView> {
  readonly gone: string[] = [];
  isChanged = false;

  /** Extends the session of the member. */
  keepAlive(member: ShareMember): void {
    member.sessionDeadlineMs = this.deadline(this.rules.sessionTimeoutMs);
  }

  /** A member that leaves on its own retains its locks: its last acknowledgements may arrive after the leave. */
  remove(member: ShareMember, { keepsLocks }: { readonly keepsLocks: boolean }): void {
    this.group.remove(member);
    if (!keepsLocks) this.gone.push(member.memberId);
    this.bump();
  }

  /** Raises the epoch after a change of members, subscriptions or topics. `assignIfDue` computes the targets. */
  bump(): void {
    const { group, topics } = this;
    group.epoch++;
    group.topics = group.findTopics(topics);
    this.isChanged = true;
  }
}
