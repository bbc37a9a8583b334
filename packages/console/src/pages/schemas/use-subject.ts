import { ApiError } from '@weir/api/client';
import { useClusterId } from '../../api/use-cluster.ts';
import { useOperation } from '../../api/use-operation.ts';

/** The last version of a subject, deleted or not, and which versions are not deleted. */
export function useSubject(subject: string) {
  const clusterId = useClusterId();
  const target = { virtual_cluster_id: clusterId, subject };
  const latest = useOperation('describe_schema', { ...target, include_deleted: true });
  const live = useOperation('describe_schema', target);
  const isDeleted = live.error instanceof ApiError && live.error.code === 'not_found';
  const liveVersions = isDeleted ? [] : live.data?.versions;
  return { latest, liveVersions, isDeleted: isDeleted && latest.data !== undefined };
}
