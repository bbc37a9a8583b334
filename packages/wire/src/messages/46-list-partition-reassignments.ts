import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const listPartitionReassignments = defineApi({
  key: 46,
  name: 'ListPartitionReassignments',
  versions: '0',
  flexible: '0+',
  request: {
    timeoutMs: int32({ default: 60000 }),
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
        replicas: listOf(int32),
        addingReplicas: listOf(int32),
        removingReplicas: listOf(int32),
      }),
    }),
  },
});
