import { type apis, type RequestOf, zeroUuid } from '@weir/wire';

type FetchRequest = RequestOf<typeof apis.Fetch>;

/** One position in one partition, and how much of it to read. */
interface Position {
  readonly partition: number;
  readonly offset: number | bigint;
  readonly bytesMax: number;
  /** Of the last batch that the reader has, for brokers that find where logs diverge (v12+). If absent, none do. */
  readonly lastFetchedEpoch?: number | undefined;
}

/** What to fetch. */
export interface FetchQuery {
  readonly topics: readonly {
    readonly topic: string;
    /** Names the topic from v13 on. */
    readonly topicId?: FetchRequest['topics'][number]['topicId'];
    readonly partitions: readonly Position[];
  }[];
  readonly bytesMax: number;
  readonly waitMs: number;
  readonly minBytes: number;
  readonly isolationLevel: number;
  /** Where the client is, so that brokers name a replica nearby. */
  readonly rackId?: string;
}

/** A request of a consumer, without a session. */
export function fetchBody(query: FetchQuery): FetchRequest {
  const { topics, bytesMax, waitMs, minBytes, isolationLevel, rackId = '' } = query;
  return {
    clusterId: null,
    replicaId: -1,
    replicaState: { replicaId: -1, replicaEpoch: -1n },
    maxWaitMs: waitMs,
    minBytes,
    maxBytes: bytesMax,
    isolationLevel,
    sessionId: 0,
    sessionEpoch: -1,
    topics: topics.map(({ topic, topicId = zeroUuid, partitions }) => ({
      topic,
      topicId,
      partitions: partitions.map(
        ({ partition, offset, bytesMax: partitionMaxBytes, lastFetchedEpoch = -1 }) => ({
          partition,
          currentLeaderEpoch: -1,
          fetchOffset: BigInt(offset),
          lastFetchedEpoch,
          logStartOffset: -1n,
          partitionMaxBytes,
          replicaDirectoryId: zeroUuid,
          highWatermark: -1n,
        }),
      ),
    })),
    forgottenTopicsData: [],
    rackId,
  };
}
