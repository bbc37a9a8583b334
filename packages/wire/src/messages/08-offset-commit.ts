import { int16, int32, int64, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A group member stores how far it has read; an admin tool does so for an empty group.
 *
 * KIP-896 left v2 as the oldest. v3 adds the throttle time, v4 throttles after the answer (KIP-219), v5 drops
 * the retention time (KIP-211), v6 adds leader epochs (KIP-320), v7 static members (KIP-345), v8 the flexible
 * encoding, v9 serves KIP-848 groups, v10 has topic ids (KIP-848).
 * Generation -1 is allowed while the group is empty, and creates a missing one. Any other for a missing group
 * is GROUP_ID_NOT_FOUND from v9 on and ILLEGAL_GENERATION below; STALE_MEMBER_EPOCH likewise.
 */
export const offsetCommit = defineApi({
  key: 8,
  name: 'OffsetCommit',
  versions: '2-10',
  flexible: '8+',
  request: {
    groupId: string(),
    /** The generation of a classic group, the member epoch of a KIP-848 one; -1 without membership. */
    generationIdOrMemberEpoch: int32({ default: -1 }),
    memberId: string(),
    groupInstanceId: string({ versions: '7+', nullable: true, default: null }),
    /** -1 for the configured default of the server. */
    retentionTimeMs: int64({ versions: '2-4', default: -1n, ignorable: true }),
    topics: structs({
      name: string({ versions: '2-9', ignorable: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        committedOffset: int64(),
        /** Of the last record read; -1 if unknown. */
        committedLeaderEpoch: int32({ versions: '6+', default: -1, ignorable: true }),
        /** Free text of the client; above 4096 it is OFFSET_METADATA_TOO_LARGE. */
        committedMetadata: string({ nullable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true }),
    topics: structs({
      name: string({ versions: '2-9', ignorable: true }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
      }),
    }),
  },
});
