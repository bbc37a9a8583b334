import { bool, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client moves partitions to other brokers or calls that off (KIP-455).
 *
 * v0 is flexible from the start; v1 can forbid that the number of replicas changes (KIP-860).
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
        /** Null cancels; with nothing to cancel it is NO_REASSIGNMENT_IN_PROGRESS. */
        replicas: listOf(int32, { nullable: true, default: null }),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    /** Repeats the request. */
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
