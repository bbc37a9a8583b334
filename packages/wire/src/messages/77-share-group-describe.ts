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
 * TODO
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
      groupState: string(),
      groupEpoch: int32(),
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
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
