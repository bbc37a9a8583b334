import { bool, int8, int16, int32, int64, records, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import {
  acknowledgedTopics,
  currentLeader,
  nodeEndpoints,
  partitionsById,
  result,
  shareSession,
  throttledResult,
} from './shared-fields.ts';

/**
 * A member of a share group acquires records for a time and acknowledges earlier ones (KIP-932).
 *
 * v0 was an early access of Kafka 4.0 and is gone. v2 adds a strict limit of records (KIP-1206) and renewal
 * of locks (KIP-1222).
 * Sessions are mandatory: a missing one is SHARE_SESSION_NOT_FOUND, a wrong epoch
 * INVALID_SHARE_SESSION_EPOCH, one too many SHARE_SESSION_LIMIT_REACHED. Only `acquiredRecords` belong to the
 * member: `records` holds whole batches and may have more. An acknowledgement of records that it does not
 * hold is INVALID_RECORD_STATE.
 */
export const shareFetch = defineApi({
  key: 78,
  name: 'ShareFetch',
  versions: '1-2',
  flexible: '0+',
  request: {
    ...shareSession,
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 2147483647 }),
    /** Exceeded to the end of a batch unless shareAcquireMode is 1. */
    maxRecords: int32(),
    /** The preferred number of records in one entry of acquiredRecords. */
    batchSize: int32(),
    /** 0 batches, which may exceed maxRecords; 1 records, which may not. */
    shareAcquireMode: int8({ versions: '2+', default: 0, ignorable: true }),
    /** Has acknowledgements of type 4, and then fetches nothing: the limits above must be 0. */
    isRenewAck: bool({ versions: '2+', default: false }),
    topics: acknowledgedTopics,
    /** Partitions to drop from the session. */
    forgottenTopicsData: structs(partitionsById),
  },
  response: {
    ...throttledResult,
    /** How long the acquired records are locked for the member. */
    acquisitionLockTimeoutMs: int32(),
    responses: structs({
      topicId: uuid(),
      partitions: structs({
        partitionIndex: int32(),
        ...result,
        acknowledgeErrorCode: int16(),
        acknowledgeErrorMessage: string({ nullable: true, default: null }),
        currentLeader,
        records: records(),
        acquiredRecords: structs({
          firstOffset: int64(),
          /** Inclusive. */
          lastOffset: int64(),
          /** 1 for the first delivery; beyond the limit of the group a record is archived. */
          deliveryCount: int16(),
        }),
      }),
    }),
    nodeEndpoints,
  },
});
