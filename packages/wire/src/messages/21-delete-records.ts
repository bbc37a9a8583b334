import { int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client moves the start of a log forward (KIP-107); Kafka Streams purges repartition topics by it.
 *
 * v1 throttles after the answer (KIP-219), v2 is flexible. An offset above the high watermark is OFFSET_OUT_OF_RANGE; a
 * topic that is only compacted is POLICY_VIOLATION. Producers whose last batches are removed are forgotten.
 */
export const deleteRecords = defineApi({
  key: 21,
  name: 'DeleteRecords',
  versions: '0-2',
  flexible: '2+',
  request: {
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        /** The new start; -1 for the high watermark. */
        offset: int64(),
      }),
    }),
    timeoutMs: int32(),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        /** The start after the call; -1 on an error. */
        lowWatermark: int64(),
        errorCode: int16(),
      }),
    }),
  },
});
