import { clusterResourceName } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

type Marker = RequestOf<Apis['WriteTxnMarkers']>['markers'][number];

/**
 * WriteTxnMarkers v1 and v2: an operator aborts a transaction that hangs (`Admin.abortTransaction`,
 * `kafka-transactions abort`).
 *
 * - The transaction ends as a whole, in all of its partitions and groups, and its producer is fenced: Kafka writes the
 *   marker into the named partition alone. A transaction that is no longer open is no error, so that a request can be
 *   repeated.
 * - A marker that commits is INVALID_REQUEST: only the coordinator, which is no client here, may commit for a producer.
 * - A producer id that no transactional id has is INVALID_PRODUCER_ID_MAPPING, another epoch INVALID_PRODUCER_EPOCH, a
 *   partition that is not part of the transaction INVALID_TXN_STATE, with OPERATION_NOT_ATTEMPTED for the others.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Requires ALTER or CLUSTER_ACTION on the cluster (CLUSTER_AUTHORIZATION_FAILED). Each abort is logged with its
 *   principal.
 */
export const writeTxnMarkersHandler: HandlerOf<Apis['WriteTxnMarkers']> = async ({ markers }, context) => {
  const { access } = context;
  const isAllowed =
    access.mayQuietly('ALTER', 'CLUSTER', clusterResourceName) ||
    access.may('CLUSTER_ACTION', 'CLUSTER', clusterResourceName);
  const answered = [];
  for (const marker of markers) {
    const found = isAllowed ? await abort(marker, context) : undefined;
    answered.push({
      producerId: marker.producerId,
      topics: marker.topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => {
          const error = isAllowed
            ? errorOf(found!, name, partitionIndex, context)
            : 'CLUSTER_AUTHORIZATION_FAILED';
          return { partitionIndex, errorCode: errors[error].code };
        }),
      })),
    });
  }
  return { markers: answered };
};

interface Aborted {
  /** The error of the partitions of the transaction, or of all if there was none. */
  readonly error: ErrorName;
  /** The partitions of the open transaction, by `placeOf`; `undefined` if none is open. */
  readonly places?: ReadonlySet<string>;
}

/** Aborts the transaction of a producer, if all that the request names is right. */
async function abort(marker: Marker, context: RequestContext): Promise<Aborted> {
  const { cluster, origin, log, access } = context;
  if (marker.transactionResult) return { error: 'INVALID_REQUEST' };
  const producerId = Number(marker.producerId);
  const filter = { states: [], producerIds: [producerId], openForMs: -1 };
  const listed = await coordinatorAnswer(cluster.port.listTransactions(filter), context);
  if (listed === undefined) return { error: 'COORDINATOR_LOAD_IN_PROGRESS' };
  const [found] = listed;
  if (found === undefined) return { error: 'INVALID_PRODUCER_ID_MAPPING' };
  if (found.state !== 'Ongoing') return { error: 'NONE' };
  const { transactionalId } = found;
  const described = await coordinatorAnswer(cluster.port.describeTransactions([transactionalId]), context);
  if (described === undefined) return { error: 'COORDINATOR_LOAD_IN_PROGRESS' };
  const places = new Set(described[0]!.partitions.map(({ topicId, partition }) => `${topicId}/${partition}`));
  const isInside = marker.topics.every(({ name, partitionIndexes }) =>
    partitionIndexes.every((partition) => places.has(placeOf(name, partition, context))),
  );
  if (!isInside) return { error: 'OPERATION_NOT_ATTEMPTED', places };
  const { producerEpoch } = marker;
  const answer = await coordinatorAnswer(
    cluster.port.endTransaction({
      ...{ transactionalId, producerId, producerEpoch, origin, isCommit: false },
      // The producer is fenced, whichever protocol it has.
      bumpsEpoch: true,
    }),
    context,
  );
  if (answer === undefined) return { error: 'COORDINATOR_LOAD_IN_PROGRESS' };
  if (answer.error !== 'NONE') return { error: transactionErrorFor(answer.error, 'EndTxn', 0), places };
  log.info('aborted transaction for an operator', {
    ...{ transactionalId, producerId, producerEpoch },
    principal: access.principal.name,
  });
  return { error: 'NONE', places };
}

function errorOf(
  { error, places }: Aborted,
  name: string,
  partition: number,
  context: RequestContext,
): ErrorName {
  const topic = context.cluster.topicByName(name);
  if (topic === undefined || context.cluster.ends(topic.topicId, partition) === undefined)
    return 'UNKNOWN_TOPIC_OR_PARTITION';
  return places === undefined || places.has(placeOf(name, partition, context)) ? error : 'INVALID_TXN_STATE';
}

function placeOf(name: string, partition: number, { cluster }: RequestContext): string {
  return `${cluster.topicByName(name)?.topicId}/${partition}`;
}
