import { bool, int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
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
      /** Empty, Stable or Dead. */
      groupState: string(),
      groupEpoch: int32(),
      /** The group epoch that the assignment was computed for. */
      assignmentEpoch: int32(),
      assignorName: string(),
      members: structs({
        memberId: string(),
        rackId: string({ nullable: true, default: null }),
        memberEpoch: int32(),
        clientId: string(),
        clientHost: string(),
        subscribedTopicNames: listOf(string),
        assignment: struct(assignment),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
