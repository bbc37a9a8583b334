import { type AssignorName, assignors, defaultAssignor } from '../assignors/assignor.ts';
import type { AssignorMember } from '../assignors/assignor-member.ts';
import { filtered } from '../assignors/partitions.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import type { ConsumerGroup, ConsumerMember, Subscription } from './consumer-group.ts';
import type { ConsumerRules, ConsumerStep } from './event.ts';

/**
 * Groups with fewer members and partitions than this wait for the configured interval alone. Larger groups wait longer
 * if need be, so that assignment takes a small part of the time: ten thousand members that join one after the other
 * would cost quadratic time.
 */
const smallGroup = 5_000;
const waitMsPerThousand = 50;

/**
 * Computes the targets if they are older than the group, at most once per interval (KIP-1263). The first targets of a
 * group, and those of a new leader, do not wait.
 */
export function assignIfDue(step: ConsumerStep): void {
  const { group, nowMs, rules } = step;
  if (group.epoch === group.assignmentEpoch || group.members.size === 0 || group.isHeld) return;
  const dueMs = nextAssignmentMs(group, rules);
  if (nowMs < dueMs) {
    step.wakeAt(dueMs);
    return;
  }
  group.assignor = preferredAssignor(group);
  group.targets = assignors[group.assignor](membersOf(group, step.topics), group.topics);
  group.assignmentEpoch = group.epoch;
  group.assignedMs = nowMs;
  group.assignmentPauseMs = pauseMs(group);
  step.isGroupChanged = true;
}

/** The earliest time of the next target computation, by the present configs. */
export function nextAssignmentMs(
  { assignedMs, assignmentPauseMs }: ConsumerGroup,
  { assignmentIntervalMs }: ConsumerRules,
): number {
  return assignedMs + Math.max(assignmentIntervalMs, assignmentPauseMs);
}

/**
 * Removes what the member no longer subscribes to from its target, because the next computation may be a while away:
 * the member gives those partitions up at once.
 */
export function dropUnsubscribed(step: ConsumerStep, member: ConsumerMember): void {
  const { group, topics } = step;
  const { memberId, holding } = member;
  const target = group.targetOf(memberId);
  if (target.size === 0) return;
  const topicIds = topicIdsOf(group, member.subscription, topics);
  const kept = filtered(target, (topicId) => topicIds.has(topicId));
  if (kept === target) return;
  group.targets.set(memberId, kept);
  step.isGroupChanged = true;
  // It no longer has its target, although the epoch is the same.
  if (holding.state === 'stable') group.setHolding(member, { ...holding, state: 'waiting' });
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
