import { isHandedOver, type ManagedTopic, managedTopicNamespace, readManagedTopic } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';

/** Values are replaced, never mutated. */
const readTopics = new WeakMap<Buffer, ManagedTopic>();

/** Returns the migration of a topic; `undefined` of a topic that was always ours. */
export function migrationOf({ kv }: Pick<ClusterState, 'kv'>, topicId: string): ManagedTopic | undefined {
  const value = kv.get(managedTopicNamespace, topicId);
  if (value === undefined) return undefined;
  let topic = readTopics.get(value);
  if (topic === undefined) {
    topic = readManagedTopic(value);
    readTopics.set(value, topic);
  }
  return topic;
}

/** Returns the migration of a topic that only it may write to and change; `undefined` of a topic of clients. */
export function ownMigrationOf(state: Pick<ClusterState, 'kv'>, topicId: string): ManagedTopic | undefined {
  const topic = migrationOf(state, topicId);
  return topic === undefined || isHandedOver(topic) ? undefined : topic;
}

/** Whether anything but the migration may write to the topic, change it, or remove its records. */
export function isManaged(state: Pick<ClusterState, 'kv'>, topicId: string): boolean {
  return ownMigrationOf(state, topicId) !== undefined;
}

/** One line for a client that wants to change a managed topic. */
export function managedMessage(name: string, { sourceTopic, pipelineId }: ManagedTopic): string {
  return `Topic ${name} is a copy of ${sourceTopic} that migration ${pipelineId} keeps; it can be changed once it is cut over.`;
}
