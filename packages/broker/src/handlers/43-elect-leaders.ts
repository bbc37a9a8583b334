import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';

/** Preferred (0) and unclean (1). */
const electionTypes = [0, 1];

/**
 * ElectLeaders v0 to v2. Any agent can lead any partition, and all of them have the same data, so there is nothing to
 * elect: every partition that exists is ELECTION_NOT_NEEDED.
 *
 * - A request for all partitions omits those that need no election, as in Apache Kafka; so the list is empty.
 * - An election type other than preferred and unclean is INVALID_REQUEST, for each partition and the whole request.
 * - Requires ALTER on the cluster; otherwise each partition and the whole request are CLUSTER_AUTHORIZATION_FAILED.
 */
export const electLeadersHandler: HandlerOf<Apis['ElectLeaders']> = (request, context) => {
  const { cluster, access, apiVersion } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return refused('CLUSTER_AUTHORIZATION_FAILED', request.topicPartitions ?? [], apiVersion);
  }
  if (apiVersion >= 1 && !electionTypes.includes(request.electionType)) {
    return refused('INVALID_REQUEST', request.topicPartitions ?? [], apiVersion);
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    replicaElectionResults: (request.topicPartitions ?? []).map(({ topic, partitions }) => {
      const partitionCount = cluster.topicByName(topic)?.partitionCount ?? 0;
      return {
        topic,
        partitionResult: partitions.map((partitionId) => {
          const isThere = partitionId >= 0 && partitionId < partitionCount;
          const error: ErrorName = isThere ? 'ELECTION_NOT_NEEDED' : 'UNKNOWN_TOPIC_OR_PARTITION';
          return { partitionId, errorCode: errors[error].code, errorMessage: errors[error].message };
        }),
      };
    }),
  };
};

/** v0 has no top-level error. */
function refused(
  error: ErrorName,
  topics: NonNullable<RequestOf<Apis['ElectLeaders']>['topicPartitions']>,
  apiVersion: number,
) {
  const { code: errorCode, message: errorMessage } = errors[error];
  return {
    throttleTimeMs: 0,
    errorCode: apiVersion >= 1 ? errorCode : errors.NONE.code,
    replicaElectionResults: topics.map(({ topic, partitions }) => ({
      topic,
      partitionResult: partitions.map((partitionId) => ({ partitionId, errorCode, errorMessage })),
    })),
  };
}
