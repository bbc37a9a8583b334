import { type Apis, errors } from '@weir/wire';
import { groupOperations, operationsNotAsked } from './authorized-operations.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

const notFoundFromVersion = 6;

/**
 * DescribeGroups v0 to v6, of classic groups.
 *
 * - A group that is not there is Dead; only v6 calls that an error.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 */
export const describeGroupsHandler: HandlerOf<Apis['DescribeGroups']> = async (request, context) => {
  const { apiVersion, cluster } = context;
  const authorizedOperations = request.includeAuthorizedOperations ? groupOperations : operationsNotAsked;
  const described = await ifAvailable(cluster.port.describeGroups(request.groups));
  return {
    throttleTimeMs: 0,
    groups: request.groups.map((groupId, index) => {
      const group = described?.[index];
      if (group === undefined || group.error !== 'NONE') {
        const error = group?.error ?? 'COORDINATOR_LOAD_IN_PROGRESS';
        const isTold = error !== 'GROUP_ID_NOT_FOUND' || apiVersion >= notFoundFromVersion;
        return {
          errorCode: errors[isTold ? error : 'NONE'].code,
          ...(apiVersion >= notFoundFromVersion
            ? { errorMessage: error === 'GROUP_ID_NOT_FOUND' ? `Group ${groupId} not found.` : null }
            : {}),
          groupId,
          groupState: error === 'GROUP_ID_NOT_FOUND' ? 'Dead' : '',
          protocolType: '',
          protocolData: '',
          members: [],
          authorizedOperations,
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
        authorizedOperations,
      };
    }),
  };
};
