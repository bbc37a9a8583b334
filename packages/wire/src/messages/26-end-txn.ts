import { bool, int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A transactional producer commits or aborts its transaction.
 *
 * v1 throttles after the answer (KIP-219), v2 adds PRODUCER_FENCED, sent as INVALID_PRODUCER_EPOCH below
 * (KIP-588), v3 the flexible encoding, v4 TRANSACTION_ABORTABLE and v5 a new epoch per transaction (both
 * KIP-890).
 * Ending a transaction twice the same way is no error; while markers are written it is
 * CONCURRENT_TRANSACTIONS.
 * In v5 a retry is known by an epoch one below the stored one, and an abort may come with nothing to abort.
 */
export const endTxn = defineApi({
  key: 26,
  name: 'EndTxn',
  versions: '0-5',
  flexible: '3+',
  request: {
    transactionalId: string(),
    producerId: int64(),
    producerEpoch: int16(),
    /** True commits, false aborts. */
    committed: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    /** Id and epoch for the next transaction: the epoch is bumped, the id rarely changes. */
    producerId: int64({ versions: '5+', default: -1n, ignorable: true }),
    producerEpoch: int16({ versions: '5+', default: -1, ignorable: true }),
  },
});
