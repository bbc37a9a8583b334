import { int8, string, struct } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { describedAssignment, describedGroups, describedMember, groupsToDescribe } from './shared-fields.ts';

/**
 * An admin client describes KIP-848 consumer groups and their members.
 *
 * v1 distinguishes classic members from new ones (KIP-1099). A classic group is GROUP_ID_NOT_FOUND here, upon which the
 * Java client asks DescribeGroups.
 */
export const consumerGroupDescribe = defineApi({
  key: 69,
  name: 'ConsumerGroupDescribe',
  versions: '0-1',
  flexible: '0+',
  request: groupsToDescribe,
  response: describedGroups({
    memberId: string(),
    instanceId: string({ nullable: true, default: null }),
    ...describedMember,
    subscribedTopicRegex: string({ nullable: true, default: null }),
    /** What the member owns now. */
    assignment: struct(describedAssignment),
    /** What it will own after reconciliation. */
    targetAssignment: struct(describedAssignment),
    /** 0 classic, 1 consumer, -1 unknown. */
    memberType: int8({ versions: '1+', default: -1, ignorable: true }),
  }),
});
