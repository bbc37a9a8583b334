import type { Access } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

/**
 * AddOffsetsToTxn v0 to v4: announces that the transaction will commit offsets of a group.
 *
 * An empty transactional id is INVALID_REQUEST.
 *
 * If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and producers back off and
 * retry.
 *
 * The connection of a producer that does not go on is closed after a few seconds (`transactions/awaited-commit.ts`).
 *
 * Requires WRITE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED) and READ on the group
 * (GROUP_AUTHORIZATION_FAILED).
 */
export const addOffsetsToTxnHandler: HandlerOf<Apis['AddOffsetsToTxn']> = async (request, context) => {
  const { transactionalId, producerId, producerEpoch, groupId } = request;
  const { apiVersion, access, cluster, origin } = context;
  const refusal = refusalOf(request, access);
  if (refusal !== undefined) return { throttleTimeMs: 0, errorCode: errors[refusal].code };
  const answer = await coordinatorAnswer(
    cluster.port.addOffsetsToTransaction({
      transactionalId,
      producerId: Number(producerId),
      producerEpoch,
      origin,
      groupId,
    }),
    context,
  );
  const error =
    answer === undefined
      ? 'COORDINATOR_LOAD_IN_PROGRESS'
      : transactionErrorFor(answer.error, 'AddOffsetsToTxn', apiVersion);
  return { throttleTimeMs: 0, errorCode: errors[error].code };
};

function refusalOf(
  { transactionalId, groupId }: RequestOf<Apis['AddOffsetsToTxn']>,
  access: Access,
): ErrorName | undefined {
  if (!access.may('WRITE', 'TRANSACTIONAL_ID', transactionalId))
    return 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
  if (!access.may('READ', 'GROUP', groupId)) return 'GROUP_AUTHORIZATION_FAILED';
  return transactionalId === '' ? 'INVALID_REQUEST' : undefined;
}
