import type { Member } from './classic-group.ts';
import type { ClassicEventOf } from './event.ts';
import { completeJoinIfAllJoined } from './rebalance.ts';
import type { Step } from './step.ts';

/**
 * How long a member of a lost agent has to be heard of through another one. Clients find another coordinator within a second or two, and send a
 * heartbeat at least three times in a session.
 */
const returnMsMin = 10_000;
const heartbeatsPerSession = 3;

/**
 * Forgets new members whose JoinGroup was lost with its agent, and ids that it gave out, as the failover of a coordinator does in Kafka. The client may have
 * begun again under another id: the old one would be waited for, or even made the leader, until a session ends that nobody keeps. A client that
 * comes back with the id is told UNKNOWN_MEMBER_ID, upon which clients join anew.
 *
 * A member of a generation has not joined the next one then, so that it is not made the leader either. Its session ends sooner: a client that closes
 * when its coordinator dies cannot send its LeaveGroup, and the others would wait for it. Static members keep their whole session, in which they
 * may restart.
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

/** Once for each loss: the member may be elsewhere when the agent, back under the same id, is lost again. */
function expectReturn(step: Step, member: Member): void {
  member.agentId = undefined;
  const returnMs = Math.max(returnMsMin, Math.ceil(member.sessionTimeoutMs / heartbeatsPerSession));
  if (member.deadlineMs > step.nowMs + returnMs) member.deadlineMs = step.deadline(returnMs);
}
