import type { GroupStateName } from '@weir/cluster';
import type { TopicsView } from '../modern/modern-group.ts';
import { type Decisions, type ModernRules, stepBy } from '../modern/modern-step.ts';
import { assignIfDue, nextAssignmentMs } from './assign.ts';
import { type ShareEvents, ShareStep } from './event.ts';
import { onHeartbeat } from './heartbeat.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';

const table: Decisions<ShareStep, ShareEvents> = {
  heartbeat: (current, { heartbeat }) => onHeartbeat(current, heartbeat),
  topics: (current) => {
    if (current.group.hasOtherTopics(current.topics)) current.bump();
    assignIfDue(current);
    return undefined;
  },
  delete: ({ group }) => group.delete(),
  tick: (current) => {
    const late = current.group.expired(current.nowMs, deadlineMsOf);
    for (const member of late) current.remove(member, { keepsLocks: false });
    assignIfDue(current);
    return undefined;
  },
};

/**
 * The state machine of a share group, without I/O, clock or randomness; it changes the group in place. Every request is
 * answered at once; members learn later changes by their next heartbeat.
 */
export const step = stepBy<ShareGroup, ModernRules, TopicsView, ShareStep, ShareEvents>(ShareStep, table);

const deadlineMsOf = ({ sessionDeadlineMs }: ShareMember) => sessionDeadlineMs;

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: ShareGroup, rules: ModernRules): number {
  const soonestMs = group.soonestDeadlineMs(deadlineMsOf);
  const isAssigning = group.epoch !== group.assignmentEpoch;
  return isAssigning ? Math.min(soonestMs, nextAssignmentMs(group, rules)) : soonestMs;
}

/** The state as Kafka reports it, which has none for a group whose assignment is due. */
export function stateOf(group: ShareGroup): GroupStateName {
  if (group.isDead) return 'Dead';
  return group.members.size === 0 ? 'Empty' : 'Stable';
}
