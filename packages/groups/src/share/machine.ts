import type { GroupStateName } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import { type Decisions, decide, type ModernRules } from '../modern/modern-step.ts';
import { assignIfDue, nextAssignmentMs } from './assign.ts';
import {
  type ShareAnswer,
  type ShareEffects,
  type ShareEvent,
  type ShareEventKind,
  type ShareEvents,
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
  rules: ModernRules,
  topics: TopicsView,
): ShareEffects<ShareAnswer<Kind>> {
  const current = new ShareStep(group, nowMs, rules, topics);
  const answer = decide<ShareStep, ShareEvents, Kind>(table, current, event);
  const { isChanged, gone, soonestMs } = current;
  return { answer, isChanged, gone, soonestMs };
}

const table: Decisions<ShareStep, ShareEvents> = {
  heartbeat: (current, { heartbeat }) => onHeartbeat(current, heartbeat),
  topics: (current) => {
    if (current.group.hasOtherTopics(current.topics)) current.bump();
    assignIfDue(current);
    return undefined;
  },
  delete: ({ group }) => group.delete(),
  tick: (current) => {
    const { group, nowMs } = current;
    const late = Array.from(group.members.values()).filter(
      ({ sessionDeadlineMs }) => sessionDeadlineMs <= nowMs,
    );
    for (const member of late) current.remove(member, { keepsLocks: false });
    assignIfDue(current);
    return undefined;
  },
};

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: ShareGroup, rules: ModernRules): number {
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const { sessionDeadlineMs } of group.members.values())
    soonestMs = Math.min(soonestMs, sessionDeadlineMs);
  const isAssigning = group.epoch !== group.assignmentEpoch;
  return isAssigning ? Math.min(soonestMs, nextAssignmentMs(group, rules)) : soonestMs;
}

/** The state as Kafka reports it, which has none for a group whose assignment is due. */
export function stateOf(group: ShareGroup): GroupStateName {
  if (group.isDead) return 'Dead';
  return group.members.size === 0 ? 'Empty' : 'Stable';
}
