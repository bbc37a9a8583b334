import type { GroupError, ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import type { AssignorMember } from '../assignors/assignor.ts';
import type { TopicsView } from '../consumer/consumer-group.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';
import { assignSimply } from './simple-assignor.ts';

/** All that can happen to a share group, and what the answer to it is. */
interface ShareEvents {
  heartbeat: {
    readonly event: { readonly heartbeat: ShareHeartbeat };
    readonly answer: ShareHeartbeatAnswer;
  };
  /** Topics that somebody listens to may have come, grown or gone. */
  topics: { readonly event: object; readonly answer: undefined };
  delete: { readonly event: object; readonly answer: GroupError };
  /** Time has passed. */
  tick: { readonly event: object; readonly answer: undefined };
}

export type ShareEventKind = keyof ShareEvents;

export type ShareEvent<Kind extends ShareEventKind> = { readonly kind: Kind } & ShareEvents[Kind]['event'];

export type ShareAnswer<Kind extends ShareEventKind> = ShareEvents[Kind]['answer'];

/** What an event leads to outside of the group. */
export interface ShareEffects<Answer> {
  readonly answer: Answer;
  /** The group has to be durable as it is before the answer leaves. */
  readonly isChanged: boolean;
  /** Members that are gone, and whose records others may have. */
  readonly gone: readonly string[];
  /** Some of its deadlines was set to this, and none to an earlier time. Infinite when none was set. */
  readonly soonestMs: number;
}

/** What is configured, and the limits. */
export interface ShareRules {
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly groupSizeMax: number;
  /** Topics that one member may name. */
  readonly subscribedNamesMax: number;
  /** What all members of a group may say of themselves. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
}

/** One event being dealt with: the group, the time, and what it leads to so far. */
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

  /** The member shows that it lives. */
  keepAlive(member: ShareMember): void {
    member.sessionDeadlineMs = this.nowMs + this.rules.sessionTimeoutMs;
    this.soonestMs = Math.min(this.soonestMs, member.sessionDeadlineMs);
  }

  /** A member that says that it leaves keeps its locks: what it says of its records may come after its goodbye. */
  remove(member: ShareMember, { keepsLocks }: { readonly keepsLocks: boolean }): void {
    this.group.remove(member);
    if (!keepsLocks) this.gone.push(member.memberId);
    this.bump();
  }

  /** Members, subscriptions or topics are not what they were: everybody's share is computed anew. */
  bump(): void {
    const { group, topics } = this;
    group.epoch++;
    group.topics = group.findTopics(topics);
    const shared = new Map<string, ReadonlySet<string>>();
    const members = Array.from(group.members.values(), ({ memberId, names }): AssignorMember => {
      // Names of topics have no spaces.
      const key = names.join(' ');
      let topicIds = shared.get(key);
      if (topicIds === undefined) {
        topicIds = new Set(names.flatMap((name) => topics.byName(name)?.topicId ?? []));
        shared.set(key, topicIds);
      }
      return { memberId, instanceId: null, topicIds, before: group.targetOf(memberId) };
    });
    group.targets = assignSimply(members, group.topics);
    this.isChanged = true;
  }
}
