import { int16, int32, int64, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client reads the offsets of share groups in their partitions (KIP-932).
 *
 * v1 adds the lag (KIP-1226).
 */
export const describeShareGroupOffsets = defineApi({
  key: 90,
  name: 'DescribeShareGroupOffsets',
  versions: '0-1',
  flexible: '0+',
  request: {
    groups: structs({
      groupId: string(),
      /** Null for all. */
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
          /** All records below it are acknowledged; -1 if the group has not started or on an error. */
          startOffset: int64(),
          leaderEpoch: int32(),
          /** Records still to be delivered; -1 if unknown. */
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
