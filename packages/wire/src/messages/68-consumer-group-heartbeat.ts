import { int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const topicPartitions = {
  topicId: uuid(),
  partitions: listOf(int32),
};

/**
 * TODO
 */
export const consumerGroupHeartbeat = defineApi({
  key: 68,
  name: 'ConsumerGroupHeartbeat',
  versions: '0-1',
  flexible: '0+',
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    instanceId: string({ nullable: true, default: null }),
    rackId: string({ nullable: true, default: null }),
    rebalanceTimeoutMs: int32({ default: -1 }),
    subscribedTopicNames: listOf(string, { nullable: true, default: null }),
    subscribedTopicRegex: string({ versions: '1+', nullable: true, default: null }),
    serverAssignor: string({ nullable: true, default: null }),
    topicPartitions: structs(
      {
        topicId: uuid(),
        partitions: listOf(int32),
      },
      { nullable: true, default: null },
    ),
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
