import { apis, errors, zeroUuid } from '@weir/wire';
import type { Failure } from '../failure.ts';
import type { TopicMetadata } from './cluster.ts';
import type { KafkaConnection } from './connection.ts';
import { subject } from './leaders.ts';
import { KafkaRequestFailed } from './request-failed.ts';

export interface FetchLimits {
  /** How long a broker may delay the answer while there are no records. */
  readonly maxWaitMs: number;
  readonly responseBytesMax: number;
  readonly partitionBytesMax: number;
  /** Timeout for the answer, in addition to `maxWaitMs`. */
  readonly timeoutMs: number;
}

/** From this version on requests identify topics by id. */
const lowestVersionWithIds = 13;

/** Fetches once from a leader, and returns the raw batches of each partition. */
export async function fetchBatches(
  leader: KafkaConnection,
  { name, topicId }: TopicMetadata,
  positions: ReadonlyMap<number, bigint>,
  { maxWaitMs, responseBytesMax, partitionBytesMax, timeoutMs }: FetchLimits,
): Promise<ReadonlyMap<number, Buffer | Failure>> {
  const answer = await leader.request(
    apis.Fetch,
    {
      maxWaitMs,
      minBytes: 1,
      maxBytes: responseBytesMax,
      topics: [
        {
          topic: name!,
          topicId,
          partitions: [...positions].map(([partition, fetchOffset]) => ({
            partition,
            fetchOffset,
            partitionMaxBytes: partitionBytesMax,
          })),
        },
      ],
    },
    {
      timeoutMs: timeoutMs + maxWaitMs,
      highestUseful: topicId === zeroUuid ? lowestVersionWithIds - 1 : undefined,
    },
  );
  if (answer.errorCode !== errors.NONE.code) throw new KafkaRequestFailed(`topic ${name}`, answer.errorCode);
  const results = new Map<number, Buffer | Failure>();
  for (const { partitionIndex, errorCode, records } of answer.responses.flatMap(
    (topic) => topic.partitions,
  )) {
    results.set(
      partitionIndex,
      errorCode === errors.NONE.code
        ? (records ?? Buffer.alloc(0))
        : new KafkaRequestFailed(subject(name!, partitionIndex), errorCode),
    );
  }
  return results;
}
