import type { ShareGroupDescription } from '@weir/metadata';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { operationsNotAsked } from '../security/access.ts';
import { ifAvailable } from './cluster-calls.ts';
import { seesTopicsOf } from './described-members.ts';
import type { HandlerOf } from './handler.ts';

/**
 * ShareGroupDescribe v1.
 *
 * - A group that is not there, or has another type, is GROUP_ID_NOT_FOUND.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 * - It takes DESCRIBE on each group, and on all topics that its members subscribe to and have; otherwise the group is
 *   TOPIC_AUTHORIZATION_FAILED. What the client may do with a group is told only where there is nothing wrong.
 */
export const shareGroupDescribeHandler: HandlerOf<Apis['ShareGroupDescribe']> = async (
  { groupIds, includeAuthorizedOperations },
  { cluster, access },
) => {
  const isShown = groupIds.map((groupId) => access.may('DESCRIBE', 'GROUP', groupId));
  const shown = groupIds.filter((_, index) => isShown[index]);
  const described = shown.length === 0 ? [] : await ifAvailable(cluster.port.describeShareGroups(shown));
  let next = 0;
  return {
    throttleTimeMs: 0,
    groups: groupIds.map((groupId, index) => {
      if (!isShown[index]) return failed(groupId, 'GROUP_AUTHORIZATION_FAILED');
      const group = described?.[next++];
      if (group === undefined) return failed(groupId, 'COORDINATOR_LOAD_IN_PROGRESS');
      if (group.error !== 'NONE') return failed(groupId, group.error, group.state);
      const answer = groupAnswer(groupId, group, cluster);
      if (!seesTopicsOf(answer.members, access)) return failed(groupId, 'TOPIC_AUTHORIZATION_FAILED');
      const authorizedOperations = includeAuthorizedOperations
        ? access.operationsOn('GROUP', groupId)
        : operationsNotAsked;
      return { ...answer, authorizedOperations };
    }),
  };
};

function failed(groupId: string, error: ErrorName, groupState = '') {
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null,
    groupId,
    groupState,
    groupEpoch: 0,
    assignmentEpoch: 0,
    assignorName: '',
    members: [],
    authorizedOperations: operationsNotAsked,
  };
}

function groupAnswer(groupId: string, group: ShareGroupDescription, cluster: ClusterView) {
  return {
    errorCode: errors.NONE.code,
    errorMessage: null,
    groupId,
    groupState: group.state,
    groupEpoch: group.epoch,
    assignmentEpoch: group.assignmentEpoch,
    assignorName: group.assignor,
    members: group.members.map((member) => ({
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
