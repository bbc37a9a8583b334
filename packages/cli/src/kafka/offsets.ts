import { apis, errors } from '@weir/wire';
import type { Failure } from '../failure.ts';
import type { KafkaCluster } from './cluster.ts';
import { type AskLeader, askLeaders, type LeaderAnswers, subject } from './leaders.ts';
import { KafkaRequestFailed } from './request-failed.ts';

/** The offsets of the first record that is left, and of the next one that will be written. */
export interface OffsetRange {
  readonly earliest: bigint;
  readonly latest: bigint;
}

const positions = { earliest: -2n, latest: -1n } as const;

/** Where the partitions of a topic begin and end. */
export async function offsetRanges(
  cluster: KafkaCluster,
  topicName: string,
  partitions: readonly number[],
): Promise<LeaderAnswers<OffsetRange>> {
  // A request may name a partition once only, so that there is one for each of the two positions.
  const [earliest, latest] = await Promise.all([
    askLeaders(cluster, topicName, partitions, askFor(cluster, 'earliest')),
    latestOffsets(cluster, topicName, partitions),
  ]);
  const answers = new Map<number, OffsetRange>();
  for (const [partition, first] of earliest.answers) {
    const next = latest.answers.get(partition);
    if (next !== undefined) answers.set(partition, { earliest: first, latest: next });
  }
  return { answers, failures: new Map([...latest.failures, ...earliest.failures]) };
}

/** Where the partitions of a topic end. */
function latestOffsets(
  cluster: KafkaCluster,
  topicName: string,
  partitions: readonly number[],
): Promise<LeaderAnswers<bigint>> {
  return askLeaders(cluster, topicName, partitions, askFor(cluster, 'latest'));
}

function askFor(cluster: KafkaCluster, position: keyof typeof positions): AskLeader<bigint> {
  return async (leader, { name }, partitions) => {
    const { topics } = await leader.request(
      apis.ListOffsets,
      (version) => ({
        replicaId: -1,
        ...(version >= 2 ? { isolationLevel: 0 } : {}),
        topics: [
          {
            name: name!,
            partitions: partitions.map((partitionIndex) => ({
              partitionIndex,
              timestamp: positions[position],
            })),
          },
        ],
        timeoutMs: cluster.timeoutMs,
      }),
      { timeoutMs: cluster.timeoutMs },
    );
    const results = new Map<number, bigint | Failure>();
    for (const { partitionIndex, errorCode, offset } of topics.flatMap((topic) => topic.partitions)) {
      results.set(
        partitionIndex,
        errorCode === errors.NONE.code
          ? offset
          : new KafkaRequestFailed(subject(name!, partitionIndex), errorCode),
      );
    }
    return results;
  };
}
