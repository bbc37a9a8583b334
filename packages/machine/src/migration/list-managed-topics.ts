import { type ManagedTopicState, type ManagedTopicsQuery, managedTopicNamespace } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { migrationOf } from '../managed/managed-topics.ts';

/** What the machine knows of a managed topic. */
export type ManagedTopicEnds = Omit<ManagedTopicState, 'forwardedRecords' | 'unconfirmedAgents'>;

export function* managedTopics(
  state: ClusterState,
  { pipelineId, topicIds }: ManagedTopicsQuery,
): Generator<ManagedTopicEnds> {
  for (const topicId of topicIds ?? state.kv.of(managedTopicNamespace).keys()) {
    const topic = state.topics.byId(topicId);
    const migration = migrationOf(state, topicId);
    if (topic === undefined || migration === undefined) continue;
    if (pipelineId !== undefined && migration.pipelineId !== pipelineId) continue;
    const { partitions } = topic;
    yield {
      topic: topic.description,
      migration,
      logStartOffset: Float64Array.from(partitions, ({ logStartOffset }) => logStartOffset),
      nextOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
      lastStableOffset: Float64Array.from(partitions, ({ lastStableOffset }) => lastStableOffset),
      byteCount: partitions.reduce((sum, { byteCount }) => sum + byteCount, 0),
    };
  }
}
