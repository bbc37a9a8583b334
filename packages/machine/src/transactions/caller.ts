import type {
  TransactionAnswer,
  TransactionalCaller,
  TransactionalProducer,
  TransactionError,
} from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { Transaction } from './transaction.ts';

export const done: TransactionAnswer = { error: 'NONE', message: null };

export function refusal(error: Exclude<TransactionError, 'NONE'>, message: string): TransactionAnswer {
  return { error, message };
}

export function producerRefusal(
  error: Exclude<TransactionError, 'NONE'>,
  message: string,
): TransactionalProducer {
  return { error, message, producerId: -1, producerEpoch: -1 };
}

/**
 * Finds the transactional id of a producer, or returns the error if its producer id or epoch is not the current one.
 */
export function findCaller(
  state: ClusterState,
  { transactionalId, producerId, producerEpoch }: TransactionalCaller,
): Transaction | TransactionAnswer {
  const transaction = state.transactions.byId(transactionalId);
  if (transaction === undefined || transaction.producerId !== producerId) {
    return refusal(
      'INVALID_PRODUCER_ID_MAPPING',
      `the transactional id "${transactionalId}" does not belong to producer ${producerId}`,
    );
  }
  if (transaction.epoch !== producerEpoch) {
    return refusal(
      'PRODUCER_FENCED',
      `producer ${producerId} of "${transactionalId}" is at epoch ${transaction.epoch}; the request has epoch ${producerEpoch}`,
    );
  }
  return transaction;
}

/** Journal entries refer to a transaction by its producer id, which is shorter than its transactional id. */
export function readTransaction(state: ClusterState, reader: ByteReader): Transaction {
  const producerId = reader.varint();
  const transaction = state.transactions.byProducer(producerId);
  if (transaction === undefined) throw new UnreadableBytes(`producer ${producerId} has no transactional id`);
  return transaction;
}
