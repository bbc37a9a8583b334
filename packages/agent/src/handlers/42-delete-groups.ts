import { type Apis, errors } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * DeleteGroups v0 to v2: groups of any type go with all of their offsets, unless they have members.
 *
 * When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS for every group.
 */
export const deleteGroupsHandler: HandlerOf<Apis['DeleteGroups']> = async ({ groupsNames }, { cluster }) => {
  const groupIds = [...new Set(groupsNames)];
  const deleted = await ifAvailable(cluster.port.deleteGroups(groupIds));
  return {
    throttleTimeMs: 0,
    results: groupIds.map((groupId, index) => ({
      groupId,
      errorCode: errors[deleted?.[index] ?? 'COORDINATOR_LOAD_IN_PROGRESS'].code,
    })),
  };
};
