import type { TopicReader } from '@weir/cluster';
import type { Principal } from '@weir/security';
import { bareAddress, clientHostOf } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { failedHeartbeat } from '../groups/failed-heartbeat.ts';
import { subscriptionDenial } from '../groups/subscription-denial.ts';
import type { HandlerOf } from '../requests/handler.ts';

const clientMemberIdsFromVersion = 1;

/**
 * ConsumerGroupHeartbeat v0 and v1. The control plane coordinates; concurrent heartbeats are sent to it in one call.
 *
 * - From v1 on the client generates its member id, and may subscribe by a pattern.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and members wait and stay
 *   in their group.
 * - Requires READ on the group, and DESCRIBE on all topics that the member names. Of the topics that match a pattern,
 *   the control plane assigns only those that the member may DESCRIBE.
 */
export function consumerGroupHeartbeatHandler({
  consumerHeartbeats,
}: GroupCalls): HandlerOf<Apis['ConsumerGroupHeartbeat']> {
  return async (request, context) => {
    const { apiVersion, clientId, remoteAddress, access } = context;
    const denial = subscriptionDenial(request, access);
    if (denial !== undefined) return failedHeartbeat(denial, errors[denial].message);
    const answer = await coordinatorAnswer(
      consumerHeartbeats.ask({
        groupId: request.groupId,
        memberId: request.memberId,
        memberEpoch: request.memberEpoch,
        instanceId: request.instanceId,
        rackId: request.rackId,
        clientId: clientId ?? '',
        clientHost: clientHostOf(remoteAddress),
        rebalanceTimeoutMs: request.rebalanceTimeoutMs,
        subscribedTopicNames: request.subscribedTopicNames,
        subscribedTopicRegex: request.subscribedTopicRegex,
        reader: request.subscribedTopicRegex === null ? undefined : readerOf(access.principal, remoteAddress),
        serverAssignor: request.serverAssignor,
        ownedPartitions: request.topicPartitions,
        requiresMemberId: apiVersion >= clientMemberIdsFromVersion,
      }),
      context,
    );
    if (answer === undefined || answer.error !== 'NONE') {
      return failedHeartbeat(answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS', answer?.message ?? null);
    }
    const { memberId, memberEpoch, heartbeatIntervalMs, assignment } = answer;
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      memberId,
      memberEpoch,
      heartbeatIntervalMs,
      assignment: assignment === null ? null : { topicPartitions: assignment },
    };
  };
}

/** Returns the identity whose ACLs filter the topics of a pattern; `undefined` for a superuser. */
function readerOf({ name, aliases, isSuperuser }: Principal, remoteAddress: string): TopicReader | undefined {
  return isSuperuser ? undefined : { principals: [name, ...aliases], host: bareAddress(remoteAddress) };
}
