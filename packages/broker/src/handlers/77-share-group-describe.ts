import type { Apis } from '@weir/wire';
import { describedGroups, describedMember } from '../groups/described-groups.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * ShareGroupDescribe v1.
 *
 * - A group that does not exist, or has another type, is GROUP_ID_NOT_FOUND.
 * - If the control plane is unavailable or fails, every group is COORDINATOR_LOAD_IN_PROGRESS.
 * - A group with topics that the client may not DESCRIBE is TOPIC_AUTHORIZATION_FAILED.
 */
export const shareGroupDescribeHandler: HandlerOf<Apis['ShareGroupDescribe']> = (request, context) =>
  describedGroups(request, context, {
    describe: (port, groupIds) => port.describeShareGroups(groupIds),
    membersOf: ({ members }) => members.map((member) => describedMember(member, context)),
  });
