import { int16, int32, int64, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeShareGroupOffsets = defineApi({
  key: 90,
  name: 'DescribeShareGroupOffsets',
  versions: '0-1',
  flexible: '0+',
  request: {
    groups: structs({
      groupId: string(),
      topics: structs(
        {
          topicName: string(),
          partitions: listOf(int32),
        },
        { nullable: true },
      ),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    groups: structs({
      groupId: string(),
      topics: structs({
        topicName: string(),
        topicId: uuid(),
        partitions: structs({
          partitionIndex: int32(),
          startOffset: int64(),
          leaderEpoch: int32(),
          lag: int64({ versions: '1+', default: -1n, ignorable: true }),
          errorCode: int16(),
          errorMessage: string({ nullable: true, default: null }),
        }),
      }),
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
    }),
  },
});
