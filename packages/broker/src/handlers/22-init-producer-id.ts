import { managedTopicNamespace, migratedProducerIdMin } from '@weir/cluster';
import { type Access, mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { ProducerIds } from '../cluster-calls/producer-ids.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

type InitProducerIdApi = Apis['InitProducerId'];

/**
 * InitProducerId v0 to v5.
 *
 * - Without a transactional id, each call returns a unique producer id that was never used before, with epoch 0. The
 *   agent allocates ids from the control plane in blocks.
 *   While the cluster is migrated from another one, ids are above those of the source.
 * - With one, the control plane fences the previous producer, aborts its open transaction and returns the next epoch.
 *   That happens within the call, so that no producer has to wait with CONCURRENT_TRANSACTIONS.
 * - A producer id without an epoch or the other way round is INVALID_REQUEST, as is an empty transactional id.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and producers back off and
 *   retry. With similar error codes the Java client looks up a coordinator, which an idempotent producer does not have.
 * - Requires WRITE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED). Without one, requires WRITE on any
 *   topic, or IDEMPOTENT_WRITE on the cluster (CLUSTER_AUTHORIZATION_FAILED).
 */
export function initProducerIdHandler(producerIds: ProducerIds): HandlerOf<InitProducerIdApi> {
  return async (request, context) => {
    const { transactionalId, producerId, producerEpoch } = request;
    const refusal = refusalOf(transactionalId, context.access);
    if (refusal !== undefined) return failed(refusal);
    if (transactionalId === '' || (producerId === -1n) !== (producerEpoch === -1)) {
      return failed('INVALID_REQUEST');
    }
    if (transactionalId !== null) return initTransactional(transactionalId, request, context);
    // Agents pass batches of this producer on to the source of a migration, and no source has such an id.
    const isMigrating = context.cluster.records(managedTopicNamespace).byKey.size > 0;
    const fresh = await coordinatorAnswer(producerIds.next(isMigrating ? migratedProducerIdMin : 0), context);
    return fresh === undefined ? failed('COORDINATOR_LOAD_IN_PROGRESS') : given(fresh, 0);
  };
}

function refusalOf(transactionalId: string | null, access: Access): ErrorName | undefined {
  if (transactionalId !== null) {
    const may = access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId);
    return may ? undefined : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
  }
  const may = access.mayOnSome('WRITE', 'TOPIC') || mayOnCluster(access, 'IDEMPOTENT_WRITE');
  return may ? undefined : 'CLUSTER_AUTHORIZATION_FAILED';
}

async function initTransactional(
  transactionalId: string,
  { transactionTimeoutMs, producerId, producerEpoch }: RequestOf<InitProducerIdApi>,
  context: RequestContext,
) {
  const { apiVersion, cluster } = context;
  const answer = await coordinatorAnswer(
    cluster.port.initTransactionalProducer({
      transactionalId,
      timeoutMs: transactionTimeoutMs,
      producerId: Number(producerId),
      producerEpoch,
    }),
    context,
  );
  if (answer === undefined) return failed('COORDINATOR_LOAD_IN_PROGRESS');
  if (answer.error !== 'NONE') return failed(transactionErrorFor(answer.error, 'InitProducerId', apiVersion));
  return given(answer.producerId, answer.producerEpoch);
}

function given(producerId: number, producerEpoch: number) {
  return { throttleTimeMs: 0, errorCode: errors.NONE.code, producerId: BigInt(producerId), producerEpoch };
}

function failed(error: ErrorName) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, producerId: -1n, producerEpoch: -1 };
}
