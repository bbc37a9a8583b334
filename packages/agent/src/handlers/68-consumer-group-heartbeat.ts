import { type Apis, errors } from '@weir/wire';
import { clientHostOf } from './client-host.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { GroupCalls } from './group-calls.ts';
import type { HandlerOf } from './handler.ts';

const clientMemberIdsFromVersion = 1;

/**
 * ConsumerGroupHeartbeat v0 and v1. The control plane coordinates; heartbeats that come together go there together.
 *
 * - From v1 on the client makes up the id of its member, and may subscribe by a pattern.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which members wait and stay in
 *   their group.
 *
 * Missing: ACLs, also on the topics that a pattern matches.
 */
export function consumerGroupHeartbeatHandler({
  consumerHeartbeats,
}: GroupCalls): HandlerOf<Apis['ConsumerGroupHeartbeat']> {
  return async (request, { apiVersion, clientId, remoteAddress }) => {
    const answer = await ifAvailable(
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
        serverAssignor: request.serverAssignor,
        ownedPartitions: request.topicPartitions,
        requiresMemberId: apiVersion >= clientMemberIdsFromVersion,
      }),
    );
    if (answer === undefined || answer.error !== 'NONE') {
      return {
        throttleTimeMs: 0,
        errorCode: errors[answer?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS'].code,
        errorMessage: answer?.message ?? null,
        memberEpoch: 0,
        heartbeatIntervalMs: 0,
      };
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
