import { useOperation } from '../../api/use-operation.ts';

/** The topic that a page is about. All its tabs share the answer. */
export function useTopic(clusterId: string, topic: string) {
  return useOperation('describe_topic', { virtual_cluster_id: clusterId, topic_name: topic });
}
