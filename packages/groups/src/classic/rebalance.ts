import { type Member, noBytes } from './classic-group.ts';
import type { Step } from './step.ts';

/** A member may say that it needs no time to join; looking for a leader without a pause would be of no use. */
const leaderlessDelayMsMin = 1_000;

/** Calls the members together: those that are there find out by their heartbeats and join again. */
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
  // A group without members is empty at once; ids that were given out are no members.
  if (isInitial || group.hasAllJoined || group.members.size === 0) completeJoin(step);
}

/** Ends the wait as soon as there is nobody left to wait for. The first rebalance of a group waits for its time. */
export function completeJoinIfAllJoined(step: Step): void {
  const { group } = step;
  if (group.rebalance?.initial === undefined && group.hasAllJoined) completeJoin(step);
}

/** The time of a rebalance is over. */
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

/** Begins the next generation with those who have joined, and static members that may be about to come back. */
function completeJoin(step: Step): void {
  const { group } = step;
  for (const member of [...group.members.values()]) {
    if (member.join === undefined && member.groupInstanceId === null)
      step.remove(member, 'UNKNOWN_MEMBER_ID');
  }
  if (group.members.size > 0 && !electLeader(step)) {
    // Nobody is there to assign. The static members that are awaited come back or fall silent.
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
  for (const member of group.members.values()) tellJoined(step, member);
}

/** The leader stays if it has joined; otherwise the first who has. */
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

function tellJoined(step: Step, member: Member): void {
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
