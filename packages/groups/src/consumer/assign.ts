import { type AssignorName, assignors, defaultAssignor } from '../assignors/assignor.ts';
import type { AssignorMember } from '../assignors/assignor-member.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import type { ConsumerGroup, Subscription } from './consumer-group.ts';
import type { ConsumerStep } from './event.ts';

/**
 * Groups with fewer members and partitions than this are assigned again at every change. Larger groups batch changes,
 * so that assignment takes a small part of the time: ten thousand members that join one after the other would cost
 * quadratic time.
 */
const smallGroup = 5_000;
const waitMsPerThousand = 50;

/** Computes the targets if they are older than the group. */
export function assignIfDue(step: ConsumerStep): void {
  const { group, nowMs } = step;
  if (group.epoch === group.assignmentEpoch || group.members.size === 0 || group.isHeld) return;
  if (nowMs < group.nextAssignmentMs) {
    step.wakeAt(group.nextAssignmentMs);
    return;
  }
  group.assignor = preferredAssignor(group);
  group.targets = assignors[group.assignor](membersOf(group, step.topics), group.topics);
  group.assignmentEpoch = group.epoch;
  group.nextAssignmentMs = nowMs + pauseMs(group);
  step.isGroupChanged = true;
}

/** The assignor that most members request; on a tie, the one that was requested first. */
export function preferredAssignor(group: ConsumerGroup): AssignorName {
  const votes = new Map<AssignorName, number>();
  for (const { assignor } of group.members.values()) {
    if (assignor !== null) votes.set(assignor, (votes.get(assignor) ?? 0) + 1);
  }
  let best: AssignorName | undefined;
  for (const [name, count] of votes) if (best === undefined || count > votes.get(best)!) best = name;
  return best ?? defaultAssignor;
}

function pauseMs({ members, topics }: ConsumerGroup): number {
  let size = members.size;
  for (const partitionCount of topics.values()) size += partitionCount;
  return size < smallGroup ? 0 : Math.floor((size * waitMsPerThousand) / 1000);
}

function membersOf(group: ConsumerGroup, topics: TopicsView): AssignorMember[] {
  const shared = new Map<string, ReadonlySet<string>>();
  return Array.from(group.members.values(), ({ memberId, instanceId, subscription }) => {
    const key = keyOf(group, subscription);
    let topicIds = shared.get(key);
    if (topicIds === undefined) {
      topicIds = topicIdsOf(group, subscription, topics);
      shared.set(key, topicIds);
    }
    return { memberId, instanceId, topics: topicIds, before: group.targetOf(memberId) };
  });
}

/** Topic names contain no spaces, so the separator before the pattern is unambiguous. */
function keyOf(group: ConsumerGroup, { names, pattern }: Subscription): string {
  return `${names.join(' ')}  ${group.matchKeyOf(pattern)}`;
}

/** Only topics that the group knows: a newer topic arrives with an event of its own. */
function topicIdsOf(
  group: ConsumerGroup,
  subscription: Subscription,
  topics: TopicsView,
): ReadonlySet<string> {
  const topicIds = new Set<string>();
  for (const name of group.topicNames(subscription)) {
    const topicId = topics.byName(name)?.topicId;
    if (topicId !== undefined && group.topics.has(topicId)) topicIds.add(topicId);
  }
  return topicIds;
}
