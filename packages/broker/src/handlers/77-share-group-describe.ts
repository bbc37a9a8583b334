import type { Apis } from '@weir/wire';
import { describedGroups, namedPartitions } from '../groups/described-groups.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * ShareGroupDescribe v1.
 *
 * - A group that does not exist, or has another type, is GROUP_ID_NOT_FOUND.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - A group with topics that the client may not DESCRIBE is TOPIC_AUTHORIZATION_FAILED.
 */
export const shareGroupDescribeHandler: HandlerOf<Apis['ShareGroupDescribe']> = async (
  { groupIds, includeAuthorizedOperations },
  context,
) => ({
  throttleTimeMs: 0,
  groups: await describedGroups({
    groupIds,
    includeAuthorizedOperations,
    context,
    describe: (shown) => context.cluster.port.describeShareGroups(shown),
    membersOf: ({ members }) =>
      members.map((member) => ({
        memberId: member.memberId,
        rackId: member.rackId,
        memberEpoch: member.epoch,
        clientId: member.clientId,
        clientHost: member.clientHost,
        subscribedTopicNames: member.subscribedTopicNames,
        assignment: { topicPartitions: namedPartitions(member.assigned, context.cluster) },
      })),
  }),
});
