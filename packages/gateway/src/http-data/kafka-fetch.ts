import { apis, type RequestOf, type ResponseOf, zeroUuid } from '@weir/wire';
import type { HandlerClient } from './handler-client.ts';

type FetchApi = typeof apis.Fetch;
type FetchRequest = RequestOf<FetchApi>;
export type FetchedPartition = ResponseOf<FetchApi>['responses'][number]['partitions'][number];

/** The last version that names topics, as HTTP callers do. */
const fetchVersion = 12;

/** One position in one partition, and how much of it to read. */
interface Position {
  readonly partition: number;
  readonly offset: number;
  readonly bytesMax: number;
}

/** What to fetch, in terms of Kafka. */
export interface FetchQuery {
  readonly topics: readonly { readonly topic: string; readonly partitions: readonly Position[] }[];
  readonly bytesMax: number;
  readonly waitMs: number;
  readonly minBytes: number;
  readonly isolationLevel: number;
}

/** The partition with the records from an offset, as one Fetch returns it. */
export async function fetchOne(
  topic: string,
  partition: number,
  offset: number,
  client: HandlerClient,
): Promise<FetchedPartition> {
  const response = await fetch(
    {
      // A fetch returns at least one batch, whatever its limits.
      topics: [{ topic, partitions: [{ partition, offset, bytesMax: 1 }] }],
      bytesMax: 1,
      waitMs: 0,
      minBytes: 1,
      isolationLevel: 0,
    },
    client,
    0,
  );
  return response.responses[0]!.partitions[0]!;
}

export function bytesOf({ records }: FetchedPartition): Buffer {
  if (records === null || records === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(records) ? records : Buffer.concat(records as readonly Buffer[]);
}

/** Sends one Fetch. */
export function fetch(
  { topics, bytesMax, waitMs, minBytes, isolationLevel }: FetchQuery,
  client: HandlerClient,
  bodyBytes: number,
): Promise<ResponseOf<FetchApi>> {
  const request: FetchRequest = {
    clusterId: null,
    replicaId: -1,
    replicaState: { replicaId: -1, replicaEpoch: -1n },
    maxWaitMs: waitMs,
    minBytes,
    maxBytes: bytesMax,
    isolationLevel,
    sessionId: 0,
    sessionEpoch: -1,
    topics: topics.map(({ topic, partitions }) => ({
      topic,
      topicId: zeroUuid,
      partitions: partitions.map(({ partition, offset, bytesMax: partitionMaxBytes }) => ({
        partition,
        currentLeaderEpoch: -1,
        fetchOffset: BigInt(offset),
        lastFetchedEpoch: -1,
        logStartOffset: -1n,
        partitionMaxBytes,
        replicaDirectoryId: zeroUuid,
        highWatermark: -1n,
      })),
    })),
    forgottenTopicsData: [],
    rackId: '',
  };
  return client.call(apis.Fetch, fetchVersion, request, bodyBytes);
}
