import { int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client lists the transactional ids that this broker coordinates (KIP-664); it asks every broker.
 *
 * v1 filters by duration (KIP-994), v2 by a pattern of ids (KIP-1152).
 * Ids that the client may not describe are left out without an error. The exactly-once sink of Flink 2
 * depends on this API.
 */
export const listTransactions = defineApi({
  key: 66,
  name: 'ListTransactions',
  versions: '0-2',
  flexible: '0+',
  request: {
    /** Empty for all, as the other filters. */
    stateFilters: listOf(string),
    producerIdFilters: listOf(int64),
    /** Only transactions that run longer than these milliseconds; -1 for all. */
    durationFilter: int64({ versions: '1+', default: -1n }),
    /** A regular expression, RE2; null or empty for all; an invalid one is INVALID_REGULAR_EXPRESSION. */
    transactionalIdPattern: string({ versions: '2+', nullable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    /** Filters that name no known state, which is no error. */
    unknownStateFilters: listOf(string),
    transactionStates: structs({
      transactionalId: string(),
      producerId: int64(),
      transactionState: string(),
    }),
  },
});
