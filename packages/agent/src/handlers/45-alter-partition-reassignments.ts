import { type Apis, type ErrorName, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';
import { mayOnCluster } from '../security/access.ts';

/**
 * AlterPartitionReassignments v0 and v1. Partitions have no replicas that could be moved: replicas in Metadata are
 * computed per client. A reassignment is POLICY_VIOLATION with an explanation, rather than a success without effect; a
 * cancellation is NO_REASSIGNMENT_IN_PROGRESS.
 *
 * Requires ALTER on the cluster.
 */
export const alterPartitionReassignmentsHandler: HandlerOf<Apis['AlterPartitionReassignments']> = (
  { topics, allowReplicationFactorChange },
  { cluster, access },
) => {
  if (!mayOnCluster(access, 'ALTER')) {
    const { code: errorCode, message: errorMessage } = errors.CLUSTER_AUTHORIZATION_FAILED;
    return { throttleTimeMs: 0, allowReplicationFactorChange, errorCode, errorMessage, responses: [] };
  }
  return {
    throttleTimeMs: 0,
    allowReplicationFactorChange,
    errorCode: errors.NONE.code,
    errorMessage: null,
    responses: topics.map(({ name, partitions }) => {
      const partitionCount = cluster.topicByName(name)?.partitionCount ?? 0;
      return {
        name,
        partitions: partitions.map(({ partitionIndex, replicas }) => {
          const [error, message] = validate(partitionIndex >= 0 && partitionIndex < partitionCount, replicas);
          return { partitionIndex, errorCode: errors[error].code, errorMessage: message };
        }),
      };
    }),
  };
};

function validate(isThere: boolean, replicas: readonly number[] | null): [error: ErrorName, message: string] {
  if (!isThere) return ['UNKNOWN_TOPIC_OR_PARTITION', errors.UNKNOWN_TOPIC_OR_PARTITION.message];
  if (replicas === null) return ['NO_REASSIGNMENT_IN_PROGRESS', errors.NO_REASSIGNMENT_IN_PROGRESS.message];
  return ['POLICY_VIOLATION', 'partitions lie in object storage and have no replicas that could be moved'];
}
