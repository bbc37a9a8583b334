import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DeleteGroups v0 to v2: groups of any type go with all of their offsets, unless they have members.
 *
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 * - It takes DELETE on each group. More groups than a request may name are INVALID_REQUEST, all of them.
 */
export const deleteGroupsHandler: HandlerOf<Apis['DeleteGroups']> = async ({ groupsNames }, context) => {
  const { cluster, access } = context;
  const groupIds = [...new Set(groupsNames)];
  if (tooManyProblem(groupsNames.length) !== undefined) {
    const { code: errorCode } = errors.INVALID_REQUEST;
    return { throttleTimeMs: 0, results: groupIds.map((groupId) => ({ groupId, errorCode })) };
  }
  const permitted = groupIds.filter((groupId) => access.may('DELETE', 'GROUP', groupId));
  const deleted = permitted.length === 0 ? [] : await ifAvailable(cluster.port.deleteGroups(permitted));
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
