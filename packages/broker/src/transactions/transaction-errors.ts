import type { TransactionError } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';

/**
 * The first versions in which clients know PRODUCER_FENCED; earlier ones get INVALID_PRODUCER_EPOCH and react the same
 * way.
 */
const fencedFromVersion = {
  InitProducerId: 4,
  AddPartitionsToTxn: 2,
  AddOffsetsToTxn: 2,
  EndTxn: 2,
} as const;

/** Maps a transaction error to the one that a version of an API knows. */
export function transactionErrorFor(
  error: TransactionError,
  api: keyof typeof fencedFromVersion,
  apiVersion: number,
): ErrorName {
  const isUnknown = error === 'PRODUCER_FENCED' && apiVersion < fencedFromVersion[api];
  return isUnknown ? 'INVALID_PRODUCER_EPOCH' : error;
}
