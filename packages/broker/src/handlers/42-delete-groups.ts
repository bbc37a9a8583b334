import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DeleteGroups v0 to v2: deletes groups of any type and their offsets, unless they have members.
 *
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires DELETE on each group. If the request has too many groups, all of them are INVALID_REQUEST.
 */
export const deleteGroupsHandler: HandlerOf<Apis['DeleteGroups']> = async ({ groupsNames }, context) => {
  const { cluster, access } = context;
  const groupIds = [...new Set(groupsNames)];
  if (tooManyProblem(groupsNames.length) !== undefined) {
    const { code: errorCode } = errors.INVALID_REQUEST;
    return { throttleTimeMs: 0, results: groupIds.map((groupId) => ({ groupId, errorCode })) };
  }
  const permitted = groupIds.filter((groupId) => access.may('DELETE', 'GROUP', groupId));
  const deleted =
    permitted.length === 0 ? [] : await coordinatorAnswer(cluster.port.deleteGroups(permitted), context);
  const places = new Map(permitted.map((groupId, index) => [groupId, index]));
  return {
    throttleTimeMs: 0,
    results: groupIds.map((groupId) => {
      const place = places.get(groupId);
      const error: ErrorName =
        place === undefined
          ? 'GROUP_AUTHORIZATION_FAILED'
          : (deleted?.[place] ?? 'COORDINATOR_LOAD_IN_PROGRESS');
      return { groupId, errorCode: errors[error].code };
    }),
  };
};
