import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { partitionResults } from './shared-fields.ts';

/**
 * A transactional producer stores consumer offsets that take effect only if its transaction commits.
 *
 * v1 throttles after the answer (KIP-219), v2 adds leader epochs (KIP-320), v3 group membership and the flexible
 * encoding (KIP-447), v4 TRANSACTION_ABORTABLE and v5 implicit AddOffsetsToTxn (both KIP-890). The offsets stay pending
 * until the marker; an OffsetFetch that asks for stable offsets gets an error. v5 obliges only a server that advertises
 * transaction.version 2. GROUP_ID_NOT_FOUND and STALE_MEMBER_EPOCH are sent as ILLEGAL_GENERATION in all these
 * versions.
 */
export const txnOffsetCommit = defineApi({
  key: 28,
  name: 'TxnOffsetCommit',
  versions: '0-5',
  flexible: '3+',
  request: {
    transactionalId: string(),
    groupId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    /** -1 without membership; member and generation are checked only if given. */
    generationId: int32({ versions: '3+', default: -1 }),
    memberId: string({ versions: '3+', default: '' }),
    groupInstanceId: string({ versions: '3+', nullable: true, default: null }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        committedOffset: int64(),
        /** Of the last record read; -1 if unknown. */
        committedLeaderEpoch: int32({ versions: '2+', default: -1, ignorable: true }),
        committedMetadata: string({ nullable: true }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: partitionResults,
  },
});
