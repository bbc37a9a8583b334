import { bool, int16, int32, int64, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const offsetFetch = defineApi({
  key: 9,
  name: 'OffsetFetch',
  versions: '1-10',
  flexible: '6+',
  request: {
    groupId: string({ versions: '1-7' }),
    topics: structs(
      {
        name: string(),
        partitionIndexes: listOf(int32),
      },
      { versions: '1-7', nullable: '2-7' },
    ),
    groups: structs(
      {
        groupId: string(),
        memberId: string({ versions: '9+', nullable: true, default: null, ignorable: true }),
        memberEpoch: int32({ versions: '9+', default: -1, ignorable: true }),
        topics: structs(
          {
            name: string({ versions: '8-9', ignorable: true }),
            topicId: uuid({ versions: '10+', ignorable: true }),
            partitionIndexes: listOf(int32),
          },
          { nullable: true },
        ),
      },
      { versions: '8+' },
    ),
    requireStable: bool({ versions: '7+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true }),
    topics: structs(
      {
        name: string(),
        partitions: structs({
          partitionIndex: int32(),
          committedOffset: int64(),
          committedLeaderEpoch: int32({ versions: '5+', default: -1, ignorable: true }),
          metadata: string({ nullable: true }),
          errorCode: int16(),
        }),
      },
      { versions: '1-7' },
    ),
    errorCode: int16({ versions: '2-7', default: 0, ignorable: true }),
    groups: structs(
      {
        groupId: string(),
        topics: structs({
          name: string({ versions: '8-9', ignorable: true }),
          topicId: uuid({ versions: '10+', ignorable: true }),
          partitions: structs({
            partitionIndex: int32(),
            committedOffset: int64(),
            committedLeaderEpoch: int32({ default: -1 }),
            metadata: string({ nullable: true }),
            errorCode: int16(),
          }),
        }),
        errorCode: int16({ default: 0 }),
      },
      { versions: '8+' },
    ),
  },
});
