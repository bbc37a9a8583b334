import type { AssignorMember } from '../assignors/assignor-member.ts';
import { filtered } from '../assignors/partitions.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import type { ModernRules } from '../modern/modern-step.ts';
import type { ShareStep } from './event.ts';
import type { ShareGroup, ShareMember } from './share-group.ts';
import { assignSimply } from './simple-assignor.ts';

/**
 * Computes the targets if they are older than the group, at most once per interval (KIP-1263). The first targets of a
 * group, and those of a new leader, do not wait; nor does a group whose last member left.
 */
export function assignIfDue(step: ShareStep): void {
  const { group, nowMs, rules, topics } = step;
  if (group.epoch === group.assignmentEpoch) return;
  if (group.members.size > 0) {
    const dueMs = nextAssignmentMs(group, rules);
    if (nowMs < dueMs) {
      step.wakeAt(dueMs);
      return;
    }
    group.assignedMs = nowMs;
  }
  group.targets = assignSimply(membersOf(group, topics), group.topics);
  group.assignmentEpoch = group.epoch;
  step.isChanged = true;
}

/** The earliest time of the next target computation, by the present configs. */
export function nextAssignmentMs({ assignedMs }: ShareGroup, { assignmentIntervalMs }: ModernRules): number {
  return assignedMs + assignmentIntervalMs;
}

/** Removes what the member no longer subscribes to from its target: the next computation may be a while away. */
export function dropUnsubscribed({ group, topics }: ShareStep, member: ShareMember): void {
  const topicIds = topicIdsOf(group, member.names, topics);
  group.targets.set(
    member.memberId,
    filtered(group.targetOf(member.memberId), (topicId) => topicIds.has(topicId)),
  );
}

function membersOf(group: ShareGroup, topics: TopicsView): AssignorMember[] {
  const shared = new Map<string, ReadonlySet<string>>();
  return Array.from(group.members.values(), ({ memberId, names }) => {
    // Topic names contain no spaces.
    const key = names.join(' ');
    let topicIds = shared.get(key);
    if (topicIds === undefined) {
      topicIds = topicIdsOf(group, names, topics);
      shared.set(key, topicIds);
    }
    return { memberId, instanceId: null, topics: topicIds, before: group.targetOf(memberId) };
  });
}

/** Only topics that the group knows: a newer topic arrives with an event of its own. */
function topicIdsOf(group: ShareGroup, names: readonly string[], topics: TopicsView): ReadonlySet<string> {
  const topicIds = new Set<string>();
  for (const name of names) {
    const topicId = topics.byName(name)?.topicId;
    if (topicId !== undefined && group.topics.has(topicId)) topicIds.add(topicId);
  }
  return topicIds;
}
