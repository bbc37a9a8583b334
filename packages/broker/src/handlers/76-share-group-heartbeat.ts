import type { ModernHeartbeatAnswer, ShareHeartbeat } from '@weir/cluster';
import { clientHostOf } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GatheredCalls } from '../cluster-calls/gathered-calls.ts';
import { failedHeartbeat } from '../groups/failed-heartbeat.ts';
import { subscriptionDenial } from '../groups/subscription-denial.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * ShareGroupHeartbeat v1. The control plane coordinates; concurrent heartbeats are sent to it in one call.
 *
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and members wait and stay
 *   in their group.
 * - Requires READ on the group, and DESCRIBE on all topics that the member subscribes to.
 */
export function shareGroupHeartbeatHandler(
  heartbeats: GatheredCalls<ShareHeartbeat, ModernHeartbeatAnswer>,
): HandlerOf<Apis['ShareGroupHeartbeat']> {
  return async (request, context) => {
    const { clientId, remoteAddress, access } = context;
    const denial = subscriptionDenial(request, access);
    if (denial !== undefined) return failedHeartbeat(denial, errors[denial].message);
    const { groupId, memberId, memberEpoch, rackId, subscribedTopicNames } = request;
    const answer = await coordinatorAnswer(
      heartbeats.ask({
        ...{ groupId, memberId, memberEpoch, rackId, subscribedTopicNames },
        clientId: clientId ?? '',
        clientHost: clientHostOf(remoteAddress),
      }),
      context,
    );
    if (answer === undefined || answer.error !== 'NONE') {
      return failedHeartbeat(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS', answer?.message ?? null);
    }
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      memberId: answer.memberId,
      memberEpoch: answer.memberEpoch,
      heartbeatIntervalMs: answer.heartbeatIntervalMs,
      assignment: answer.assignment === null ? null : { topicPartitions: answer.assignment },
    };
  };
}
