import { int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const listTransactions = defineApi({
  key: 66,
  name: 'ListTransactions',
  versions: '0-2',
  flexible: '0+',
  request: {
    stateFilters: listOf(string),
    producerIdFilters: listOf(int64),
    durationFilter: int64({ versions: '1+', default: -1n }),
    transactionalIdPattern: string({ versions: '2+', nullable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    unknownStateFilters: listOf(string),
    transactionStates: structs({
      transactionalId: string(),
      producerId: int64(),
      transactionState: string(),
    }),
  },
});
