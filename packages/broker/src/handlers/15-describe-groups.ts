import { operationsNotRequested } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

const notFoundFromVersion = 6;

/**
 * DescribeGroups v0 to v6, for classic groups.
 *
 * - A group that does not exist has the state Dead; only v6 returns an error for it.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires DESCRIBE on each group. Authorized operations are returned only for groups without an error.
 */
export const describeGroupsHandler: HandlerOf<Apis['DescribeGroups']> = async (request, context) => {
  const { apiVersion, cluster, access } = context;
  const isShown = request.groups.map((groupId) => access.may('DESCRIBE', 'GROUP', groupId));
  const shown = request.groups.filter((_, index) => isShown[index]);
  const described =
    shown.length === 0 ? [] : await coordinatorAnswer(cluster.port.describeGroups(shown), context);
  let next = 0;
  return {
    throttleTimeMs: 0,
    groups: request.groups.map((groupId, index) => {
      if (!isShown[index]) {
        return {
          errorCode: errors.GROUP_AUTHORIZATION_FAILED.code,
          groupId,
          groupState: '',
          protocolType: '',
          protocolData: '',
          members: [],
          authorizedOperations: operationsNotRequested,
        };
      }
      const group = described?.[next++];
      const operations = request.includeAuthorizedOperations
        ? access.operationsOn('GROUP', groupId)
        : operationsNotRequested;
      if (group === undefined || group.error !== 'NONE') {
        const error = group?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
        const isReported = error !== 'GROUP_ID_NOT_FOUND' || apiVersion >= notFoundFromVersion;
        return {
          errorCode: errors[isReported ? error : 'NONE'].code,
          ...(apiVersion >= notFoundFromVersion
            ? { errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null }
            : {}),
          groupId,
          groupState: error === 'GROUP_ID_NOT_FOUND' ? 'Dead' : '',
          protocolType: '',
          protocolData: '',
          members: [],
          authorizedOperations: isReported ? operationsNotRequested : operations,
        };
      }
      return {
        errorCode: errors.NONE.code,
        groupId,
        groupState: group.state,
        protocolType: group.protocolType,
        protocolData: group.protocolData,
        members: group.members.map((member) => ({
          memberId: member.memberId,
          groupInstanceId: member.groupInstanceId,
          clientId: member.clientId,
          clientHost: member.clientHost,
          memberMetadata: Buffer.from(member.metadata),
          memberAssignment: Buffer.from(member.assignment),
        })),
        authorizedOperations: operations,
      };
    }),
  };
};
