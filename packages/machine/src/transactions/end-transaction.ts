import type { ClusterChange, TransactionalProducer, TransactionToEnd } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { readPointers } from '../log/pointers.ts';
import { findCaller, producerRefusal, readTransaction } from './caller.ts';
import { isTimely } from './origin.ts';
import { noEpoch, noProducer, producerEpochMax, Transaction } from './transaction.ts';
import type { Holder } from './transactions.ts';

/** How a transaction ends, and the producer that holds its id afterwards. */
interface TransactionEnd {
  readonly transaction: Transaction;
  readonly isCommit: boolean;
  readonly bumpsEpoch: boolean;
  /** Epoch of its markers. */
  readonly markerEpoch: number;
  readonly holder: Holder;
}

type EndDecision =
  | { readonly kind: 'answer'; readonly answer: TransactionalProducer }
  /** The request may be late: a live client retries. */
  | { readonly kind: 'doubt'; readonly transaction: Transaction; readonly answer: TransactionalProducer }
  | { readonly kind: 'end'; readonly end: TransactionEnd };

/** Decides by the rules of both of Kafka's protocols, without applying it. */
export function decideEndTransaction(state: ClusterState, request: TransactionToEnd): EndDecision {
  const { transactionalId, isCommit, bumpsEpoch } = request;
  const known = state.transactions.byId(transactionalId);
  if (known !== undefined && isRepeated(known, request)) {
    return answer(isCommit === (known.state === 'CompleteCommit') ? heldBy(known) : ended(known, request));
  }
  const found = findCaller(state, request);
  if (!(found instanceof Transaction)) return answer({ ...found, producerId: -1, producerEpoch: -1 });
  switch (found.state) {
    case 'Ongoing':
      if (!bumpsEpoch && !isTimely(found, request.origin)) {
        const message = `EndTxn of "${transactionalId}" arrived on another connection than its last request; retry`;
        return {
          kind: 'doubt',
          transaction: found,
          answer: producerRefusal('CONCURRENT_TRANSACTIONS', message),
        };
      }
      return { kind: 'end', end: endOf(state, found, isCommit, bumpsEpoch) };
    case 'Empty':
    case 'CompleteCommit':
    case 'CompleteAbort':
      // A client that bumps epochs opens transactions implicitly, and may abort one whose first batch never arrived.
      if (bumpsEpoch && !isCommit) return { kind: 'end', end: endOf(state, found, isCommit, bumpsEpoch) };
      if (!bumpsEpoch && found.state === (isCommit ? 'CompleteCommit' : 'CompleteAbort')) {
        return answer(heldBy(found));
      }
      return answer(ended(found, request));
  }
}

function answer(given: TransactionalProducer): EndDecision {
  return { kind: 'answer', answer: given };
}

function heldBy({ producerId, epoch }: Pick<Transaction, 'producerId' | 'epoch'>): TransactionalProducer {
  return { error: 'NONE', message: null, producerId, producerEpoch: epoch };
}

function ended(
  { transactionalId, state }: Transaction,
  { isCommit }: TransactionToEnd,
): TransactionalProducer {
  const action = isCommit ? 'commit' : 'abort';
  return producerRefusal(
    'INVALID_TXN_STATE',
    `"${transactionalId}" has no open transaction to ${action}: it is ${state}`,
  );
}

/** Returns whether this is a retry of a producer that lost the answer with its new epoch or producer id. */
function isRepeated(
  transaction: Transaction,
  { producerId, producerEpoch, bumpsEpoch }: TransactionToEnd,
): boolean {
  const { state, epoch, previousProducerId } = transaction;
  if (!bumpsEpoch || !transaction.bumpsEpoch) return false;
  if (state !== 'CompleteCommit' && state !== 'CompleteAbort') return false;
  if (producerId === transaction.producerId) return producerEpoch === epoch - 1;
  return producerId === previousProducerId && producerEpoch === producerEpochMax && epoch === 0;
}

