import { bool, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const alterPartitionReassignments = defineApi({
  key: 45,
  name: 'AlterPartitionReassignments',
  versions: '0-1',
  flexible: '0+',
  request: {
    timeoutMs: int32({ default: 60000 }),
    allowReplicationFactorChange: bool({ versions: '1+', default: true }),
    topics: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        replicas: listOf(int32, { nullable: true, default: null }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    allowReplicationFactorChange: bool({ versions: '1+', default: true, ignorable: true }),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    responses: structs({
      name: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
      }),
    }),
  },
});
