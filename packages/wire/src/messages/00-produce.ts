import { int16, int32, int64, records, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A producer appends record batches to partitions.
 *
 * KIP-896 left v3 as the oldest served, the first with batches of magic 2 and transactions (KIP-98). v4 adds
 * KAFKA_STORAGE_ERROR (KIP-112), v5 the log start offset, v6 throttles after the answer (KIP-219), v7 allows
 * zstd (KIP-110), v8 has errors per record (KIP-467), v9 the flexible encoding, v10 the current leader
 * (KIP-951), v11 TRANSACTION_ABORTABLE and v12 implicit AddPartitionsToTxn (both KIP-890), v13 topic ids
 * (KIP-516).
 * v0-v2 close the connection. Answers leave in request order, but acks 0 gets none: an error closes the
 * connection. The duty of v12 binds only a server that advertises transaction.version 2.
 */
export const produce = defineApi({
  key: 0,
  name: 'Produce',
  versions: '3-13',
  flexible: '9+',
  // v0-v2 are offered although they are refused: librdkafka before its 2025 fix silently sends uncompressed
  // data to a server whose minimum is above 0 (KAFKA-18659).
  lowestAdvertisedVersion: 0,
  request: {
    /** Null outside transactions. */
    transactionalId: string({ nullable: true, default: null }),
    /** 0 no answer, 1 the leader has written, -1 all in-sync replicas have; else INVALID_REQUIRED_ACKS. */
    acks: int16(),
    /** How long to wait for the replicas that acks asks for. */
    timeoutMs: int32(),
    topicData: structs({
      name: string({ versions: '3-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitionData: structs({
        index: int32(),
        /** Exactly one batch of magic 2, else INVALID_RECORD. */
        records: records({ nullable: true }),
      }),
    }),
  },
  response: {
    responses: structs({
      name: string({ versions: '3-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitionResponses: structs({
        index: int32(),
        errorCode: int16(),
        /** For a recognised duplicate the offset of the first append; -1 on an error. */
        baseOffset: int64(),
        /** -1 unless the topic stamps records with LogAppendTime. */
        logAppendTimeMs: int64({ default: -1n }),
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        recordErrors: structs(
          {
            /** Position within the batch, from 0. */
            batchIndex: int32(),
            batchIndexErrorMessage: string({ nullable: true, default: null }),
          },
          { versions: '8+', ignorable: true },
        ),
        errorMessage: string({ versions: '8+', nullable: true, default: null, ignorable: true }),
        /** Only with NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH; must be left out below v10. */
        currentLeader: struct(
          {
            leaderId: int32({ default: -1 }),
            leaderEpoch: int32({ default: -1 }),
          },
          { versions: '10+', tag: 0 },
        ),
      }),
    }),
    throttleTimeMs: int32({ default: 0 }),
    /** Where to reach the leaders named above, which saves a Metadata request; left out below v10. */
    nodeEndpoints: structs(
      {
        nodeId: int32(),
        host: string(),
        port: int32(),
        rack: string({ nullable: true, default: null }),
      },
      { versions: '10+', tag: 0 },
    ),
  },
});
