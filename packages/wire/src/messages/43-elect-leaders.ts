import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const electLeaders = defineApi({
  key: 43,
  name: 'ElectLeaders',
  versions: '0-2',
  flexible: '2+',
  request: {
    electionType: int8({ versions: '1+' }),
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
