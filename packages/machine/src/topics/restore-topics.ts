import {
  clusterConfigValue,
  collisionKey,
  collisionProblem,
  type DeletedTopic,
  type TopicResult,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { refused } from './create-topics.ts';
import { PartitionBudget } from './partition-budget.ts';
import { repeated } from './repeated.ts';
import type { Topic } from './topics.ts';

/**
 * Returns how long deleted topics are retained. The current config applies, so lowering it also affects topics that are
 * already deleted.
 */
export function deletedTopicTtlMs({ clusterConfigs }: Pick<ClusterState, 'clusterConfigs'>): number {
  if (!clusterConfigValue('service.soft.delete.topic.enable', clusterConfigs)) return 0;
  return clusterConfigValue('service.soft.delete.topic.ttl.ms', clusterConfigs);
}

/** Decides which deleted topics are restored, without applying it. */
export function decideRestoreTopics(
  state: ClusterState,
  limits: MachineLimits,
  topicIds: readonly string[],
  nowMs: number,
): { restored: Topic[]; results: TopicResult[] } {
  const restored: Topic[] = [];
  const deleted = new Map(deletedTopics(state, nowMs).map((topic) => [topic.description.topicId, topic]));
  const namedTwice = repeated(topicIds);
  const chosenKeys = new Map<string, string>();
  const budget = new PartitionBudget(state, limits);

  const results = topicIds.map((topicId): TopicResult => {
    if (namedTwice.has(topicId)) {
      return refused('INVALID_REQUEST', `The request names topic id ${topicId} more than once.`);
    }
    const topic = deleted.get(topicId);
    if (topic === undefined) {
      return refused(
        'UNKNOWN_TOPIC_ID',
        `Topic with id ${topicId} cannot be restored: it is not among the deleted topics.`,
      );
    }
    const { name } = topic.description;
    if (state.topics.byName(name) !== undefined) {
      return refused('TOPIC_ALREADY_EXISTS', `Another topic named ${name} exists now; delete it first.`);
    }
    const key = collisionKey(name);
    const colliding = state.topics.colliding(name)?.description.name ?? chosenKeys.get(key);
    if (colliding !== undefined) {
      return refused('INVALID_TOPIC_EXCEPTION', collisionProblem(name, colliding));
    }
    const overBudget = budget.takeBack(topic.partitions.length);
    if (overBudget !== undefined) return refused(overBudget.error, overBudget.message);
    chosenKeys.set(key, name);
    restored.push(topic);
    return { error: 'NONE', message: null, topic: topic.description };
  });
  return { restored, results };
}

/** Returns topics that can be restored, the most recently deleted first. */
export function listDeletedTopics(state: ClusterState, nowMs: number): DeletedTopic[] {
  const ttlMs = deletedTopicTtlMs(state);
  return deletedTopics(state, nowMs)
    .map(({ description, deletedMs, partitions }) => ({
      topic: description,
      deletedMs: deletedMs!,
      restorableUntilMs: Math.min(deletedMs! + ttlMs, Number.MAX_SAFE_INTEGER),
      byteCount: partitions.reduce((sum, { byteCount }) => sum + byteCount, 0),
    }))
    .sort((a, b) => b.deletedMs - a.deletedMs);
}

/** Excludes topics whose time is over, even if they are not yet purged. */
function deletedTopics(state: ClusterState, nowMs: number): Topic[] {
  const ttlMs = deletedTopicTtlMs(state);
  return [...state.topics.held()].filter(
    ({ deletedMs }) => deletedMs !== undefined && deletedMs + ttlMs > nowMs,
  );
}
