import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * LeaveGroup v0 to v5: members of classic groups leave, or an admin tool removes them.
 *
 * - Up to v2 one member leaves and its error is at the top level; from v3 on there are many, each with its own error.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires READ on the group.
 */
export const leaveGroupHandler: HandlerOf<Apis['LeaveGroup']> = async (request, context) => {
  const { apiVersion, cluster, access } = context;
  if (!access.may('READ', 'GROUP', request.groupId)) {
    return { throttleTimeMs: 0, errorCode: errors.GROUP_AUTHORIZATION_FAILED.code, members: [] };
  }
  const isBatch = apiVersion >= 3;
  const leaving = isBatch ? request.members : [{ memberId: request.memberId, groupInstanceId: null }];
  const answer = await coordinatorAnswer(
    cluster.port.leaveGroup({
      groupId: request.groupId,
      members: leaving.map(({ memberId, groupInstanceId }) => ({ memberId, groupInstanceId })),
    }),
    context,
  );
  if (answer === undefined) {
    return { throttleTimeMs: 0, errorCode: errors.COORDINATOR_LOAD_IN_PROGRESS.code, members: [] };
  }
  if (answer.error !== 'NONE') {
    return { throttleTimeMs: 0, errorCode: errors[answer.error].code, members: [] };
  }
  if (!isBatch) return { throttleTimeMs: 0, errorCode: errors[answer.members[0]!].code };
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    members: leaving.map(({ memberId, groupInstanceId }, index) => ({
      memberId,
      groupInstanceId,
      errorCode: errors[answer.members[index]!].code,
    })),
  };
};
