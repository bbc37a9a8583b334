import type { Apis } from '@weir/wire';
import { describedGroups, namedPartitions } from '../groups/described-groups.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** How the answer names the protocol that a member speaks. */
const memberType = { classic: 0, consumer: 1 } as const;

/**
 * ConsumerGroupDescribe v0 and v1, of groups of the new protocol.
 *
 * - A group that is not there or is classic is GROUP_ID_NOT_FOUND, upon which admin clients ask DescribeGroups.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 * - A group with topics that the client may not DESCRIBE is TOPIC_AUTHORIZATION_FAILED.
 */
export const consumerGroupDescribeHandler: HandlerOf<Apis['ConsumerGroupDescribe']> = async (
  { groupIds, includeAuthorizedOperations },
  { cluster, access },
) => ({
  throttleTimeMs: 0,
  groups: await describedGroups({
    groupIds,
    includeAuthorizedOperations,
    access,
    describe: (shown) => cluster.port.describeConsumerGroups(shown),
    membersOf: ({ members }) =>
      members.map((member) => ({
        memberId: member.memberId,
        instanceId: member.instanceId,
        rackId: member.rackId,
        memberEpoch: member.epoch,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: member.subscribedTopicNames,
        subscribedTopicRegex: member.subscribedTopicRegex === '' ? null : member.subscribedTopicRegex,
        assignment: { topicPartitions: namedPartitions(member.assigned, cluster) },
        targetAssignment: { topicPartitions: namedPartitions(member.target, cluster) },
        memberType: memberType[member.isClassic ? 'classic' : 'consumer'],
      })),
  }),
});
