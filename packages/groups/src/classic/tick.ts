import type { ClassicGroup } from './classic-group.ts';
import { completeJoinIfAllJoined, onRebalanceDeadline, prepareRebalance } from './rebalance.ts';
import type { Step } from './step.ts';

/** Ids that nobody used in time. */
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

/** Also when stable: members may be slow to ask for their assignment after the leader gave it. */
export function tickWithGeneration(step: Step): void {
  const { group, nowMs } = step;
  forgetPending(step);
  let isSomebodyGone = removeSilent(step);
  if (group.syncDeadlineMs !== undefined && group.syncDeadlineMs <= nowMs) {
    group.syncDeadlineMs = undefined;
    for (const memberId of [...group.unsynced]) {
      step.remove(group.member(memberId)!, 'UNKNOWN_MEMBER_ID');
      isSomebodyGone = true;
    }
  }
  if (isSomebodyGone) prepareRebalance(step);
}

/** When the group has to be woken: the earliest of its deadlines. */
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
    // Who waits for an answer of ours is not silent. A new member may have gone away and come back under another id.
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
