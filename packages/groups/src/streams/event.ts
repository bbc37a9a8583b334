import type { StreamsHeartbeat, StreamsHeartbeatAnswer } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import { type ModernEvents, type ModernRules, ModernStep } from '../modern/modern-step.ts';
import { configureTopology } from './configure-topology.ts';
import type { StreamsGroup, StreamsMember } from './streams-group.ts';

/** All inputs of a streams group, with their answers. */
export interface StreamsEvents extends ModernEvents {
  heartbeat: {
    readonly event: { readonly heartbeat: StreamsHeartbeat };
    readonly answer: StreamsHeartbeatAnswer;
  };
}

/** Configuration and limits. */
export interface StreamsRules extends ModernRules {
  readonly standbyCount: number;
  /** How long the first assignment waits for more members. */
  readonly initialDelayMs: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
export class StreamsStep extends ModernStep<StreamsGroup, StreamsRules, TopicsView> {
  /** Members to write, or to remove. */
  readonly changed = new Set<string>();
  readonly removed = new Set<string>();
  /** The group entry must be written. */
  isGroupChanged = false;

  /** Extends the session of the member. */
  keepAlive(member: StreamsMember): void {
    member.sessionDeadlineMs = this.deadline(this.rules.sessionTimeoutMs);
  }

  change(member: StreamsMember): void {
    this.changed.add(member.memberId);
    this.removed.delete(member.memberId);
  }

  remove(member: StreamsMember): void {
    this.group.remove(member);
    this.removed.add(member.memberId);
    this.changed.delete(member.memberId);
    this.isGroupChanged = true;
  }

  /** Raises the epoch after a change of members, topics or configs, so that targets are computed again. */
  bump(): void {
    const { group, topics, rules } = this;
    group.epoch++;
    group.standbyCount = rules.standbyCount;
    group.topics = group.findTopics(topics);
    if (group.topology !== undefined) group.configured = configureTopology(group.topology, topics);
    this.isGroupChanged = true;
  }
}
