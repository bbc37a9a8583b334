import { bool, int8, int16, int32, int64, listOf, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A member of a share group acknowledges the records it acquired, without fetching more (KIP-932).
 *
 * v0 was an early access of Kafka 4.0 and is gone; v2 adds renewal of locks (KIP-1222). It shares the session and its
 * epoch with ShareFetch but cannot open one. Records that the member does not hold, or no longer, are
 * INVALID_RECORD_STATE.
 */
export const shareAcknowledge = defineApi({
  key: 79,
  name: 'ShareAcknowledge',
  versions: '1-2',
  flexible: '0+',
  request: {
    groupId: string({ nullable: true, default: null }),
    memberId: string({ nullable: true }),
    /** -1 closes the session, which releases what is still acquired; 0 is INVALID_SHARE_SESSION_EPOCH. */
    shareSessionEpoch: int32(),
    /** Has acknowledgements of type 4. */
    isRenewAck: bool({ versions: '2+', default: false }),
    topics: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        acknowledgementBatches: structs({
          firstOffset: int64(),
          /** Inclusive. */
          lastOffset: int64(),
          /** One for the range or one per offset: 0 gap, 1 accept, 2 release, 3 reject, 4 renew (v2+). */
          acknowledgeTypes: listOf(int8),
        }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    /** How long renewed records are locked for the member. */
    acquisitionLockTimeoutMs: int32({ versions: '2+', ignorable: true }),
    responses: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true, default: null }),
        /** Filled only with NOT_LEADER_OR_FOLLOWER or FENCED_LEADER_EPOCH. */
        currentLeader: struct({
          leaderId: int32(),
          leaderEpoch: int32(),
        }),
      }),
    }),
    /** Where to reach the leaders named above. */
    nodeEndpoints: structs({
      nodeId: int32(),
      host: string(),
      port: int32(),
      rack: string({ nullable: true, default: null }),
    }),
  },
});
