import {
  int8,
  int16,
  int32,
  int64,
  listOf,
  records,
  string,
  struct,
  structs,
  uuid,
} from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A consumer reads record batches and waits for new ones; brokers replicate with it.
 *
 * KIP-896 left v4, with isolation levels (KIP-98), as the oldest. v5 adds the log start offset (KIP-107), v6
 * KAFKA_STORAGE_ERROR (KIP-112), v7 sessions (KIP-227), v8 throttles after the answer (KIP-219), v9 adds
 * leader epochs (KIP-320), v10 zstd (KIP-110), v11 racks (KIP-392), v12 the flexible encoding and divergence
 * (KIP-595), v13 topic ids (KIP-516), v14 a tiering error (KIP-405), v15 replica epochs (KIP-903), v16 leader
 * endpoints (KIP-951), v17 directory ids (KIP-853), v18 the follower's high watermark (KIP-1166).
 * Stored batches go out whole, even if the first begins below the fetch offset. In request order, the first
 * non-empty partition yields at least one batch whatever the limits (KIP-74).
 */
export const fetch = defineApi({
  key: 1,
  name: 'Fetch',
  versions: '4-18',
  flexible: '12+',
  request: {
    /** Set by KRaft replicas of the metadata log only. */
    clusterId: string({ versions: '12+', nullable: true, default: null, tag: 0, ignorable: true }),
    /** -1 for consumers, -2 for debugging tools, else the broker that replicates. */
    replicaId: int32({ versions: '4-14', default: -1 }),
    replicaState: struct(
      {
        replicaId: int32({ default: -1 }),
        replicaEpoch: int64({ default: -1n }),
      },
      { versions: '15+', tag: 1 },
    ),
    maxWaitMs: int32(),
    minBytes: int32(),
    maxBytes: int32({ default: 2147483647 }),
    /** 0 read_uncommitted, up to the high watermark; 1 read_committed, up to the last stable offset. */
    isolationLevel: int8({ default: 0 }),
    /** 0 if there is none. A full fetch that names a session closes it. */
    sessionId: int32({ versions: '7+', default: 0, ignorable: true }),
    /** 0 a full fetch that opens a session, -1 one without; else incremental, wrapping from MAX to 1. */
    sessionEpoch: int32({ versions: '7+', default: -1, ignorable: true }),
    topics: structs({
      topic: string({ versions: '4-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: structs({
        partition: int32(),
        /** -1 skips the check; an older one is FENCED_LEADER_EPOCH, a newer one UNKNOWN_LEADER_EPOCH. */
        currentLeaderEpoch: int32({ versions: '9+', default: -1, ignorable: true }),
        fetchOffset: int64(),
        /** Of the last record that the reader holds; -1 skips the divergence check. */
        lastFetchedEpoch: int32({ versions: '12+', default: -1 }),
        /** Of the follower; -1 from consumers. */
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        partitionMaxBytes: int32(),
        replicaDirectoryId: uuid({ versions: '17+', tag: 0, ignorable: true }),
        /** As the follower knows it: -1 unknown; the default means that it was not sent. */
        highWatermark: int64({ versions: '18+', default: 9223372036854775807n, tag: 1, ignorable: true }),
      }),
    }),
    /** Partitions to drop from the session. */
    forgottenTopicsData: structs(
      {
        topic: string({ versions: '7-12', ignorable: true }),
        topicId: uuid({ versions: '13+', ignorable: true }),
        partitions: listOf(int32),
      },
      { versions: '7+' },
    ),
    rackId: string({ versions: '11+', default: '', ignorable: true }),
  },
  response: {
    throttleTimeMs: int32(),
    /** Errors of the session: it is unknown, out of order, or mixes topic names with ids. */
    errorCode: int16({ versions: '7+', ignorable: true }),
    /** 0 means no session, which is always allowed: the client continues with full fetches. */
    sessionId: int32({ versions: '7+', default: 0 }),
    responses: structs({
      topic: string({ versions: '4-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
        /** The high watermark even for read_committed. */
        highWatermark: int64(),
        lastStableOffset: int64({ default: -1n }),
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        /** The newest epoch that both logs may share and where it ends; -1 if they do not diverge. */
        divergingEpoch: struct(
          {
            epoch: int32({ default: -1 }),
            endOffset: int64({ default: -1n }),
          },
          { versions: '12+', tag: 0 },
        ),
        /** Only with NOT_LEADER_OR_FOLLOWER and FENCED_LEADER_EPOCH; must be left out below v12. */
        currentLeader: struct(
          {
            leaderId: int32({ default: -1 }),
            leaderEpoch: int32({ default: -1 }),
          },
          { versions: '12+', tag: 1 },
        ),
        /** For KRaft replicas of the metadata log only. */
        snapshotId: struct(
          {
            endOffset: int64({ default: -1n }),
            epoch: int32({ default: -1 }),
          },
          { versions: '12+', tag: 2 },
        ),
        /** Those that overlap the answer, by first offset; null for read_uncommitted. */
        abortedTransactions: structs(
          {
            producerId: int64(),
            firstOffset: int64(),
          },
          { nullable: true },
        ),
        /** The broker to read from instead, with no records here; -1 for none. */
        preferredReadReplica: int32({ versions: '11+', default: -1 }),
        records: records({ nullable: true }),
      }),
    }),
    /** Where to reach the leaders named above, which saves a Metadata request; left out below v16. */
    nodeEndpoints: structs(
      {
        nodeId: int32(),
        host: string(),
        port: int32(),
        rack: string({ nullable: true, default: null }),
      },
      { versions: '16+', tag: 0 },
    ),
  },
});
