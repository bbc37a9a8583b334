import { useClusterOperation } from '../../api/use-cluster.ts';

/** The topic that a page is about. All its tabs share the answer. */
export function useTopic(topic: string) {
  return useClusterOperation('describe_topic', { topic_name: topic });
}
