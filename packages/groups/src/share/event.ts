import type { GroupError, ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import type { AssignorMember } from '../assignors/assignor-member.ts';
import type { TopicsView } from '../consumer/consumer-group.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';
import { assignSimply } from './simple-assignor.ts';

/** All inputs of a share group, with their answers. */
interface ShareEvents {
  heartbeat: {
    readonly event: { readonly heartbeat: ShareHeartbeat };
    readonly answer: ShareHeartbeatAnswer;
  };
  /** Subscribed topics may have been created, grown or deleted. */
  topics: { readonly event: object; readonly answer: undefined };
  delete: { readonly event: object; readonly answer: GroupError };
  /** A deadline may have passed. */
  tick: { readonly event: object; readonly answer: undefined };
}

export type ShareEventKind = keyof ShareEvents;

export type ShareEvent<Kind extends ShareEventKind> = { readonly kind: Kind } & ShareEvents[Kind]['event'];

export type ShareAnswer<Kind extends ShareEventKind> = ShareEvents[Kind]['answer'];

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

/** Configuration and limits. */
export interface ShareRules {
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly groupSizeMax: number;
  /** The limit of topic names in a subscription. */
  readonly subscribedNamesMax: number;
  /** The limit of the metadata of all members of a group. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
}

/** The processing of one event: the group, the time, and the effects so far. */
export class ShareStep {
  readonly group: ShareGroup;
  readonly nowMs: number;
  readonly rules: ShareRules;
  readonly topics: TopicsView;
  readonly gone: string[] = [];
  isChanged = false;
  soonestMs = Number.POSITIVE_INFINITY;

  constructor(group: ShareGroup, nowMs: number, rules: ShareRules, topics: TopicsView) {
    this.group = group;
    this.nowMs = nowMs;
    this.rules = rules;
    this.topics = topics;
  }

  /** Extends the session of the member. */
  keepAlive(member: ShareMember): void {
    member.sessionDeadlineMs = this.nowMs + this.rules.sessionTimeoutMs;
    this.soonestMs = Math.min(this.soonestMs, member.sessionDeadlineMs);
  }

  /** A member that leaves on its own retains its locks: its last acknowledgements may arrive after the leave. */
  remove(member: ShareMember, { keepsLocks }: { readonly keepsLocks: boolean }): void {
    this.group.remove(member);
    if (!keepsLocks) this.gone.push(member.memberId);
    this.bump();
  }

  /** Raises the epoch after a change of members, subscriptions or topics, and computes all targets again. */
  bump(): void {
    const { group, topics } = this;
    group.epoch++;
    group.topics = group.findTopics(topics);
    const shared = new Map<string, ReadonlySet<string>>();
    const members = Array.from(group.members.values(), ({ memberId, names }): AssignorMember => {
      // Topic names contain no spaces.
      const key = names.join(' ');
      let topicIds = shared.get(key);
      if (topicIds === undefined) {
        topicIds = new Set(names.flatMap((name) => topics.byName(name)?.topicId ?? []));
        shared.set(key, topicIds);
      }
      return { memberId, instanceId: null, topics: topicIds, before: group.targetOf(memberId) };
    });
    group.targets = assignSimply(members, group.topics);
    this.isChanged = true;
  }
}
