import type {
  StreamsInternalTopic,
  StreamsStatus,
  StreamsSubtopology,
  StreamsTopology,
  TopicToCreate,
} from '@weir/cluster';
import { groupLimits } from '../limits.ts';
import type { TopicsView } from '../modern/modern-group.ts';
import { sourcesOf } from './topology.ts';

/** A topology with what follows from the topics that exist. */
export interface ConfiguredTopology {
  /** The number of tasks of each subtopology; empty if it cannot be known. */
  readonly taskCounts: ReadonlyMap<string, number>;
  /** The partition count of each internal topic, existing or not. */
  readonly internalCounts: ReadonlyMap<string, number>;
  /** Internal topics that do not exist. */
  readonly topicsToCreate: readonly TopicToCreate[];
  /** Why tasks cannot run yet; absent if they can. */
  readonly problem?: StreamsStatus;
  /** The topology contradicts itself: STREAMS_INVALID_TOPOLOGY. */
  readonly invalid?: string;
}

/** Internal topics have the problem that a status names. */
class TopicProblem extends Error {
  readonly status: StreamsStatus;

  constructor(status: StreamsStatus['status'], detail: string) {
    super(detail);
    this.status = { status, detail };
  }
}

class InvalidTopology extends Error {}

const namesShownMax = 3;

/**
 * Decides how many tasks each subtopology has, and which internal topics are missing. As in Kafka:
 *
 * - A repartition topic without a count of its own has as many partitions as the largest source of the subtopologies
 *   that write to it.
 * - The repartition topics of a copartition group get the count of its other topics, or the largest among themselves.
 * - A subtopology has as many tasks as its largest source has partitions, and so have its changelogs.
 */
export function configureTopology(topology: StreamsTopology, topics: TopicsView): ConfiguredTopology {
  try {
    return configured(topology, topics);
  } catch (error) {
    if (error instanceof TopicProblem) return { ...unknownCounts, problem: error.status };
    if (error instanceof InvalidTopology) return { ...unknownCounts, invalid: error.message };
    throw error;
  }
}

const unknownCounts = { taskCounts: new Map(), internalCounts: new Map(), topicsToCreate: [] };

function configured({ subtopologies }: StreamsTopology, topics: TopicsView): ConfiguredTopology {
  const missing = subtopologies.flatMap(({ sourceTopics, repartitionSourceTopics }) => {
    const created = new Set(repartitionSourceTopics.map(({ name }) => name));
    return sourceTopics.filter((name) => !created.has(name) && topics.byName(name) === undefined);
  });
  if (missing.length > 0) {
    throw new TopicProblem('MISSING_SOURCE_TOPICS', `Source topics ${summary(missing)} are missing.`);
  }
  const decided = repartitionCounts(subtopologies, topics);
  const countOf = (name: string) => topics.byName(name)?.partitionCount ?? decided.get(name);
  const fixed = new Set(
    subtopologies.flatMap(({ repartitionSourceTopics }) =>
      repartitionSourceTopics.filter(({ partitionCount }) => partitionCount > 0).map(({ name }) => name),
    ),
  );
  for (const { copartitionGroups } of subtopologies) {
    for (const names of copartitionGroups) copartition(names, decided, fixed, countOf);
  }
  const taskCounts = new Map<string, number>();
  let taskCount = 0;
  for (const subtopology of subtopologies) {
    const count = Math.max(...sourcesOf(subtopology).map((name) => countOf(name)!));
    taskCounts.set(subtopology.subtopologyId, count);
    for (const { name } of subtopology.changelogTopics) decided.set(name, count);
    taskCount += count;
  }
  const { streamsTasksMax } = groupLimits;
  if (taskCount > streamsTasksMax) {
    throw new InvalidTopology(`The topology has ${taskCount} tasks; at most ${streamsTasksMax} are allowed.`);
  }
  const topicsToCreate = missingTopics(subtopologies, decided, topics);
  const done = { taskCounts, internalCounts: decided, topicsToCreate };
  if (topicsToCreate.length === 0) return done;
  const detail = `Internal topics are missing: ${summary(topicsToCreate.map(({ name }) => name))}`;
  return { ...done, problem: { status: 'MISSING_INTERNAL_TOPICS', detail } };
}

