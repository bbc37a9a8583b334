import { bool, int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const metadata = defineApi({
  key: 3,
  name: 'Metadata',
  versions: '0-13',
  flexible: '9+',
  request: {
    topics: structs(
      {
        topicId: uuid({ versions: '10+', ignorable: true }),
        name: string({ nullable: '10+' }),
      },
      { nullable: '1+' },
    ),
    allowAutoTopicCreation: bool({ versions: '4+', default: true }),
    includeClusterAuthorizedOperations: bool({ versions: '8-10' }),
    includeTopicAuthorizedOperations: bool({ versions: '8+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '3+', ignorable: true }),
    brokers: structs({
      nodeId: int32(),
      host: string(),
      port: int32(),
      rack: string({ versions: '1+', nullable: true, default: null, ignorable: true }),
    }),
    clusterId: string({ versions: '2+', nullable: true, default: null, ignorable: true }),
    controllerId: int32({ versions: '1+', default: -1, ignorable: true }),
    topics: structs({
      errorCode: int16(),
      name: string({ nullable: '12+' }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      isInternal: bool({ versions: '1+', default: false, ignorable: true }),
      partitions: structs({
        errorCode: int16(),
        partitionIndex: int32(),
        leaderId: int32(),
        leaderEpoch: int32({ versions: '7+', default: -1, ignorable: true }),
        replicaNodes: listOf(int32),
        isrNodes: listOf(int32),
        offlineReplicas: listOf(int32, { versions: '5+', ignorable: true }),
      }),
      topicAuthorizedOperations: int32({ versions: '8+', default: -2147483648 }),
    }),
    clusterAuthorizedOperations: int32({ versions: '8-10', default: -2147483648 }),
    errorCode: int16({ versions: '13+', ignorable: true }),
  },
});
