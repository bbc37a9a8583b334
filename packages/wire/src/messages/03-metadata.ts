import { bool, int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client learns the brokers, the controller, and the topics with the leader of each partition.
 *
 * v1 adds racks and the controller, v2 the cluster id (KIP-78), v3 the throttle time, v4 control over auto-creation, v5
 * offline replicas (KIP-112), v6 throttles after the answer (KIP-219), v7 adds leader epochs (KIP-320), v8 authorised
 * operations (KIP-430), v9 the flexible encoding, v10 topic ids (KIP-516), v11 drops operations on the cluster
 * (KIP-700), v12 asks by id, v13 adds a top-level error (KIP-1102). A topic that the client may not see has a zero id,
 * and is left out when all are requested. Topics are created only if client and server both allow it; the first answer
 * is an error all the same.
 */
export const metadata = defineApi({
  key: 3,
  name: 'Metadata',
  versions: '0-13',
  flexible: '9+',
  request: {
    /** Null asks for all topics, an empty list for none; in v0 it is the empty list that asks for all. */
    topics: structs(
      {
        /** Has a meaning from v12 on only. */
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
    /** A live broker that accepts admin requests; -1 if unknown. */
    controllerId: int32({ versions: '1+', default: -1, ignorable: true }),
    topics: structs({
      errorCode: int16(),
      /** Null with UNKNOWN_TOPIC_ID. */
      name: string({ nullable: '12+' }),
      topicId: uuid({ versions: '10+', ignorable: true }),
      isInternal: bool({ versions: '1+', default: false, ignorable: true }),
      partitions: structs({
        errorCode: int16(),
        partitionIndex: int32(),
        /** -1 if there is none, with LEADER_NOT_AVAILABLE. */
        leaderId: int32(),
        leaderEpoch: int32({ versions: '7+', default: -1, ignorable: true }),
        replicaNodes: listOf(int32),
        isrNodes: listOf(int32),
        offlineReplicas: listOf(int32, { versions: '5+', ignorable: true }),
      }),
      /** Bit n stands for ACL operation n; the default means that it was not requested. */
      topicAuthorizedOperations: int32({ versions: '8+', default: -2147483648 }),
    }),
    /** Bit n stands for ACL operation n; the default means that it was not requested. */
    clusterAuthorizedOperations: int32({ versions: '8-10', default: -2147483648 }),
    /** REBOOTSTRAP_REQUIRED sends the client back to its bootstrap servers. */
    errorCode: int16({ versions: '13+', ignorable: true }),
  },
});
