import { bool, int8, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * The transaction coordinator has partition leaders write commit or abort markers; an admin tool aborts
 * hanging transactions with it.
 *
 * KIP-896 left v1, which is flexible, as the oldest; v2 adds the transaction version (KIP-1228).
 * A marker is a control batch of one record and takes one offset.
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
      /** True commits, false aborts. */
      transactionResult: bool(),
      topics: structs({
        name: string(),
        partitionIndexes: listOf(int32),
      }),
      /** Fences a coordinator that has lost its place. */
      coordinatorEpoch: int32(),
      /** 0 or 1: the epoch may equal that of the data; 2: it must be higher. */
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
