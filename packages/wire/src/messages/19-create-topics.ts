import { bool, int8, int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client creates topics.
 *
 * KIP-896 left v2 as the oldest. v3 throttles after the answer (KIP-219), v4 allows defaults for partitions
 * and replication (KIP-464), v5 is flexible and returns what was made (KIP-525), v6 adds
 * THROTTLING_QUOTA_EXCEEDED (KIP-599), v7 the topic id (KIP-516).
 * A topic named twice is INVALID_REQUEST. Names that differ only in dots and underscores collide.
 */
export const createTopics = defineApi({
  key: 19,
  name: 'CreateTopics',
  versions: '2-7',
  flexible: '5+',
  request: {
    topics: structs({
      name: string(),
      /** -1 for the default (v4+), or if assignments are given. */
      numPartitions: int32(),
      /** -1 for the default (v4+), or if assignments are given. */
      replicationFactor: int16(),
      /** Empty lets the server place the replicas. */
      assignments: structs({
        partitionIndex: int32(),
        brokerIds: listOf(int32),
      }),
      configs: structs({
        name: string(),
        value: string({ nullable: true }),
      }),
    }),
    timeoutMs: int32({ default: 60000 }),
    /** Validates the request without creating anything. */
    validateOnly: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      topicId: uuid({ versions: '7+', ignorable: true }),
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      /** Why the three fields below are unset, usually TOPIC_AUTHORIZATION_FAILED. */
      topicConfigErrorCode: int16({ versions: '5+', tag: 0, ignorable: true }),
      numPartitions: int32({ versions: '5+', default: -1, ignorable: true }),
      replicationFactor: int16({ versions: '5+', default: -1, ignorable: true }),
      /** Null if the client may not read them. */
      configs: structs(
        {
          name: string(),
          value: string({ nullable: true }),
          readOnly: bool(),
          /** 1 topic, 2 broker, 3 all brokers, 4 static, 5 default, 6 logger, 7 client metrics, 8 group. */
          configSource: int8({ default: -1 }),
          isSensitive: bool(),
        },
        { versions: '5+', nullable: true, ignorable: true },
      ),
    }),
  },
});
