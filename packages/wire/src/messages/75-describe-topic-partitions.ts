import { bool, int16, int32, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client describes topics page by page (KIP-966).
 *
 * v0 is the only version.
 * Topics are sorted by name, and a topic may be split over two pages. The Java client falls back on Metadata
 * if it is missing.
 */
export const describeTopicPartitions = defineApi({
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: '0',
  flexible: '0+',
  request: {
    /** Empty for all. */
    topics: structs({
      name: string(),
    }),
    /** Partitions per page; the server may give fewer. */
    responsePartitionLimit: int32({ default: 2000 }),
    /** The first partition of the page: the previous nextCursor. Null for the first page. */
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
        /** -1 if there is none. */
        leaderId: int32(),
        leaderEpoch: int32({ default: -1 }),
        replicaNodes: listOf(int32),
        isrNodes: listOf(int32),
        /** Out of sync, yet known to hold all committed records. */
        eligibleLeaderReplicas: listOf(int32, { nullable: true, default: null }),
        /** The last eligible ones, once none is left. */
        lastKnownElr: listOf(int32, { nullable: true, default: null }),
        offlineReplicas: listOf(int32),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      topicAuthorizedOperations: int32({ default: -2147483648 }),
    }),
    /** Null on the last page. */
    nextCursor: struct(
      {
        topicName: string(),
        partitionIndex: int32(),
      },
      { nullable: true, default: null },
    ),
  },
});
