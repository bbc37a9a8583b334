import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

const protocolFromVersion = 5;

/**
 * SyncGroup v0 to v5: the leader of a classic group submits the assignment, and each member receives its part.
 *
 * - From v5 on, a request without protocol type and name is INCONSISTENT_GROUP_PROTOCOL.
 * - An error is returned in the response with an empty assignment; the connection stays open.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires READ on the group.
 */
export const syncGroupHandler: HandlerOf<Apis['SyncGroup']> = async (request, context) => {
  const { cluster, access, apiVersion } = context;
  if (!access.may('READ', 'GROUP', request.groupId)) return failed('GROUP_AUTHORIZATION_FAILED');
  if (apiVersion >= protocolFromVersion && (request.protocolType === null || request.protocolName === null)) {
    return failed('INCONSISTENT_GROUP_PROTOCOL');
  }
  const answer = await coordinatorAnswer(
    cluster.port.syncGroup({
      groupId: request.groupId,
      generationId: request.generationId,
      memberId: request.memberId,
      groupInstanceId: request.groupInstanceId,
      protocolType: request.protocolType,
      protocolName: request.protocolName,
      // A copy, because the group retains it and the memory of the frame is reused.
      assignments: request.assignments.map(({ memberId, assignment }) => ({
        memberId,
        assignment: Buffer.from(assignment),
      })),
    }),
    context,
  );
  if (answer === undefined) return failed('COORDINATOR_LOAD_IN_PROGRESS');
  if (answer.error !== 'NONE') return failed(answer.error);
  const { protocolType, protocolName, assignment } = answer;
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    protocolType,
    protocolName,
    assignment: Buffer.from(assignment.buffer, assignment.byteOffset, assignment.byteLength),
  };
};

function failed(error: ErrorName) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, assignment: Buffer.alloc(0) };
}
