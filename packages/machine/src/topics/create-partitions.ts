import type { PartitionsToCreate, TopicResult } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { managedMessage, ownMigrationOf } from '../managed/managed-topics.ts';
import { refused } from './create-topics.ts';
import { PartitionBudget } from './partition-budget.ts';
import { repeated } from './repeated.ts';
import type { Growth } from './topic-entries.ts';

/** Decides which topics get more partitions, without applying it. */
export function decideCreatePartitions(
  state: ClusterState,
  limits: MachineLimits,
  requests: readonly PartitionsToCreate[],
): { grown: Growth[]; results: TopicResult[] } {
  const grown: Growth[] = [];
  const namedTwice = repeated(requests.map(({ name }) => name));
  const budget = new PartitionBudget(state, limits);

  const results = requests.map(({ name, partitionCount }): TopicResult => {
    if (namedTwice.has(name))
      return refused('INVALID_REQUEST', `The request names topic ${name} more than once.`);
    const topic = state.topics.byName(name);
    if (topic === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION', `Topic ${name} does not exist.`);
    const migration = ownMigrationOf(state, topic.description.topicId);
    if (migration !== undefined) return refused('POLICY_VIOLATION', managedMessage(name, migration));
    const before = topic.partitions.length;
    if (!Number.isInteger(partitionCount) || partitionCount <= before) {
      return refused(
        'INVALID_PARTITIONS',
        `Topic ${name} has ${before} partitions; the count can only be increased, not set to ${partitionCount}.`,
      );
    }
    const overBudget = budget.take(partitionCount - before, partitionCount);
    if (overBudget !== undefined) return refused(overBudget.error, overBudget.message);
    grown.push({ topic, partitionCount });
    return { error: 'NONE', message: null, topic: { ...topic.description, partitionCount } };
  });
  return { grown, results };
}
