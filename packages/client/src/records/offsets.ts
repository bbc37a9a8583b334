import { errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import type { IsolationLevel } from './fetch.ts';
import { type LeaderAnswers, type LeaderRequest, requestFromLeaders, subject } from './leaders.ts';
import { earliestTime, latestTime, listOffsets } from './list-offsets.ts';

/** The first available offset, and the offset of the next record to be written. */
export interface OffsetRange {
  readonly earliest: bigint;
  readonly latest: bigint;
}

/** The earliest and latest offsets of a topic's partitions. Committed records end before the first open transaction. */
export async function offsetRanges(
  cluster: KafkaCluster,
  topicName: string,
  partitions: readonly number[],
  isolation: IsolationLevel = 'read_uncommitted',
): Promise<LeaderAnswers<OffsetRange>> {
  // A request may name a partition only once, so each of the two positions needs its own request.
  const [earliest, latest] = await Promise.all([
    requestFromLeaders(cluster, topicName, partitions, offsetRequest(cluster, earliestTime)),
    requestFromLeaders(cluster, topicName, partitions, offsetRequest(cluster, latestTime, isolation)),
  ]);
  const answers = new Map<number, OffsetRange>();
  for (const [partition, first] of earliest.answers) {
    const next = latest.answers.get(partition);
    if (next !== undefined) answers.set(partition, { earliest: first, latest: next });
  }
  return { answers, failures: new Map([...latest.failures, ...earliest.failures]) };
}

/** The offset of the first record of a time or a later one in each partition; -1 if there is none. */
export function offsetsAtTime(
  cluster: KafkaCluster,
  topicName: string,
  partitions: readonly number[],
  timestampMs: number,
): Promise<LeaderAnswers<bigint>> {
  return requestFromLeaders(cluster, topicName, partitions, offsetRequest(cluster, BigInt(timestampMs)));
}

function offsetRequest(
  cluster: KafkaCluster,
  timestamp: bigint,
  isolation: IsolationLevel = 'read_uncommitted',
): LeaderRequest<bigint> {
  return async (leader, { name }, partitions) => {
    const { timeoutMs } = cluster;
    const asked = partitions.map((partition) => ({ topic: name!, partition, timestamp }));
    const listed = await listOffsets(leader.transport(timeoutMs), asked, { isolation, timeoutMs });
    return new Map(
      listed.map(({ partition, errorCode, offset }) => [
        partition,
        errorCode === errors.NONE.code
          ? offset
          : new KafkaRequestFailed(subject(name!, partition), errorCode),
      ]),
    );
  };
}
