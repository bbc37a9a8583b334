import type { ShareGroupDescription } from '@weir/metadata';
import { type Apis, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { groupOperations, operationsNotAsked } from './authorized-operations.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * ShareGroupDescribe v1.
 *
 * - A group that is not there, or has another type, is GROUP_ID_NOT_FOUND.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 *
 * Missing: ACLs.
 */
export const shareGroupDescribeHandler: HandlerOf<Apis['ShareGroupDescribe']> = async (
  { groupIds, includeAuthorizedOperations },
  { cluster },
) => {
  const described = await ifAvailable(cluster.port.describeShareGroups(groupIds));
  const authorizedOperations = includeAuthorizedOperations ? groupOperations : operationsNotAsked;
  return {
    throttleTimeMs: 0,
    groups: groupIds.map((groupId, index) => ({
      ...groupAnswer(groupId, described?.[index], cluster),
      authorizedOperations,
    })),
  };
};

function groupAnswer(groupId: string, group: ShareGroupDescription | undefined, cluster: ClusterView) {
  const error = group?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
  const members = group?.members ?? [];
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null,
    groupId,
    groupState: group?.state ?? '',
    groupEpoch: group?.epoch ?? 0,
    assignmentEpoch: group?.assignmentEpoch ?? 0,
    assignorName: group?.assignor ?? '',
    members: members.map((member) => ({
      memberId: member.memberId,
      rackId: member.rackId,
      memberEpoch: member.epoch,
      clientId: member.clientId,
      clientHost: member.clientHost,
      subscribedTopicNames: member.subscribedTopicNames,
      assignment: {
        // Topics that are gone have no name, and are left out.
        topicPartitions: member.assigned.flatMap((topic) => {
          const topicName = cluster.topicById(topic.topicId)?.name;
          return topicName === undefined ? [] : [{ ...topic, topicName }];
        }),
      },
    })),
  };
}
