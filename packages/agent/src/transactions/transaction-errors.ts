import type { TransactionError } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';

/** From these versions on clients know PRODUCER_FENCED; before, they hear INVALID_PRODUCER_EPOCH and do the same. */
const fencedFromVersion = {
  InitProducerId: 4,
  AddPartitionsToTxn: 2,
  AddOffsetsToTxn: 2,
  EndTxn: 2,
} as const;

/** The error of a transaction in the words of an API and its version. */
export function transactionErrorFor(
  error: TransactionError,
  api: keyof typeof fencedFromVersion,
  apiVersion: number,
): ErrorName {
  const isUnknown = error === 'PRODUCER_FENCED' && apiVersion < fencedFromVersion[api];
  return isUnknown ? 'INVALID_PRODUCER_EPOCH' : error;
}
