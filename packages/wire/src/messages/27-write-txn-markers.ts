import { bool, int8, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const writeTxnMarkers = defineApi({
  key: 27,
  name: 'WriteTxnMarkers',
  versions: '1-2',
  flexible: '1+',
  request: {
    markers: structs({
      producerId: int64(),
      producerEpoch: int16(),
      transactionResult: bool(),
      topics: structs({
        name: string(),
        partitionIndexes: listOf(int32),
      }),
      coordinatorEpoch: int32(),
      transactionVersion: int8({ versions: '2+', default: 0, ignorable: true }),
    }),
  },
  response: {
    markers: structs({
      producerId: int64(),
      topics: structs({
        name: string(),
        partitions: structs({
          partitionIndex: int32(),
          errorCode: int16(),
        }),
      }),
    }),
  },
});
