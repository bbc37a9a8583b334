import type { RequestOrigin, TransactionalProducer } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { repeatedIfLate } from '../cluster-calls/late-requests.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { repeatedOrigin } from '../requests/request-origins.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

const bumpsEpochFromVersion = 5;

/**
 * EndTxn v0 to v5. The control plane ends the transaction in all partitions and groups atomically.
 *
 * - From v5 on every transaction has its own epoch, and the response has the epoch of the next one.
 * - Before v5, an end on another connection than the last use of the transaction may be a late one. kafkajs and others
 *   do not retry CONCURRENT_TRANSACTIONS here, so the agent holds the request and repeats it itself (`repeatedIfLate`).
 *   Only if the transaction was used elsewhere in the meantime is the answer CONCURRENT_TRANSACTIONS.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and producers back off and
 *   retry.
 * - Requires WRITE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED).
 */
export const endTxnHandler: HandlerOf<Apis['EndTxn']> = async (request, context) => {
  const { apiVersion, access, cluster, origin } = context;
  if (!access.may('WRITE', 'TRANSACTIONAL_ID', request.transactionalId)) {
    return failed('TRANSACTIONAL_ID_AUTHORIZATION_FAILED');
  }
  if (request.transactionalId === '') return failed('INVALID_REQUEST');
  const end = (from: RequestOrigin) =>
    coordinatorAnswer(
      cluster.port.endTransaction({
        transactionalId: request.transactionalId,
        producerId: Number(request.producerId),
        producerEpoch: request.producerEpoch,
        origin: from,
        isCommit: request.committed,
        bumpsEpoch: apiVersion >= bumpsEpochFromVersion,
      }),
      context,
    );
  const answer = await repeatedIfLate<TransactionalProducer | undefined>(
    context,
    (given) => given?.error === 'CONCURRENT_TRANSACTIONS',
    (isRepeated) => end(isRepeated ? repeatedOrigin(origin) : origin),
  );
  if (answer === undefined) return failed('COORDINATOR_LOAD_IN_PROGRESS');
  if (answer.error !== 'NONE') return failed(transactionErrorFor(answer.error, 'EndTxn', apiVersion));
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    producerId: BigInt(answer.producerId),
    producerEpoch: answer.producerEpoch,
  };
};

function failed(error: ErrorName) {
  return { throttleTimeMs: 0, errorCode: errors[error].code };
}
