import type { KafkaCluster } from '@weir/client';
import { matchInSlices, type UsablePattern } from '@weir/cluster/patterns';
import { errors } from '@weir/wire';
import type { AssignedPlace } from './partition-holder.ts';
import { parseTopicList } from './topic-list.ts';
import { compileTopicPatterns } from './topic-patterns.ts';

/** The topics that an input reads by name or by pattern, and how many partitions they have. */
export interface Subscription {
  /** Names in order, so that two can be compared. */
  partitionCounts(cluster: KafkaCluster): Promise<ReadonlyMap<string, number>>;
  /** Whether a topic is missing, so that it is looked for again soon. */
  isMissing(counts: ReadonlyMap<string, number>): boolean;
}

function namedTopics(names: readonly string[]): Subscription {
  return {
    async partitionCounts(cluster) {
      const { topics } = await cluster.metadata(names);
      return countsOf(topics);
    },
    isMissing: (counts) => counts.size < names.length,
  };
}

/** How often topics are looked for that are missing. */
export const missingTopicsMs = 2_000;

/** Topics that a pattern finds; internal ones are left out. */
function matchedTopics(patterns: readonly UsablePattern[]): Subscription {
  return {
    async partitionCounts(cluster) {
      const { topics } = await cluster.metadata('all');
      const known = topics.filter(({ name, isInternal }) => name && isInternal !== true);
      const found = new Set<(typeof known)[number]>();
      for (const pattern of patterns) {
        const matched = await matchInSlices(pattern, known, ({ name }) => name!, cluster.clock);
        if (matched === undefined) throw new Error('regexp_topics takes too long; use simpler expressions');
        for (const topic of matched) found.add(topic);
      }
      return countsOf([...found]);
    },
    isMissing: () => false,
  };
}

interface CountedTopic {
  readonly name?: string | null;
  readonly errorCode: number;
  readonly partitions: readonly unknown[];
}

/** Topics that do not exist yet are left out. */
function countsOf(topics: readonly CountedTopic[]): ReadonlyMap<string, number> {
  return new Map(
    topics
      .filter(({ errorCode }) => errorCode === errors.NONE.code)
      .map(({ name, partitions }): [string, number] => [name ?? '', partitions.length])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function sameCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...a].every(([topic, count]) => b.get(topic) === count);
}

/** What an input reads, by its field `topics`, which was checked. */
export function sourceOf(
  texts: readonly string[],
  isPattern: boolean,
): readonly AssignedPlace[] | Subscription {
  if (isPattern) {
    const patterns = compileTopicPatterns(texts);
    if (typeof patterns === 'string') throw new Error(`topics ${patterns}`);
    return matchedTopics(patterns);
  }
  const parsed = parseTopicList(texts, { mayNameOffsets: true });
  if (typeof parsed === 'string') throw new Error(`topics ${parsed}`);
  if (parsed.partitions.size === 0) return namedTopics(parsed.topics);
  return [...parsed.partitions].flatMap(([topic, partitions]) =>
    [...partitions].map(([partition, offset]) => ({ topic, partition, offset })),
  );
}
