import { replicationFactorOf } from '@weir/cluster';
import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';

/**
 * AlterPartitionReassignments v0 and v1. Partitions have no replicas that could be moved: replicas in Metadata are
 * computed per client. A reassignment to the replicas that the client sees in Metadata changes nothing and succeeds, as
 * in Kafka. Any other is POLICY_VIOLATION with an explanation, rather than a success without effect; a cancellation is
 * NO_REASSIGNMENT_IN_PROGRESS.
 *
 * Requires ALTER on the cluster.
 */
export function alterPartitionReassignmentsHandler(
  placementOf: PlacementOf,
): HandlerOf<Apis['AlterPartitionReassignments']> {
  return (request, context) => alter(request, context, placementOf);
}

function alter(
  { topics, allowReplicationFactorChange }: RequestOf<Apis['AlterPartitionReassignments']>,
  context: RequestContext,
  placementOf: PlacementOf,
) {
  const { cluster, access } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    const { code: errorCode, message: errorMessage } = errors.CLUSTER_AUTHORIZATION_FAILED;
    return { throttleTimeMs: 0, allowReplicationFactorChange, errorCode, errorMessage, responses: [] };
  }
  const placement = placementOf(context);
  return {
    throttleTimeMs: 0,
    allowReplicationFactorChange,
    errorCode: errors.NONE.code,
    errorMessage: null,
    responses: topics.map(({ name, partitions }) => {
      const topic = cluster.topicByName(name);
      const leaders = topic === undefined ? [] : placement.leadersOf(topic);
      return {
        name,
        partitions: partitions.map(({ partitionIndex, replicas }) => {
          const leader = leaders[partitionIndex];
          const present =
            topic === undefined || leader === undefined
              ? undefined
              : placement.replicasOf(leader, replicationFactorOf(topic));
          const [error, message] = validate(present, replicas);
          return { partitionIndex, errorCode: errors[error].code, errorMessage: message };
        }),
      };
    }),
  };
}

function validate(
  present: readonly number[] | undefined,
  replicas: readonly number[] | null,
): [error: ErrorName, message: string | null] {
  if (present === undefined) return ['UNKNOWN_TOPIC_OR_PARTITION', errors.UNKNOWN_TOPIC_OR_PARTITION.message];
  if (replicas === null) return ['NO_REASSIGNMENT_IN_PROGRESS', errors.NO_REASSIGNMENT_IN_PROGRESS.message];
  const isPresent = replicas.length === present.length && replicas.every((id, at) => id === present[at]);
  if (isPresent) return ['NONE', null];
  return ['POLICY_VIOLATION', 'partitions are in the object store and have no replicas to reassign'];
}
