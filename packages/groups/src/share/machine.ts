import type { GroupStateName } from '@weir/cluster';
import type { TopicsView } from '../consumer/consumer-group.ts';
import {
  type ShareAnswer,
  type ShareEffects,
  type ShareEvent,
  type ShareEventKind,
  type ShareRules,
  ShareStep,
} from './event.ts';
import { onHeartbeat } from './heartbeat.ts';
import type { ShareGroup } from './share-group.ts';

/**
 * The state machine of a share group, without I/O, clock or randomness; it changes the group in place. Every request is
 * answered at once; members learn later changes by their next heartbeat.
 */
export function step<Kind extends ShareEventKind>(
  group: ShareGroup,
  event: ShareEvent<Kind>,
  nowMs: number,
  rules: ShareRules,
  topics: TopicsView,
): ShareEffects<ShareAnswer<Kind>> {
  const current = new ShareStep(group, nowMs, rules, topics);
  const answer = (table[event.kind] as Cell<Kind>)(current, event);
  const { isChanged, gone, soonestMs } = current;
  return { answer, isChanged, gone, soonestMs };
}

type Cell<Kind extends ShareEventKind> = (step: ShareStep, event: ShareEvent<Kind>) => ShareAnswer<Kind>;

const table: { readonly [Kind in ShareEventKind]: Cell<Kind> } = {
  heartbeat: (current, { heartbeat }) => onHeartbeat(current, heartbeat),
  topics: (current) => {
    const { group, topics } = current;
    if (!isSameTopics(group.topics, group.findTopics(topics))) current.bump();
    return undefined;
  },
  delete: ({ group }) => {
    if (group.members.size > 0) return 'NON_EMPTY_GROUP';
    group.isDead = true;
    return 'NONE';
  },
  tick: (current) => {
    const { group, nowMs } = current;
    const late = Array.from(group.members.values()).filter(
      ({ sessionDeadlineMs }) => sessionDeadlineMs <= nowMs,
    );
    for (const member of late) current.remove(member, { keepsLocks: false });
    return undefined;
  },
};

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: ShareGroup): number {
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const { sessionDeadlineMs } of group.members.values())
    soonestMs = Math.min(soonestMs, sessionDeadlineMs);
  return soonestMs;
}

/** The state as Kafka reports it. */
export function stateOf(group: ShareGroup): GroupStateName {
  if (group.isDead) return 'Dead';
  return group.members.size === 0 ? 'Empty' : 'Stable';
}

function isSameTopics(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  if (a.size !== b.size) return false;
  for (const [topicId, count] of a) if (b.get(topicId) !== count) return false;
  return true;
}
