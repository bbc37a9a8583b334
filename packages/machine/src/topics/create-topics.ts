import {
  checkTopicConfigs,
  clusterConfigValue,
  collisionKey,
  collisionProblem,
  describeProblem,
  type TopicDescription,
  type TopicError,
  type TopicResult,
  type TopicToCreate,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { PartitionBudget } from './partition-budget.ts';
import { repeated } from './repeated.ts';
import { withFactor } from './topic-entries.ts';
import { topicNameProblem } from './topic-name.ts';

/** The maximum of the Kafka protocol. */
const replicationFactorMax = 32_767;

/**
 * Decides which topics are created, without applying it. `partitionsBefore` are those of topics of the same request
 * that earlier calls validated.
 */
export function decideCreateTopics(
  state: ClusterState,
  limits: MachineLimits,
  topics: readonly TopicToCreate[],
  topicIds: readonly string[],
  nowMs: number,
  partitionsBefore = 0,
): { created: TopicDescription[]; results: TopicResult[] } {
  const created: TopicDescription[] = [];
  const namedTwice = repeated(topics.map(({ name }) => name));
  const chosenKeys = new Map<string, string>();
  const budget = new PartitionBudget(state, limits, partitionsBefore);

  const results = topics.map((topic, index): TopicResult => {
    const { name } = topic;
    if (namedTwice.has(name))
      return refused('INVALID_REQUEST', `The request names topic ${name} more than once.`);
    const nameProblem = topicNameProblem(name);
    if (nameProblem !== undefined) return refused('INVALID_TOPIC_EXCEPTION', nameProblem);
    if (state.topics.byName(name) !== undefined) {
      return refused('TOPIC_ALREADY_EXISTS', `Topic ${name} already exists.`);
    }
    const key = collisionKey(name);
    const colliding = state.topics.colliding(name)?.description.name ?? chosenKeys.get(key);
    if (colliding !== undefined) {
      return refused('INVALID_TOPIC_EXCEPTION', collisionProblem(name, colliding));
    }

    const partitionCount =
      topic.partitionCount === -1
        ? clusterConfigValue('num.partitions', state.clusterConfigs)
        : topic.partitionCount;
    const { configs, problems } = checkTopicConfigs(topic.configs);
    if (problems.length > 0) {
      return refused('INVALID_CONFIG', problems.map(describeProblem).join('; '));
    }
    if (!Number.isInteger(partitionCount) || partitionCount < 1) {
      return refused(
        'INVALID_PARTITIONS',
        `A topic has at least one partition, not ${partitionCount}; -1 asks for the default.`,
      );
    }
    const factor = topic.replicationFactor ?? -1;
    if (!Number.isInteger(factor) || factor === 0 || factor < -1 || factor > replicationFactorMax) {
      return refused(
        'INVALID_REPLICATION_FACTOR',
        `A replication factor is from 1 to ${replicationFactorMax}, not ${factor}; -1 asks for the default.`,
      );
    }
    const overBudget = budget.take(partitionCount, partitionCount);
    if (overBudget !== undefined) return refused(overBudget.error, overBudget.message);

    chosenKeys.set(key, name);
    const description: TopicDescription = {
      topicId: topicIds[index]!,
      name,
      partitionCount,
      ...(factor === -1 ? {} : withFactor(factor)),
      configs,
      createdMs: nowMs,
    };
    created.push(description);
    return { error: 'NONE', message: null, topic: description };
  });
  return { created, results };
}

export function refused(error: Exclude<TopicError, 'NONE'>, message: string): TopicResult {
  return { error, message, topic: undefined };
}
