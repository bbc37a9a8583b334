import { int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const topicPartitions = {
  topicId: uuid(),
  partitions: listOf(int32),
};

/**
 * TODO
 */
export const shareGroupHeartbeat = defineApi({
  key: 76,
  name: 'ShareGroupHeartbeat',
  versions: '1',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    rackId: string({ nullable: true, default: null }),
    subscribedTopicNames: listOf(string, { nullable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    memberId: string({ nullable: true, default: null }),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    assignment: struct(
      {
        topicPartitions: structs(topicPartitions),
      },
      { nullable: true, default: null },
    ),
  },
});
