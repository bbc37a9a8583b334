import { int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeProducers = defineApi({
  key: 61,
  name: 'DescribeProducers',
  versions: '0',
  flexible: '0+',
  request: {
    topics: structs({
      name: string(),
      partitionIndexes: listOf(int32),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true, default: null }),
        activeProducers: structs({
          producerId: int64(),
          producerEpoch: int32(),
          lastSequence: int32({ default: -1 }),
          lastTimestamp: int64({ default: -1n }),
          coordinatorEpoch: int32(),
          currentTxnStartOffset: int64({ default: -1n }),
        }),
      }),
    }),
  },
});
