import { int16, int32, int64, string, structs, uint16, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

const replicaState = {
  replicaId: int32(),
  replicaDirectoryId: uuid({ versions: '2+' }),
  /** -1 if unknown. */
  logEndOffset: int64(),
  /** By the clock of the leader; -1 for the leader itself and if unknown. */
  lastFetchTimestamp: int64({ versions: '1+', default: -1n, ignorable: true }),
  /** When it last held all that the leader had; -1 if unknown. */
  lastCaughtUpTimestamp: int64({ versions: '1+', default: -1n, ignorable: true }),
};

/**
 * An admin client describes the controller quorum: its leader, voters and observers (KIP-595).
 *
 * v1 adds times of the last fetch (KIP-836), v2 directory ids, endpoints and error messages (KIP-853). Only partition 0
 * of __cluster_metadata can be requested. A server without a quorum need not offer it.
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
        /** -1 if unknown. */
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
