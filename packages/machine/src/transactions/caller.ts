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

/** Whether the producer has the transactional id that it names, with the epoch that it names. */
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
      `producer ${producerId} of "${transactionalId}" has epoch ${transaction.epoch} by now, not ${producerEpoch}`,
    );
  }
  return transaction;
}

/** Entries name a transaction by its producer, which is shorter than its id. */
export function readTransaction(state: ClusterState, reader: ByteReader): Transaction {
  const producerId = reader.varint();
  const transaction = state.transactions.byProducer(producerId);
  if (transaction === undefined) throw new UnreadableBytes(`producer ${producerId} has no transactional id`);
  return transaction;
}
