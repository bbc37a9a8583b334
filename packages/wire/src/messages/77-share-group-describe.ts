import { string, struct } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { describedAssignment, describedGroups, describedMember, groupsToDescribe } from './shared-fields.ts';

/**
 * An admin client describes share groups and their members (KIP-932).
 *
 * v0 was an early access of Kafka 4.0 and is gone; v1 is the first stable version. A missing group, or one of another
 * type, is GROUP_ID_NOT_FOUND.
 */
export const shareGroupDescribe = defineApi({
  key: 77,
  name: 'ShareGroupDescribe',
  versions: '1',
  flexible: '0+',
  request: groupsToDescribe,
  response: describedGroups({
    memberId: string(),
    ...describedMember,
    assignment: struct(describedAssignment),
  }),
});