/** Returns the end of a transaction by its own producer. */
function endOf(
  state: ClusterState,
  transaction: Transaction,
  isCommit: boolean,
  bumpsEpoch: boolean,
): TransactionEnd {
  const { producerId, epoch } = transaction;
  if (!bumpsEpoch) {
    const holder = { producerId, epoch, lastEpoch: noEpoch, previousProducerId: noProducer };
    return { transaction, isCommit, bumpsEpoch, markerEpoch: epoch, holder };
  }
  const holder: Holder =
    epoch < producerEpochMax
      ? { producerId, epoch: epoch + 1, lastEpoch: epoch, previousProducerId: noProducer }
      : { producerId: state.nextProducerId, epoch: 0, lastEpoch: epoch, previousProducerId: producerId };
  return { transaction, isCommit, bumpsEpoch, markerEpoch: fencingEpoch(epoch), holder };
}

/** Returns the end of a transaction by the coordinator, which fences the epoch of its producer. */
export function fencingEnd(transaction: Transaction): TransactionEnd {
  const { producerId, bumpsEpoch } = transaction;
  const epoch = fencingEpoch(transaction.epoch);
  const holder = { producerId, epoch, lastEpoch: noEpoch, previousProducerId: noProducer };
  return { transaction, isCommit: false, bumpsEpoch, markerEpoch: epoch, holder };
}

/** Returns the next epoch, at most one above `producerEpochMax`. */
export function fencingEpoch(epoch: number): number {
  return Math.min(epoch, producerEpochMax) + 1;
}

const commits = 1 << 0;
const bumps = 1 << 1;

export function writeTransactionEnded(writer: ByteWriter, end: TransactionEnd): void {
  const { transaction, isCommit, bumpsEpoch, markerEpoch, holder } = end;
  writer.varint(transaction.producerId);
  writer.u8((isCommit ? commits : 0) | (bumpsEpoch ? bumps : 0));
  writer.varint(markerEpoch);
  writeHolder(writer, holder);
}

export function applyTransactionEnded(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const transaction = readTransaction(state, reader);
  const bits = reader.u8();
  const isCommit = (bits & commits) !== 0;
  const markerEpoch = reader.varint();
  const holder = readHolder(state, reader);
  const changes: ClusterChange[] = [];
  closeTransaction(state, transaction, isCommit, (bits & bumps) !== 0, markerEpoch, changes);
  state.transactions.hold(transaction, holder);
  return changes;
}

export function writeHolder(writer: ByteWriter, holder: Holder): void {
  writer.varint(holder.producerId);
  writer.varint(holder.epoch);
  writer.varint(holder.lastEpoch + 1);
  writer.varint(holder.previousProducerId + 1);
}

export function readHolder(state: ClusterState, reader: ByteReader): Holder {
  const holder = {
    producerId: reader.varint(),
    epoch: reader.varint(),
    lastEpoch: reader.varint() - 1,
    previousProducerId: reader.varint() - 1,
  };
  // An unknown id has just been allocated.
  if (holder.producerId >= state.nextProducerId) state.nextProducerId = holder.producerId + 1;
  return holder;
}

/**
 * Ends the transaction in all partitions and groups. Deleted topics get markers too, but followers do not see them
 * (X15).
 */
export function closeTransaction(
  state: ClusterState,
  transaction: Transaction,
  isCommit: boolean,
  bumpsEpoch: boolean,
  markerEpoch: number,
  changes: ClusterChange[],
): void {
  const { producerId } = transaction;
  const { transactions, topics, nowMs } = state;
  const marker = { producerId, producerEpoch: markerEpoch, isCommit };
  if (transaction.groups.size > 0) state.offsets.settlePending(producerId, isCommit);
  for (const log of transactions.close(transaction, isCommit, bumpsEpoch, nowMs)) {
    const firstOffset = log.openTransactions?.get(producerId);
    log.endTransaction(marker, nowMs);
    if (topics.byId(log.topicId) === undefined) continue;
    const { topicId, partition, lastStableOffset } = log;
    const pointers = readPointers(state, log, log.pointerCount - 1, 1);
    const change = { kind: 'appended', topicId, partition, pointers, lastStableOffset } as const;
    if (isCommit || firstOffset === undefined) {
      changes.push(change);
      continue;
    }
    const aborted = {
      producerId: Float64Array.of(producerId),
      firstOffset: Float64Array.of(firstOffset),
      lastOffset: Float64Array.of(log.nextOffset - 1),
    };
    changes.push({ ...change, aborted });
  }
}
