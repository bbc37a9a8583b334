import type { ClusterChange } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { readTransaction } from './caller.ts';
import { applyTransactionEnded, fencingEnd, writeTransactionEnded } from './end-transaction.ts';
import type { Transaction } from './transaction.ts';

interface Expiry {
  /** Transactions that exceed the timeout of their producer. */
  readonly timedOut: readonly Transaction[];
  /** Ids that are unused for long and have no open transaction. */
  readonly forgotten: readonly Transaction[];
}

/** Decides what is due, up to a limit per call, without applying it. */
export function decideExpiry({ transactions }: ClusterState, limits: MachineLimits, nowMs: number): Expiry {
  const timedOut: Transaction[] = [];
  const forgotten: Transaction[] = [];
  for (const transaction of transactions.open()) {
    if (timedOut.length === limits.expiredTransactionsPerCallMax) break;
    if (transaction.startMs + transaction.timeoutMs <= nowMs) timedOut.push(transaction);
  }
  for (const transaction of transactions.oldestFirst()) {
    if (transaction.updatedMs + limits.transactionalIdMsMax > nowMs) break;
    if (forgotten.length === limits.expiredTransactionsPerCallMax) break;
    if (!transaction.isOpen) forgotten.push(transaction);
  }
  return { timedOut, forgotten };
}

export function writeExpired(writer: ByteWriter, { timedOut, forgotten }: Expiry): void {
  writer.varint(timedOut.length);
  for (const transaction of timedOut) writeTransactionEnded(writer, fencingEnd(transaction));
  writer.varint(forgotten.length);
  for (const { producerId } of forgotten) writer.varint(producerId);
}

export function applyExpired(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const changes: ClusterChange[] = [];
  for (let left = reader.varint(); left > 0; left--) changes.push(...applyTransactionEnded(state, reader));
  for (let left = reader.varint(); left > 0; left--)
    state.transactions.remove(readTransaction(state, reader));
  return changes;
}
