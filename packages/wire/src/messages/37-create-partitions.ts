import { bool, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client adds partitions to topics (KIP-195).
 *
 * v1 throttles after the answer (KIP-219), v2 is flexible, v3 adds THROTTLING_QUOTA_EXCEEDED (KIP-599).
 * A count that is not above the present one is INVALID_PARTITIONS; partitions are never removed.
 */
export const createPartitions = defineApi({
  key: 37,
  name: 'CreatePartitions',
  versions: '0-3',
  flexible: '2+',
  request: {
    topics: structs({
      name: string(),
      /** The total after the call, not the number of added partitions. */
      count: int32(),
      /** One per new partition; null lets the server place the replicas. */
      assignments: structs(
        {
          brokerIds: listOf(int32),
        },
        { nullable: true },
      ),
    }),
    timeoutMs: int32(),
    /** Validates the request without changing anything. */
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      name: string(),
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
    }),
  },
});
