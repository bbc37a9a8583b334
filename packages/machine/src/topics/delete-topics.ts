import { clusterConfigValue, type TopicReference, type TopicResult, topicConfigValue } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import { managedMessage, ownMigrationOf } from '../managed/managed-topics.ts';
import { refused } from './create-topics.ts';
import { repeated } from './repeated.ts';
import type { Topic } from './topics.ts';

/** Decides which topics are deleted, without applying it. */
export function decideDeleteTopics(
  state: ClusterState,
  references: readonly TopicReference[],
): { deleted: Topic[]; results: TopicResult[] } {
  const deleted: Topic[] = [];
  const { clusterConfigs } = state;
  const found = references.map((reference) => find(state, reference));
  const namedTwice = repeated(found.filter((topic) => 'number' in topic));

  const results = found.map((topic): TopicResult => {
    if ('error' in topic) return topic;
    const { topicId, name, configs } = topic.description;
    if (namedTwice.has(topic))
      return refused('INVALID_REQUEST', `The request names topic ${name} more than once.`);
    if (!clusterConfigValue('delete.topic.enable', clusterConfigs)) {
      return refused('TOPIC_DELETION_DISABLED', 'The cluster has delete.topic.enable=false.');
    }
    if (topicConfigValue('service.deletion.protection.enabled', configs, clusterConfigs)) {
      return refused(
        'TOPIC_DELETION_DISABLED',
        `The topic ${name} has service.deletion.protection.enabled=true.`,
      );
    }
    const migration = ownMigrationOf(state, topicId);
    if (migration !== undefined) return refused('POLICY_VIOLATION', managedMessage(name, migration));
    deleted.push(topic);
    return { error: 'NONE', message: null, topic: undefined };
  });
  return { deleted, results };
}

function find({ topics }: ClusterState, { topicId, name }: TopicReference): Topic | TopicResult {
  if (topicId !== undefined) {
    const topic = topics.byId(topicId);
    if (topic === undefined) return refused('UNKNOWN_TOPIC_ID', `Topic with id ${topicId} does not exist.`);
    if (name !== undefined && name !== topic.description.name) {
      return refused('INVALID_REQUEST', `The topic with the id ${topicId} is not named ${name}.`);
    }
    return topic;
  }
  if (name === undefined) return refused('INVALID_REQUEST', 'A topic to delete needs a name or an id.');
  return topics.byName(name) ?? refused('UNKNOWN_TOPIC_OR_PARTITION', `Topic ${name} does not exist.`);
}
