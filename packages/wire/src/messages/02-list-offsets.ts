import { int8, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client asks for the first offset at or after a timestamp, or for a named position of a partition.
 *
 * KIP-896 left v1 as the oldest. v2 adds the isolation level and the throttle time, v3 throttles after the
 * answer (KIP-219), v4 adds leader epochs (KIP-320), v5 OFFSET_NOT_AVAILABLE (KIP-207), v6 the flexible
 * encoding, v10 a timeout (KIP-1075); v7, v8, v9 and v11 add one position each.
 * Positions: -1 latest, -2 earliest, -3 first record of the maximum timestamp (v7+, KIP-734), -4 earliest
 * local (v8+, KIP-405), -5 last tiered (v9+, KIP-1005), -6 earliest pending upload (v11+, KIP-1023). One
 * below its version is UNSUPPORTED_VERSION for its partition; a partition named twice is INVALID_REQUEST.
 */
export const listOffsets = defineApi({
  key: 2,
  name: 'ListOffsets',
  versions: '1-11',
  flexible: '6+',
  request: {
    /** -1 for consumers, -2 for debugging tools, else the broker that replicates. */
    replicaId: int32(),
    /** 0 read_uncommitted: latest is the high watermark; 1 read_committed: it is the last stable offset. */
    isolationLevel: int8({ versions: '2+' }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        /** -1 skips the check; an older one is FENCED_LEADER_EPOCH, a newer one UNKNOWN_LEADER_EPOCH. */
        currentLeaderEpoch: int32({ versions: '4+', default: -1, ignorable: true }),
        /** Milliseconds since 1970, or a position. */
        timestamp: int64(),
      }),
    }),
    /** How long to wait for an answer from tiered storage. */
    timeoutMs: int32({ versions: '10+', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        /** Of the record found; -1 if there is none, and for all positions but -3. */
        timestamp: int64({ default: -1n }),
        /** -1 if there is no such record. */
        offset: int64({ default: -1n }),
        /** Of the record found; must be left out below v4. */
        leaderEpoch: int32({ versions: '4+', default: -1 }),
      }),
    }),
  },
});
