import { bool, int16, int32, int64, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A producer obtains a producer id and epoch; with a transactional id it also fences older instances.
 *
 * v1 throttles after the answer (KIP-219), v2 is flexible, v3 lets a producer have its epoch bumped
 * (KIP-360), v4 adds PRODUCER_FENCED, sent as INVALID_PRODUCER_EPOCH below (KIP-588), v5
 * TRANSACTION_ABORTABLE (KIP-890), v6 two-phase commit (KIP-939).
 * Without a transactional id the producer id is always fresh and its epoch 0. An open transaction is aborted
 * first, and the answer is CONCURRENT_TRANSACTIONS until that is done.
 */
export const initProducerId = defineApi({
  key: 22,
  name: 'InitProducerId',
  versions: '0-6',
  flexible: '2+',
  // Kafka 4.3 and 4.4 mark v6 as unstable: as long as KIP-939 is unfinished its layout may change, so clients
  // must not see it.
  highestStableVersion: 5,
  request: {
    /** Null for idempotence alone; empty is INVALID_REQUEST. */
    transactionalId: string({ nullable: true }),
    /** Counts with a transactional id only: out of range it is INVALID_TRANSACTION_TIMEOUT. */
    transactionTimeoutMs: int32(),
    /** What the producer holds, to be bumped. It is -1 if and only if the epoch is, else INVALID_REQUEST. */
    producerId: int64({ versions: '3+', default: -1n }),
    producerEpoch: int16({ versions: '3+', default: -1 }),
    enable2Pc: bool({ versions: '6+', default: false }),
    /** Leaves a prepared transaction open for the client to decide. */
    keepPreparedTxn: bool({ versions: '6+', default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    producerId: int64({ default: -1n }),
    producerEpoch: int16(),
    /** Of the prepared transaction left open; -1 if there is none. */
    ongoingTxnProducerId: int64({ versions: '6+', default: -1n }),
    ongoingTxnProducerEpoch: int16({ versions: '6+', default: -1 }),
  },
});
