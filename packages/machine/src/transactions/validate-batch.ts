import type { EntryError } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { hasRoom } from './add-to-transaction.ts';

/**
 * Validates a batch of a transaction (X5). `joins`: valid, and the batch adds its partition to the transaction.
 * Producers and epochs are in the same state machine, so a delayed batch is always distinguished from a current one.
 */
export function validateTransactionalBatch(
  state: ClusterState,
  limits: MachineLimits,
  log: PartitionLog,
  transactionalId: string,
  producerId: number,
  epoch: number,
  addsPartition: boolean,
): 'belongs' | 'joins' | Exclude<EntryError, 'NONE'> {
  const transaction = state.transactions.byId(transactionalId);
  if (transaction === undefined || transaction.producerId !== producerId)
    return 'INVALID_PRODUCER_ID_MAPPING';
  if (transaction.epoch !== epoch) return 'INVALID_PRODUCER_EPOCH';
  if (transaction.partitions.has(log)) return 'belongs';
  if (!addsPartition || !hasRoom(state, limits, 1, [])) return 'INVALID_TXN_STATE';
  return 'joins';
}

/**
 * Validates a batch without a transaction, of a producer that may have a transactional id (X6); returns `undefined` if
 * it is valid.
 */
export function validatePlainBatch(
  { transactions }: ClusterState,
  log: PartitionLog,
  producerId: number,
  epoch: number,
): Exclude<EntryError, 'NONE'> | undefined {
  const transaction = transactions.byProducer(producerId);
  if (transaction === undefined) return undefined;
  if (transaction.epoch !== epoch) return 'INVALID_PRODUCER_EPOCH';
  return log.openTransactions?.has(producerId) ? 'INVALID_TXN_STATE' : undefined;
}
