import { int16, int32, int64, string, structs, uint16, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const replicaState = {
  replicaId: int32(),
  replicaDirectoryId: uuid({ versions: '2+' }),
  logEndOffset: int64(),
  lastFetchTimestamp: int64({ versions: '1+', default: -1n, ignorable: true }),
  lastCaughtUpTimestamp: int64({ versions: '1+', default: -1n, ignorable: true }),
};

/**
 * TODO
 */
export const describeQuorum = defineApi({
  key: 55,
  name: 'DescribeQuorum',
  versions: '0-2',
  flexible: '0+',
  request: {
    topics: structs({
      topicName: string(),
      partitions: structs({
        partitionIndex: int32(),
      }),
    }),
  },
  response: {
    errorCode: int16(),
    errorMessage: string({ versions: '2+', nullable: true, ignorable: true }),
    topics: structs({
      topicName: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        errorMessage: string({ versions: '2+', nullable: true, ignorable: true }),
        leaderId: int32(),
        leaderEpoch: int32(),
        highWatermark: int64(),
        currentVoters: structs(replicaState),
        observers: structs(replicaState),
      }),
    }),
    nodes: structs(
      {
        nodeId: int32(),
        listeners: structs({
          name: string(),
          host: string(),
          port: uint16(),
        }),
      },
      { versions: '2+' },
    ),
  },
});
