import { bool, int8, int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const topicPartitions = {
  topicId: uuid(),
  topicName: string(),
  partitions: listOf(int32),
};

const assignment = {
  topicPartitions: structs(topicPartitions),
};

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
  request: {
    groupIds: listOf(string),
    includeAuthorizedOperations: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    groups: structs({
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
      groupId: string(),
      /** Empty, Assigning, Reconciling, Stable or Dead. */
      groupState: string(),
      /** Rises with each change of members, subscriptions or topics. */
      groupEpoch: int32(),
      /** The group epoch that the target assignment was computed for. */
      assignmentEpoch: int32(),
      assignorName: string(),
      members: structs({
        memberId: string(),
        instanceId: string({ nullable: true, default: null }),
        rackId: string({ nullable: true, default: null }),
        memberEpoch: int32(),
        clientId: string(),
        clientHost: string(),
        subscribedTopicNames: listOf(string),
        subscribedTopicRegex: string({ nullable: true, default: null }),
        /** What the member owns now. */
        assignment: struct(assignment),
        /** What it will own after reconciliation. */
        targetAssignment: struct(assignment),
        /** 0 classic, 1 consumer, -1 unknown. */
        memberType: int8({ versions: '1+', default: -1, ignorable: true }),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
