import type { Member } from './classic-group.ts';
import type { ClassicEventOf } from './event.ts';
import { completeJoinIfAllJoined } from './rebalance.ts';
import type { Step } from './step.ts';

/**
 * The time in which a member of a lost agent must reconnect through another one. Clients find another coordinator
 * within a second or two, and send at least three heartbeats per session.
 */
const returnMsMin = 10_000;
const heartbeatsPerSession = 3;

/**
 * Removes new members whose JoinGroup was lost with its agent, and pending member ids that the agent had requested, as
 * the failover of a coordinator does in Kafka. The client may have restarted with another id: the group would wait for
 * the old id, or even make it the leader, until its session expires. A client that returns with the old id gets
 * UNKNOWN_MEMBER_ID and joins anew.
 *
 * A member of a generation then counts as not joined to the next one, so it does not become the leader either. Its
 * session expires sooner: a client that closes when its coordinator dies cannot send its LeaveGroup, and the other
 * members would wait for it. Static members retain their whole session, in which they may restart.
 */
export function agentsGone(step: Step, { agentIds }: ClassicEventOf<'agentsGone'>): void {
  const { group } = step;
  const isLost = (agentId: string | undefined) => agentId !== undefined && agentIds.has(agentId);
  let hasForgotten = false;
  for (const [memberId, { agentId }] of group.pending) {
    if (!isLost(agentId)) continue;
    group.pending.delete(memberId);
    hasForgotten = true;
  }
  for (const member of [...group.members.values()]) {
    if (!isLost(member.agentId)) continue;
    if (member.isNew) {
      step.remove(member, 'UNKNOWN_MEMBER_ID');
      hasForgotten = true;
      continue;
    }
    if (member.join !== undefined) {
      step.refuseWaiting(member, 'REBALANCE_IN_PROGRESS');
      step.keepAlive(member);
    }
    if (member.groupInstanceId === null) expectReturn(step, member);
  }
  if (hasForgotten && group.state === 'PreparingRebalance') completeJoinIfAllJoined(step);
}

/** Applies once per loss: the member may be on another agent when this agent, back with the same id, is lost again. */
function expectReturn(step: Step, member: Member): void {
  member.agentId = undefined;
  const returnMs = Math.max(returnMsMin, Math.ceil(member.sessionTimeoutMs / heartbeatsPerSession));
  if (member.deadlineMs > step.nowMs + returnMs) member.deadlineMs = step.deadline(returnMs);
}
