import type { ConsumerGroupDescription, PartitionsOfTopic } from '@weir/metadata';
import { type Apis, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { groupOperations, operationsNotAsked } from './authorized-operations.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/** How the answer names the protocol that a member speaks. */
const memberType = { classic: 0, consumer: 1 } as const;

/**
 * ConsumerGroupDescribe v0 and v1, of groups of the new protocol.
 *
 * - A group that is not there or is classic is GROUP_ID_NOT_FOUND, upon which admin clients ask DescribeGroups.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 *
 * Missing: ACLs.
 */
export const consumerGroupDescribeHandler: HandlerOf<Apis['ConsumerGroupDescribe']> = async (
  { groupIds, includeAuthorizedOperations },
  { cluster },
) => {
  const described = await ifAvailable(cluster.port.describeConsumerGroups(groupIds));
  const authorizedOperations = includeAuthorizedOperations ? groupOperations : operationsNotAsked;
  return {
    throttleTimeMs: 0,
    groups: groupIds.map((groupId, index) => ({
      ...groupAnswer(groupId, described?.[index], cluster),
      authorizedOperations,
    })),
  };
};

function groupAnswer(groupId: string, group: ConsumerGroupDescription | undefined, cluster: ClusterView) {
  if (group === undefined || group.error !== 'NONE') {
    const error = group?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
    return {
      errorCode: errors[error].code,
      errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null,
      groupId,
      groupState: group?.state ?? '',
      groupEpoch: 0,
      assignmentEpoch: 0,
      assignorName: '',
      members: [],
    };
  }
  return {
    errorCode: errors.NONE.code,
    groupId,
    groupState: group.state,
    groupEpoch: group.epoch,
    assignmentEpoch: group.assignmentEpoch,
    assignorName: group.assignor,
    members: group.members.map((member) => ({
      memberId: member.memberId,
      instanceId: member.instanceId,
      rackId: member.rackId,
      memberEpoch: member.epoch,
      clientId: member.clientId,
      clientHost: member.clientHost,
      subscribedTopicNames: member.subscribedTopicNames,
      subscribedTopicRegex: member.subscribedTopicRegex === '' ? null : member.subscribedTopicRegex,
      assignment: { topicPartitions: named(member.assigned, cluster) },
      targetAssignment: { topicPartitions: named(member.target, cluster) },
      memberType: memberType[member.isClassic ? 'classic' : 'consumer'],
    })),
  };
}

/** Topics that are gone have no name, and are left out until the member has given them up. */
function named(partitions: readonly PartitionsOfTopic[], cluster: ClusterView) {
  return partitions.flatMap((topic) => {
    const topicName = cluster.topicById(topic.topicId)?.name;
    return topicName === undefined ? [] : [{ ...topic, topicName }];
  });
}
