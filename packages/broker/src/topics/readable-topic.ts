import type { TopicDescription } from '@weir/cluster';
import type { Access } from '@weir/security';
import type { ClusterView } from '../cluster/cluster-view.ts';

/**
 * Returns a topic for a client that needs READ, or the error. Without the permission the error is the same for topics
 * that do not exist.
 */
export function readableTopic(
  name: string,
  cluster: ClusterView,
  access: Access,
): TopicDescription | 'TOPIC_AUTHORIZATION_FAILED' | 'UNKNOWN_TOPIC_OR_PARTITION' {
  if (!access.may('READ', 'TOPIC', name)) return 'TOPIC_AUTHORIZATION_FAILED';
  return cluster.topicByName(name) ?? 'UNKNOWN_TOPIC_OR_PARTITION';
}