/** The partition counts of repartition topics. A count may follow from that of another repartition topic. */
function repartitionCounts(
  subtopologies: readonly StreamsSubtopology[],
  topics: TopicsView,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { repartitionSourceTopics } of subtopologies) {
    for (const { name, partitionCount } of repartitionSourceTopics) {
      if (partitionCount > 0) counts.set(name, partitionCount);
    }
  }
  const internal = new Set(
    subtopologies.flatMap(({ repartitionSourceTopics }) => repartitionSourceTopics.map(({ name }) => name)),
  );
  const existing = (name: string) => (internal.has(name) ? [] : (topics.byName(name)?.partitionCount ?? []));
  // Each round decides what follows from the round before; a round without progress never ends.
  let open = subtopologies.filter(({ repartitionSinkTopics }) => repartitionSinkTopics.length > 0);
  while (open.length > 0) {
    const left = open.filter((subtopology) => {
      const sinks = subtopology.repartitionSinkTopics.filter((name) => !counts.has(name));
      if (sinks.length === 0) return false;
      const known = sourcesOf(subtopology).flatMap((name) => counts.get(name) ?? existing(name));
      if (known.length === 0) return true;
      for (const name of sinks) counts.set(name, Math.max(...known));
      return false;
    });
    if (left.length === open.length) {
      throw new InvalidTopology(
        'Failed to compute number of partitions for all repartition topics. There may be loops in the topology that cannot be resolved.',
      );
    }
    open = left;
  }
  for (const { repartitionSourceTopics } of subtopologies) {
    if (repartitionSourceTopics.some(({ name }) => !counts.has(name))) {
      throw new InvalidTopology(
        'Failed to compute number of partitions for all repartition topics, because a repartition source topic is never used as a sink topic.',
      );
    }
  }
  return counts;
}

/** Gives the repartition topics of a copartition group the count that they all need. */
function copartition(
  names: readonly string[],
  decided: Map<string, number>,
  fixed: ReadonlySet<string>,
  countOf: (name: string) => number | undefined,
): void {
  if (names.length === 0) return;
  const repartitioned = names.filter((name) => decided.has(name));
  const leading = names.filter((name) => !decided.has(name));
  const binding = leading.length > 0 ? leading : repartitioned.filter((name) => fixed.has(name));
  const counts = (binding.length > 0 ? binding : repartitioned).map((name) => countOf(name)!);
  const count = Math.max(...counts);
  if (binding.length > 0 && counts.some((other) => other !== count)) {
    const listed = binding.map((name) => `${name}=${countOf(name)}`).sort();
    throw new TopicProblem(
      'INCORRECTLY_PARTITIONED_TOPICS',
      `Following topics do not have the same number of partitions: [{${listed.join(', ')}}]`,
    );
  }
  for (const name of repartitioned) {
    const own = countOf(name)!;
    if (fixed.has(name) && own !== count) {
      throw new TopicProblem(
        'INCORRECTLY_PARTITIONED_TOPICS',
        `Number of partitions [${own}] of repartition topic [${name}] doesn't match number of partitions [${count}] of the source topic.`,
      );
    }
    decided.set(name, count);
  }
}

function missingTopics(
  subtopologies: readonly StreamsSubtopology[],
  counts: ReadonlyMap<string, number>,
  topics: TopicsView,
): TopicToCreate[] {
  const missing = new Map<string, TopicToCreate>();
  for (const { repartitionSourceTopics, changelogTopics } of subtopologies) {
    for (const topic of [...repartitionSourceTopics, ...changelogTopics]) {
      const expected = counts.get(topic.name)!;
      const existing = topics.byName(topic.name)?.partitionCount;
      if (existing === undefined) missing.set(topic.name, topicToCreate(topic, expected));
      else if (existing !== expected) {
        throw new TopicProblem(
          'INCORRECTLY_PARTITIONED_TOPICS',
          `Existing topic ${topic.name} has different number of partitions: expected ${expected}, found ${existing}`,
        );
      }
    }
  }
  return [...missing.values()];
}

function topicToCreate({ name, replicationFactor, configs }: StreamsInternalTopic, partitionCount: number) {
  return { name, partitionCount, replicationFactor: replicationFactor > 0 ? replicationFactor : -1, configs };
}

function summary(names: readonly string[]): string {
  const sorted = [...new Set(names)].sort();
  const more = sorted.length - namesShownMax;
  const shown = sorted.slice(0, namesShownMax).join(', ');
  return more > 0 ? `${shown} and ${more} additional topics` : shown;
}
