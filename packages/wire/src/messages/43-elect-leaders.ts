import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client triggers leader elections of partitions (KIP-183).
 *
 * v1 adds the election type and a top-level error (KIP-460), v2 the flexible encoding. Where the right replica leads
 * already it is ELECTION_NOT_NEEDED.
 */
export const electLeaders = defineApi({
  key: 43,
  name: 'ElectLeaders',
  versions: '0-2',
  flexible: '2+',
  request: {
    /** 0 the preferred replica, as always in v0; 1 unclean, even a replica that is not in sync. */
    electionType: int8({ versions: '1+' }),
    /** Null for all. */
    topicPartitions: structs(
      {
        topic: string(),
        partitions: listOf(int32),
      },
      { nullable: true },
    ),
    timeoutMs: int32({ default: 60000 }),
  },
  response: {
    throttleTimeMs: int32(),
    /** In v0 such an error has to be repeated for each partition. */
    errorCode: int16({ versions: '1+' }),
    replicaElectionResults: structs({
      topic: string(),
      partitionResult: structs({
        partitionId: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
      }),
    }),
  },
});
