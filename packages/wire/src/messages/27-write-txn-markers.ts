import { bool, int8, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * Ends transactions in partitions. Kafka's coordinators send it to leaders; an operator sends it to abort a transaction
 * that hangs (`Admin.abortTransaction`, `kafka-transactions abort`).
 *
 * v1 is flexible, v2 adds the transaction version (KIP-1228). Requires CLUSTER_ACTION or ALTER on the cluster.
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
      topics: structs({ name: string(), partitionIndexes: listOf(int32) }),
      coordinatorEpoch: int32(),
      transactionVersion: int8({ versions: '2+', ignorable: true, default: 0 }),
    }),
  },
  response: {
    markers: structs({
      producerId: int64(),
      topics: structs({
        name: string(),
        partitions: structs({ partitionIndex: int32(), errorCode: int16() }),
      }),
    }),
  },
});
