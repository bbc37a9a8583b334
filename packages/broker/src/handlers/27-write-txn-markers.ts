import { clusterResourceName } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { brokerLimits } from '../limits.ts';
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
  const found = isAllowed ? await abortAll(markers, context) : undefined;
  return {
    markers: markers.map((marker, index) => ({
      producerId: marker.producerId,
      topics: marker.topics.map(({ name, partitionIndexes }) => ({
        name,
        partitions: partitionIndexes.map((partitionIndex) => {
          const error =
            found === undefined
              ? 'CLUSTER_AUTHORIZATION_FAILED'
              : errorOf(found[index]!, name, partitionIndex, context);
          return { partitionIndex, errorCode: errors[error].code };
        }),
      })),
    })),
  };
};

interface Aborted {
  /** The error of the partitions of the transaction, or of all if there was none. */
  readonly error: ErrorName;
  /** The partitions of the open transaction, by `placeOf`; `undefined` if none is open. */
  readonly places?: ReadonlySet<string>;
}

/** Asks once for the transactions of all producers, and ends those that the request is right about. */
async function abortAll(markers: readonly Marker[], context: RequestContext): Promise<readonly Aborted[]> {
  const { port } = context.cluster;
  const unavailable = { error: 'COORDINATOR_LOAD_IN_PROGRESS' } as const;
  const asked = markers.filter(({ transactionResult }) => !transactionResult);
  const producerIds = [...new Set(asked.map(({ producerId }) => Number(producerId)))];
  const filter = { states: [], producerIds, openForMs: -1 };
  // Without producer ids the filter would be for all transactions.
  const listed = asked.length === 0 ? [] : await coordinatorAnswer(port.listTransactions(filter), context);
  if (listed === undefined) return markers.map(() => unavailable);
  const byProducer = new Map(listed.map((transaction) => [transaction.producerId, transaction]));
  const open = listed
    .filter(({ state }) => state === 'Ongoing')
    .slice(0, brokerLimits.abortedTransactionsPerRequestMax)
    .map(({ transactionalId }) => transactionalId);
  const described =
    open.length === 0 ? [] : await coordinatorAnswer(port.describeTransactions(open), context);
  if (described === undefined) return markers.map(() => unavailable);
  const placesById = new Map(
    open.map((transactionalId, index) => [
      transactionalId,
      new Set(described[index]!.partitions.map(({ topicId, partition }) => `${topicId}/${partition}`)),
    ]),
  );
  const ended = new Set<string>();
  const results: Aborted[] = [];
  for (const marker of markers) {
    const found = byProducer.get(Number(marker.producerId));
    if (marker.transactionResult) results.push({ error: 'INVALID_REQUEST' });
    else if (found === undefined) results.push({ error: 'INVALID_PRODUCER_ID_MAPPING' });
    else if (found.state !== 'Ongoing' || ended.has(found.transactionalId)) results.push({ error: 'NONE' });
    else {
      const places = placesById.get(found.transactionalId);
      // Retriable, so that the rest is asked for again.
      if (places === undefined) results.push(unavailable);
      else {
        const result = await abort(marker, found.transactionalId, places, context);
        if (result.error === 'NONE') ended.add(found.transactionalId);
        results.push(result);
      }
    }
  }
  return results;
}

/** Aborts the transaction of a producer, if all that the request names is right. */
async function abort(
  marker: Marker,
  transactionalId: string,
  places: ReadonlySet<string>,
  context: RequestContext,
): Promise<Aborted> {
  const { cluster, origin, log, access } = context;
  const producerId = Number(marker.producerId);
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
