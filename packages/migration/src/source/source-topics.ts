import { errors, zeroUuid } from '@weir/wire';
import { isTopicName } from '../topic-name.ts';
import type { SourceCluster } from './source-cluster.ts';

export interface SourcePartition {
  readonly partition: number;
  /** -1 if there is none at the moment. */
  readonly leaderId: number;
  /** -1 if the source does not say. */
  readonly leaderEpoch: number;
}

export interface SourceTopic {
  readonly name: string;
  /** Absent for sources before 2.8. A topic that is created again has another. */
  readonly topicId: string | null;
  readonly isInternal: boolean;
  /** From 0 on, without holes. */
  readonly partitions: readonly SourcePartition[];
}

export interface SourceTopics {
  readonly clusterId: string | null;
  readonly topics: readonly SourceTopic[];
  /** Topics that cannot be copied, each with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
}

/** Topics that the login may see, by name. Internal ones of the source are among them. */
export async function sourceTopics(
  source: SourceCluster,
  names: readonly string[] | 'all' = 'all',
): Promise<SourceTopics> {
  const { clusterId, topics } = await source.metadata(names);
  const found: SourceTopic[] = [];
  const refused: { name: string; reason: string }[] = [];
  for (const { name, topicId, isInternal, errorCode, partitions } of topics) {
    const text = name ?? '';
    const sorted = partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex);
    const reason =
      errorCode !== errors.NONE.code
        ? reasonOf(errorCode)
        : !isTopicName(text)
          ? 'the name is not that of a topic'
          : sorted.some(({ partitionIndex }, index) => partitionIndex !== index)
            ? 'its partitions are not numbered from 0 on'
            : undefined;
    if (reason !== undefined) refused.push({ name: text.slice(0, shownCharsMax), reason });
    else
      found.push({
        name: text,
        topicId: topicId === undefined || topicId === zeroUuid ? null : topicId,
        isInternal: isInternal ?? false,
        partitions: sorted.map(({ partitionIndex, leaderId, leaderEpoch }) => ({
          partition: partitionIndex,
          leaderId,
          leaderEpoch: leaderEpoch ?? -1,
        })),
      });
  }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
  return { clusterId, topics: found.sort(byName), refused: refused.sort(byName) };
}

const shownCharsMax = 300;

function reasonOf(code: number): string {
  switch (code) {
    case errors.UNKNOWN_TOPIC_OR_PARTITION.code:
    case errors.UNKNOWN_TOPIC_ID.code:
      return 'the topic does not exist';
    case errors.TOPIC_AUTHORIZATION_FAILED.code:
      return 'the login of the source may not describe it';
    default:
      return `the source answers with error ${code}`;
  }
}
