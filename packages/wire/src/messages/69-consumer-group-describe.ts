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
 * TODO
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
      groupState: string(),
      groupEpoch: int32(),
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
        assignment: struct(assignment),
        targetAssignment: struct(assignment),
        memberType: int8({ versions: '1+', default: -1, ignorable: true }),
      }),
      authorizedOperations: int32({ default: -2147483648 }),
    }),
  },
});
