import { type Apis, errors } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';
import { transactionErrorFor } from './transaction-errors.ts';

/**
 * AddOffsetsToTxn v0 to v4: offsets of a group will follow in the transaction.
 *
 * When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which producers wait and retry.
 *
 * Missing: ACLs.
 */
export const addOffsetsToTxnHandler: HandlerOf<Apis['AddOffsetsToTxn']> = async (request, context) => {
  const { transactionalId, producerId, producerEpoch, groupId } = request;
  const { apiVersion, cluster, origin } = context;
  const answer = await ifAvailable(
    cluster.port.addOffsetsToTransaction({
      transactionalId,
      producerId: Number(producerId),
      producerEpoch,
      origin,
      groupId,
    }),
  );
  const error =
    answer === undefined
      ? 'COORDINATOR_LOAD_IN_PROGRESS'
      : transactionErrorFor(answer.error, 'AddOffsetsToTxn', apiVersion);
  return { throttleTimeMs: 0, errorCode: errors[error].code };
};
