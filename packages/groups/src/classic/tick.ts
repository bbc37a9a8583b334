import type { ClassicGroup } from './classic-group.ts';
import { completeJoinIfAllJoined, onRebalanceDeadline, prepareRebalance } from './rebalance.ts';
import type { Step } from './step.ts';

/** Removes expired pending member ids. */
export function tickInEmpty(step: Step): void {
  forgetPending(step);
}

export function tickInPreparingRebalance(step: Step): void {
  const { group, nowMs } = step;
  const hasForgotten = forgetPending(step);
  const hasRemoved = removeSilent(step);
  if (hasForgotten || hasRemoved) completeJoinIfAllJoined(step);
  if (group.rebalance !== undefined && group.rebalance.deadlineMs <= nowMs) onRebalanceDeadline(step);
}

/** Applies to stable groups too: members may be slow to send SyncGroup after the leader assigned. */
export function tickWithGeneration(step: Step): void {
  const { group, nowMs } = step;
  forgetPending(step);
  let isAnyMemberGone = removeSilent(step);
  if (group.syncDeadlineMs !== undefined && group.syncDeadlineMs <= nowMs) {
    group.syncDeadlineMs = undefined;
    for (const memberId of [...group.unsynced]) {
      step.remove(group.member(memberId)!, 'UNKNOWN_MEMBER_ID');
      isAnyMemberGone = true;
    }
  }
  if (isAnyMemberGone) prepareRebalance(step);
}

/** Returns the earliest deadline of the group, when it must be woken. */
export function nextDeadlineMs(group: ClassicGroup): number {
  let soonestMs = Math.min(
    group.rebalance?.deadlineMs ?? Number.POSITIVE_INFINITY,
    group.syncDeadlineMs ?? Number.POSITIVE_INFINITY,
  );
  for (const { deadlineMs } of group.pending.values()) soonestMs = Math.min(soonestMs, deadlineMs);
  for (const { deadlineMs } of group.members.values()) soonestMs = Math.min(soonestMs, deadlineMs);
  return soonestMs;
}

function forgetPending({ group, nowMs }: Step): boolean {
  let hasForgotten = false;
  for (const [memberId, { deadlineMs }] of group.pending) {
    if (deadlineMs > nowMs) continue;
    group.pending.delete(memberId);
    hasForgotten = true;
  }
  return hasForgotten;
}

function removeSilent(step: Step): boolean {
  const { group, nowMs } = step;
  let hasRemoved = false;
  for (const member of [...group.members.values()]) {
    if (member.deadlineMs > nowMs) continue;
    // A member that waits for our answer has not timed out. A new member, however, may have left and returned with
    // another id.
    const isWaiting = member.sync !== undefined || (member.join !== undefined && !member.isNew);
    if (isWaiting) {
      step.keepAlive(member);
      continue;
    }
    step.remove(member, 'UNKNOWN_MEMBER_ID');
    hasRemoved = true;
  }
  return hasRemoved;
}
