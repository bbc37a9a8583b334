import type { ClassicEventOf } from './event.ts';
import { completeJoinIfAllJoined } from './rebalance.ts';
import type { Step } from './step.ts';

/**
 * Forgets new members whose JoinGroup was lost with its agent, and ids that it gave out, as the failover of a coordinator does in Kafka. The client may have
 * begun again under another id: the old one would be waited for, or even made the leader, until a session ends that nobody keeps. A client that
 * comes back with the id is told UNKNOWN_MEMBER_ID, upon which clients join anew.
 *
 * A member of a generation has not joined the next one then, so that it is not made the leader either, and its session runs again.
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
    if (member.join === undefined || !isLost(member.agentId)) continue;
    if (member.isNew) {
      step.remove(member, 'UNKNOWN_MEMBER_ID');
      hasForgotten = true;
    } else {
      step.refuseWaiting(member, 'REBALANCE_IN_PROGRESS');
      step.keepAlive(member);
    }
  }
  if (hasForgotten && group.state === 'PreparingRebalance') completeJoinIfAllJoined(step);
}
