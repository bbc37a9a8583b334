import type { EntryError } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { hasRoom } from './add-to-transaction.ts';

/**
 * Whether a batch may be part of a transaction of its producer. `joins`: it may, and its partition becomes part of the
 * transaction with it. The truth about producers and their epochs is in the same machine, so that a batch that was under
 * way for too long is always told from one of the present.
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

/** Whether a producer that may have a transactional id may write without a transaction; `undefined` when it may. */
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
