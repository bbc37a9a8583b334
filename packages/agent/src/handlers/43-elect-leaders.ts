import { type Apis, type ErrorName, errors } from '@weir/wire';
import type { HandlerOf } from './handler.ts';

/** Preferred and unclean. */
const electionTypes = [0, 1];

/**
 * ElectLeaders v0 to v2. Any agent can lead any partition and none has more of it than another, so that there is nothing to
 * elect: ELECTION_NOT_NEEDED for every partition that is there.
 *
 * - When all partitions are asked for, those that need no election are left out, as in Apache Kafka; so the list is empty.
 * - Another type of election than preferred and unclean is INVALID_REQUEST as a whole.
 *
 * Missing: ACLs.
 */
export const electLeadersHandler: HandlerOf<Apis['ElectLeaders']> = (request, { cluster, apiVersion }) => {
  if (apiVersion >= 1 && !electionTypes.includes(request.electionType)) {
    return { throttleTimeMs: 0, errorCode: errors.INVALID_REQUEST.code, replicaElectionResults: [] };
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
