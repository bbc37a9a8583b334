import { int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client describes the state of transactional ids (KIP-664).
 *
 * v0 is the only version. The coordinator of each id answers; a missing id is TRANSACTIONAL_ID_NOT_FOUND.
 */
export const describeTransactions = defineApi({
  key: 65,
  name: 'DescribeTransactions',
  versions: '0',
  flexible: '0+',
  request: {
    transactionalIds: listOf(string),
  },
  response: {
    throttleTimeMs: int32(),
    transactionStates: structs({
      errorCode: int16(),
      transactionalId: string(),
      /** Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort or Dead. */
      transactionState: string(),
      transactionTimeoutMs: int32(),
      /** Milliseconds since 1970; -1 if there is none. */
      transactionStartTimeMs: int64(),
      producerId: int64(),
      producerEpoch: int16(),
      /** While it ends, only the partitions that still lack their marker. */
      topics: structs({
        topic: string(),
        partitions: listOf(int32),
      }),
    }),
  },
});
