import type { GroupError } from '@weir/cluster';
import { coreLimits } from '@weir/core';

export function isGroupId(groupId: string): boolean {
  return groupId !== '' && !isTooLong(groupId);
}

/** For all names that clients send: of groups, members, instances and clients. */
export function isTooLong(name: string): boolean {
  return name.length > coreLimits.groupNameCharsMax;
}

/** The error for a group that does not exist. */
export function notFound(groupId: string): GroupError {
  return groupId === '' ? 'INVALID_GROUP_ID' : 'GROUP_ID_NOT_FOUND';
}
