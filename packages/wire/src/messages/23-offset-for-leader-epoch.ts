import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A consumer or a follower asks where an epoch ends, to learn whether its log was cut off (KIP-101).
 *
 * KIP-896 left v2, the first that fences old leaders (KIP-320), as the oldest. v3 adds the replica id, v4 the
 * flexible encoding.
 * A server of one constant epoch answers with the log end; Metadata, ListOffsets, Fetch and OffsetFetch must
 * then name that same epoch.
 */
export const offsetForLeaderEpoch = defineApi({
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: '2-4',
  flexible: '4+',
  request: {
    /** -1 for consumers, -2 for debugging tools; a request in v2 reads as -2. */
    replicaId: int32({ versions: '3+', default: -2, ignorable: true }),
    topics: structs({
      topic: string(),
      partitions: structs({
        partition: int32(),
        /** -1 skips the check; an older one is FENCED_LEADER_EPOCH, a newer one UNKNOWN_LEADER_EPOCH. */
        currentLeaderEpoch: int32({ default: -1 }),
        /** The epoch to look up. */
        leaderEpoch: int32(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      topic: string(),
      partitions: structs({
        errorCode: int16(),
        partition: int32(),
        /** The newest epoch not above the requested one; -1 if there is none. */
        leaderEpoch: int32({ default: -1 }),
        /** One past the last offset of that epoch; -1 if there is none. */
        endOffset: int64({ default: -1n }),
      }),
    }),
  },
});
