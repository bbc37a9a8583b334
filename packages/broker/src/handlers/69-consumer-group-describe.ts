import type { Apis } from '@weir/wire';
import { describedGroups, describedMember, namedPartitions } from '../groups/described-groups.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** Protocol values of the member type. */
const memberType = { classic: 0, consumer: 1 } as const;

/**
 * ConsumerGroupDescribe v0 and v1, for groups of the consumer protocol (KIP-848).
 *
 * - A group that does not exist or is classic is GROUP_ID_NOT_FOUND, and admin clients fall back to DescribeGroups.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - A group with topics that the client may not DESCRIBE is TOPIC_AUTHORIZATION_FAILED.
 */
export const consumerGroupDescribeHandler: HandlerOf<Apis['ConsumerGroupDescribe']> = (request, context) =>
  describedGroups(request, context, {
    describe: (port, groupIds) => port.describeConsumerGroups(groupIds),
    membersOf: ({ members }) =>
      members.map((member) => ({
        ...describedMember(member, context),
        instanceId: member.instanceId,
        subscribedTopicRegex: member.subscribedTopicRegex,
        targetAssignment: { topicPartitions: namedPartitions(member.target, context.cluster) },
        memberType: memberType[member.isClassic ? 'classic' : 'consumer'],
      })),
  });
