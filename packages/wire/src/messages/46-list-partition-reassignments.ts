import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client lists the reassignments in progress (KIP-455).
 *
 * v0 is the only version. Partitions that are not being moved are left out, so a server that moves none answers with an
 * empty list.
 */
export const listPartitionReassignments = defineApi({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: '0',
  flexible: '0+',
  request: {
    timeoutMs: int32({ default: 60000 }),
    /** Null for all. */
    topics: structs(
      {
        name: string(),
        partitionIndexes: listOf(int32),
      },
      { nullable: true, default: null },
    ),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        /** All of the present ones, with those being added or removed. */
        replicas: listOf(int32),
        addingReplicas: listOf(int32),
        removingReplicas: listOf(int32),
      }),
    }),
  },
});
