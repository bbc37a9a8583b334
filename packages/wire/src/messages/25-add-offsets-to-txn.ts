import { int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A transactional producer announces that it will commit offsets of a group within its transaction.
 *
 * v1 throttles after the answer (KIP-219), v2 adds PRODUCER_FENCED, sent as INVALID_PRODUCER_EPOCH below
 * (KIP-588), v3 the flexible encoding, v4 TRANSACTION_ABORTABLE (KIP-890).
 * It makes the group's offsets a participant of the transaction, so that they get a marker. Clients of
 * transaction.version 2 do not send it: TxnOffsetCommit v5 implies it.
 */
export const addOffsetsToTxn = defineApi({
  key: 25,
  name: 'AddOffsetsToTxn',
  versions: '0-4',
  flexible: '3+',
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    groupId: string(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
  },
});
