import { bool, int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeTopicPartitions = defineApi({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: '0',
  flexible: '0+',
  request: {
    topics: structs({
      name: string(),
    }),
    responsePartitionLimit: int32({ default: 2000 }),
    cursor: struct(
      {
        topicName: string(),
        partitionIndex: int32(),
      },
      { nullable: true, default: null },
    ),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      errorCode: int16(),
      name: string({ nullable: true }),
      topicId: uuid(),
      isInternal: bool({ default: false }),
      partitions: structs({
        errorCode: int16(),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ default: -1 }),
        replicaNodes: listOf(int32),
        isrNodes: listOf(int32),
        eligibleLeaderReplicas: listOf(int32, { nullable: true, default: null }),
        lastKnownElr: listOf(int32, { nullable: true, default: null }),
        offlineReplicas: listOf(int32),
      }),
      topicAuthorizedOperations: int32({ default: -2147483648 }),
    }),
    nextCursor: struct(
      {
        topicName: string(),
        partitionIndex: int32(),
      },
      { nullable: true, default: null },
    ),
  },
});
