import { bool, int16, int32, int64, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A consumer or an admin tool reads the offsets that groups have committed.
 *
 * KIP-896 left v1 as the oldest. v2 can ask for all topics (KIP-88), v3 adds the throttle time, v4 throttles
 * after the answer (KIP-219), v5 adds leader epochs (KIP-320), v6 the flexible encoding, v7 stable offsets
 * (KIP-447), v8 asks for many groups at once (KIP-709), v9 serves KIP-848 members, v10 has topic ids
 * (KIP-848).
 * Up to v7 there is one group at the top level, from v8 on a list; stable offsets and leader epochs count in
 * both. A partition without a commit is no error but offset -1, epoch -1 and empty metadata; a group that
 * does not exist has no partitions and no error either.
 */
export const offsetFetch = defineApi({
  key: 9,
  name: 'OffsetFetch',
  versions: '1-10',
  flexible: '6+',
  request: {
    groupId: string({ versions: '1-7' }),
    /** Null asks for every partition with a commit (v2+). */
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
        /** Checked only if it comes with a member id; -1 without membership. */
        memberEpoch: int32({ versions: '9+', default: -1, ignorable: true }),
        /** Null asks for every partition with a commit. */
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
    /** Return UNSTABLE_OFFSET_COMMIT instead of the old offset where a transaction has a pending commit. */
    requireStable: bool({ versions: '7+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true }),
    topics: structs(
      {
        name: string(),
        partitions: structs({
          partitionIndex: int32(),
          /** -1 without a commit. */
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
            /** -1 without a commit. */
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
