import { int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
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
      transactionState: string(),
      transactionTimeoutMs: int32(),
      transactionStartTimeMs: int64(),
      producerId: int64(),
      producerEpoch: int16(),
      topics: structs({
        topic: string(),
        partitions: listOf(int32),
      }),
    }),
  },
});
