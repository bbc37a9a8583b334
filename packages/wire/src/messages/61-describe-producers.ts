import { int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { result } from './shared-fields.ts';

/**
 * An admin client lists the producers that write to partitions, to find hanging transactions (KIP-664).
 *
 * v0 is the only version. The leader of each partition answers, and READ on the topic is needed. Idempotent producers
 * are listed too.
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
        ...result,
        activeProducers: structs({
          producerId: int64(),
          /** Four bytes here, two everywhere else. */
          producerEpoch: int32(),
          /** -1 if it has written nothing since its epoch began. */
          lastSequence: int32({ default: -1 }),
          /** Milliseconds since 1970; -1 if unknown. */
          lastTimestamp: int64({ default: -1n }),
          /** Of the last marker; -1 if there was none. */
          coordinatorEpoch: int32(),
          /** -1 without an open transaction. */
          currentTxnStartOffset: int64({ default: -1n }),
        }),
      }),
    }),
  },
});
