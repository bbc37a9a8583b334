import { type Member, noBytes } from './classic-group.ts';
import type { Step } from './step.ts';

/** A rebalance timeout may be 0; this floor keeps a group from retrying the election of a leader without pause. */
const leaderlessDelayMsMin = 1_000;

/** Starts a rebalance: the present members learn of it by their heartbeats and rejoin. */
export function prepareRebalance(step: Step): void {
  const { group, rules } = step;
  for (const member of group.members.values()) {
    if (member.sync !== undefined) step.refuseSync(member, 'REBALANCE_IN_PROGRESS');
  }
  group.unsynced.clear();
  group.syncDeadlineMs = undefined;
  const isInitial = group.state === 'Empty';
  const timeoutMs = group.rebalanceTimeoutMs;
  group.state = 'PreparingRebalance';
  if (isInitial && rules.initialRebalanceDelayMs > 0) {
    const delayMs = rules.initialRebalanceDelayMs;
    const remainingMs = Math.max(0, timeoutMs - delayMs);
    group.rebalance = {
      deadlineMs: step.deadline(delayMs),
      initial: { remainingMs, hasNewMember: false },
    };
    return;
  }
  group.rebalance = { deadlineMs: step.deadline(timeoutMs), initial: undefined };
  // A group without members becomes empty at once; pending member ids are no members.
  if (isInitial || group.hasAllJoined || group.members.size === 0) completeJoin(step);
}

/**
 * Completes the join phase as soon as all members have joined. The first rebalance of a group always waits for its
 * delay, unless all members have left: Kafka waits even then, and refuses commits of consumers with manual assignment,
 * such as one that has just left, although the group has no members.
 */
export function completeJoinIfAllJoined(step: Step): void {
  const { group } = step;
  const hasAllJoined = group.rebalance?.initial === undefined && group.hasAllJoined;
  if (hasAllJoined || group.members.size === 0) completeJoin(step);
}

/** Handles the deadline of a rebalance. */
export function onRebalanceDeadline(step: Step): void {
  const { group, rules } = step;
  const initial = group.rebalance?.initial;
  if (initial === undefined || !initial.hasNewMember || initial.remainingMs === 0) {
    completeJoin(step);
    return;
  }
  const delayMs = Math.min(rules.initialRebalanceDelayMs, initial.remainingMs);
  const remainingMs = Math.max(0, initial.remainingMs - delayMs);
  group.rebalance = { deadlineMs: step.deadline(delayMs), initial: { remainingMs, hasNewMember: false } };
}

/** Starts the next generation with the members that have joined, and static members, which may still return. */
function completeJoin(step: Step): void {
  const { group } = step;
  for (const member of [...group.members.values()]) {
    if (member.join === undefined && member.groupInstanceId === null)
      step.remove(member, 'UNKNOWN_MEMBER_ID');
  }
  if (group.members.size > 0 && !electLeader(step)) {
    // No member can assign. The missing static members either return or time out.
    const delayMs = Math.max(group.rebalanceTimeoutMs, leaderlessDelayMsMin);
    group.rebalance = { deadlineMs: step.deadline(delayMs), initial: undefined };
    return;
  }
  group.rebalance = undefined;
  group.generationId++;
  step.isChanged = true;
  if (group.members.size === 0) {
    group.state = 'Empty';
    group.protocolName = null;
    group.leaderId = null;
    return;
  }
  group.state = 'CompletingRebalance';
  group.emptySinceMs = undefined;
  group.protocolName = group.selectProtocol();
  group.syncDeadlineMs = step.deadline(group.rebalanceTimeoutMs);
  for (const member of group.members.values()) sendJoined(step, member);
}

/** The leader stays if it has joined; otherwise the first member that has joined leads. */
function electLeader({ group }: Step): boolean {
  const leader = group.leaderId === null ? undefined : group.member(group.leaderId);
  if (leader?.join !== undefined) return true;
  for (const { memberId, join } of group.members.values()) {
    if (join === undefined) continue;
    group.leaderId = memberId;
    return true;
  }
  return false;
}

function sendJoined(step: Step, member: Member): void {
  const { group } = step;
  member.assignment = noBytes;
  const { join } = member;
  if (join === undefined) return;
  group.setJoin(member, undefined);
  member.isNew = false;
  step.keepAlive(member);
  group.unsynced.add(member.memberId);
  step.answer(join, step.joined(member));
}
