import type { Failure } from '@weir/core';
import { apis, errors, zeroUuid } from '@weir/wire';
import type { AnswerMemory } from '../answer-reader.ts';
import type { TopicMetadata } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { byTopic, type Place } from '../place.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { fetchBody } from './fetch-body.ts';
import { subject } from './leaders.ts';

/** Whether records of open and aborted transactions are read. */
export type IsolationLevel = 'read_uncommitted' | 'read_committed';

export const isolationOnTheWire: Readonly<Record<IsolationLevel, number>> = {
  read_uncommitted: 0,
  read_committed: 1,
};

export interface FetchLimits {
  /** How long a broker may delay the answer while there are no records. */
  readonly maxWaitMs: number;
  readonly responseBytesMax: number;
  readonly partitionBytesMax: number;
  /** Timeout for the answer, in addition to `maxWaitMs`. */
  readonly timeoutMs: number;
}

/** The raw batches of a partition. */
export interface FetchedBatches {
  readonly records: Buffer;
  /** Transactions with records in the batches that a reader of committed records leaves out. */
  readonly aborted: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[];
}

/** From this version on requests identify topics by id. */
const lowestVersionWithIds = 13;
const lowestVersionWithDivergence = 12;

/** Fetches once from a leader. */
export async function fetchBatches(
  leader: KafkaConnection,
  { name, topicId }: TopicMetadata,
  positions: ReadonlyMap<number, bigint>,
  { maxWaitMs, responseBytesMax, partitionBytesMax, timeoutMs }: FetchLimits,
  isolation: IsolationLevel = 'read_uncommitted',
): Promise<ReadonlyMap<number, FetchedBatches | Failure>> {
  const bytesMax = partitionBytesMax;
  const partitions = [...positions].map(([partition, offset]) => ({ partition, offset, bytesMax }));
  const answer = await leader.request(
    apis.Fetch,
    fetchBody({
      topics: [{ topic: name!, topicId, partitions }],
      bytesMax: responseBytesMax,
      waitMs: maxWaitMs,
      minBytes: 1,
      isolationLevel: isolationOnTheWire[isolation],
    }),
    {
      timeoutMs: timeoutMs + maxWaitMs,
      highestUseful: topicId === zeroUuid ? lowestVersionWithIds - 1 : undefined,
    },
  );
  if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed(`topic ${name}`, answer.errorCode);
  const results = new Map<number, FetchedBatches | Failure>();
  for (const { partitionIndex, errorCode, records, abortedTransactions } of answer.responses.flatMap(
    (topic) => topic.partitions,
  )) {
    results.set(
      partitionIndex,
      errorCode === errors.NONE.code
        ? { records: records ?? Buffer.alloc(0), aborted: abortedTransactions ?? [] }
        : new KafkaRequestFailed(subject(name!, partitionIndex), errorCode),
    );
  }
  return results;
}

/** Where to read on in a partition. */
interface FetchPosition extends Place {
  /** `zeroUuid` if the cluster has no ids. */
  readonly topicId: string;
  readonly offset: bigint;
  /** The most bytes of this partition, if other than of all. */
  readonly bytesMax?: number | undefined;
  /** The leader epoch of the last batch that the reader has; brokers from v12 on then say where logs diverge. */
  readonly lastFetchedEpoch?: number | undefined;
}

/** The raw batches of a partition, and what its leader says about it. */
export interface FetchedPartition extends FetchedBatches {
  /** The end of what is replicated. */
  readonly highWatermark: bigint;
  /** The end of what readers of committed records see; -1 if the broker does not say. */
  readonly lastStableOffset: bigint;
  /** The broker nearby that a client should read from; -1 if that is the leader. */
  readonly preferredReplicaId: number;
  /** Where the log begins; -1 if the broker does not say. */
  readonly logStartOffset: bigint;
  /** The newest epoch that both logs may share and where it ends, if they diverge. */
  readonly divergingEpoch: { readonly epoch: number; readonly endOffset: bigint } | undefined;
}

interface FetchPlacesOptions extends FetchLimits {
  readonly isolation: IsolationLevel;
  readonly rackId: string;
  /** Memory that the answer is received into; the records are views of it. */
  readonly memory?: AnswerMemory | undefined;
}

interface FetchedPlaces {
  readonly answers: readonly (Place & { readonly result: FetchedPartition | KafkaRequestFailed })[];
  /** How long the broker wants no further request. */
  readonly throttleMs: number;
}

/** Fetches partitions of several topics once from a broker. */
export async function fetchPlaces(
  broker: KafkaConnection,
  positions: readonly FetchPosition[],
  {
    maxWaitMs,
    responseBytesMax,
    partitionBytesMax,
    timeoutMs,
    isolation,
    rackId,
    memory,
  }: FetchPlacesOptions,
): Promise<FetchedPlaces> {
  const byName = byTopic(positions);
  const named = new Map(positions.map(({ topic, topicId }) => [topicId, topic]));
  const answer = await broker.request(
    apis.Fetch,
    (version) =>
      fetchBody({
        topics: [...byName].map(([topic, places]) => ({
          topic,
          topicId: places[0]!.topicId,
          partitions: places.map(({ partition, offset, bytesMax = partitionBytesMax, lastFetchedEpoch }) => ({
            partition,
            offset,
            bytesMax,
            lastFetchedEpoch: version >= lowestVersionWithDivergence ? lastFetchedEpoch : undefined,
          })),
        })),
        bytesMax: responseBytesMax,
        waitMs: maxWaitMs,
        minBytes: 1,
        isolationLevel: isolationOnTheWire[isolation],
        rackId,
      }),
    {
      timeoutMs: timeoutMs + maxWaitMs,
      highestUseful: named.has(zeroUuid) ? lowestVersionWithIds - 1 : undefined,
      memory,
    },
  );
  if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed('Fetch', answer.errorCode);
  const answers = answer.responses.flatMap(({ topic: name, topicId, partitions }) => {
    const topic = name || named.get(topicId ?? zeroUuid) || '';
    return partitions.map((one) => ({
      topic,
      partition: one.partitionIndex,
      result:
        one.errorCode === errors.NONE.code
          ? {
              records: one.records ?? Buffer.alloc(0),
              aborted: one.abortedTransactions ?? [],
              highWatermark: one.highWatermark,
              lastStableOffset: one.lastStableOffset ?? -1n,
              preferredReplicaId: one.preferredReadReplica ?? -1,
              logStartOffset: one.logStartOffset ?? -1n,
              divergingEpoch: one.divergingEpoch?.epoch >= 0 ? one.divergingEpoch : undefined,
            }
          : new KafkaRequestFailed(subject(topic, one.partitionIndex), one.errorCode),
    }));
  });
  return { answers, throttleMs: answer.throttleTimeMs ?? 0 };
}
