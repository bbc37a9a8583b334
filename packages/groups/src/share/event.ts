import type { ModernHeartbeatAnswer, ShareHeartbeat } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import { type ModernEvents, type ModernRules, ModernStep } from '../modern/modern-step.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';

/** All inputs of a share group, with their answers. */
export interface ShareEvents extends ModernEvents {
  heartbeat: {
    readonly event: { readonly heartbeat: ShareHeartbeat };
    readonly answer: ModernHeartbeatAnswer;
  };
}

/** The processing of one event: the group, the time, and the effects so far. */
export class ShareStep extends ModernStep<ShareGroup, ModernRules, TopicsView> {
  /** Removed members whose records are released to others. */
  readonly gone: string[] = [];
  /** The group must be durable in its present state before the answer is sent. */
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
