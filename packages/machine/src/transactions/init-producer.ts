import type { ClusterChange, TransactionalProducer, TransactionalProducerToInit } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { producerRefusal } from './caller.ts';
import { closeTransaction, fencingEpoch, readHolder, writeHolder } from './end-transaction.ts';
import { bytesOfId, noEpoch, noProducer, producerEpochMax, Transaction } from './transaction.ts';
import type { Holder } from './transactions.ts';

/** A producer that takes a transactional id. An open transaction of the id is aborted. */
interface ProducerInit {
  readonly transactionalId: string;
  readonly timeoutMs: number;
  readonly holder: Holder;
  /**
   * Number of idle ids without an open transaction that are removed to make room for a new one, those idle longest
   * first.
   */
  readonly forgottenIds: number;
}

/** Decides by Kafka's rules (KIP-360), without applying it. */
export function decideInitProducer(
  state: ClusterState,
  limits: MachineLimits,
  request: TransactionalProducerToInit,
): { answer: TransactionalProducer; init: ProducerInit | undefined } {
  const { transactionalId, timeoutMs } = request;
  const problem = problemOf(request, limits);
  if (problem !== undefined) return { answer: problem, init: undefined };

  const known = state.transactions.byId(transactionalId);
  const forgottenIds = known === undefined ? idsToForget(state, limits, transactionalId) : 0;
  if (forgottenIds === undefined) {
    const message = `the cluster has ${state.transactions.count} transactional ids in use, which is the limit`;
    return { answer: producerRefusal('POLICY_VIOLATION', message), init: undefined };
  }
  const holder = known === undefined ? newHolder(state) : nextHolder(state, known, request);
  if (holder === undefined) {
    const message = `another producer has since taken over the transactional id "${transactionalId}"`;
    return { answer: producerRefusal('PRODUCER_FENCED', message), init: undefined };
  }
  const answer = {
    error: 'NONE',
    message: null,
    producerId: holder.producerId,
    producerEpoch: holder.epoch,
  } as const;
  const isAsItIs =
    known?.state === 'Empty' &&
    known.timeoutMs === timeoutMs &&
    known.epoch === holder.epoch &&
    known.producerId === holder.producerId;
  return { answer, init: isAsItIs ? undefined : { transactionalId, timeoutMs, holder, forgottenIds } };
}

function problemOf(
  { transactionalId, timeoutMs, producerId, producerEpoch }: TransactionalProducerToInit,
  limits: MachineLimits,
): TransactionalProducer | undefined {
  if (transactionalId === '' || transactionalId.length > limits.transactionalIdCharsMax) {
    const message = `a transactional id has 1 to ${limits.transactionalIdCharsMax} characters`;
    return producerRefusal('INVALID_REQUEST', message);
  }
  if (producerId < 0 !== producerEpoch < 0) {
    return producerRefusal('INVALID_REQUEST', 'a producer id and its epoch must be sent together');
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs <= 0 || timeoutMs > limits.transactionTimeoutMsMax) {
    const message = `the timeout of a transaction is 1 to ${limits.transactionTimeoutMsMax} ms, not ${timeoutMs}`;
    return producerRefusal('INVALID_TRANSACTION_TIMEOUT', message);
  }
  return undefined;
}

function newHolder(state: ClusterState): Holder {
  return {
    producerId: state.nextProducerId,
    epoch: 0,
    lastEpoch: noEpoch,
    previousProducerId: noProducer,
  };
}

/** Returns `undefined` if the producer is fenced. */
function nextHolder(
  state: ClusterState,
  known: Transaction,
  { producerId, producerEpoch }: TransactionalProducerToInit,
): Holder | undefined {
  const { epoch, lastEpoch, previousProducerId } = known;
  const isNew = producerId < 0;
  const isPresent = producerId === known.producerId && producerEpoch === epoch;
  if (isNew || isPresent) {
    const last = isNew ? noEpoch : epoch;
    // The maximum epoch is never assigned, so that any assigned epoch can be fenced by the next one.
    return epoch >= producerEpochMax
      ? { producerId: state.nextProducerId, epoch: 0, lastEpoch: last, previousProducerId: known.producerId }
      : { producerId: known.producerId, epoch: epoch + 1, lastEpoch: last, previousProducerId: noProducer };
  }
  // A retry after a lost answer. If another producer had taken the id since, `lastEpoch` would be reset.
  const isSameOrPrevious =
    producerId === known.producerId ||
    (producerId === previousProducerId && producerEpoch >= producerEpochMax);
  const isRepeated = isSameOrPrevious && producerEpoch === lastEpoch && !known.isOpen;
  return isRepeated ? { producerId: known.producerId, epoch, lastEpoch, previousProducerId } : undefined;
}

/** Returns how many idle ids must be removed to make room; `undefined` if removing all of them is not enough. */
function idsToForget(
  { transactions }: ClusterState,
  limits: MachineLimits,
  transactionalId: string,
): number | undefined {
  let count = transactions.count + 1;
  let bytes = transactions.bytes + bytesOfId(transactionalId);
  let forgotten = 0;
  const fits = () => count <= limits.transactionalIdsMax && bytes <= limits.transactionBytesMax;
  for (const transaction of transactions.oldestFirst()) {
    if (fits()) break;
    if (transaction.isOpen) continue;
    count--;
    bytes -= bytesOfId(transaction.transactionalId);
    forgotten++;
  }
  return fits() ? forgotten : undefined;
}

export function writeProducerInit(writer: ByteWriter, init: ProducerInit): void {
  writer.text(init.transactionalId);
  writer.varint(init.timeoutMs);
  writeHolder(writer, init.holder);
  writer.varint(init.forgottenIds);
}

export function applyProducerInit(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const { transactions, nowMs } = state;
  const transactionalId = reader.text();
  const timeoutMs = reader.varint();
  const holder = readHolder(state, reader);
  forgetIds(state, reader.varint());
  const known = transactions.byId(transactionalId);
  const changes: ClusterChange[] = [];
  if (known === undefined) {
    transactions.add(new Transaction(transactionalId, holder.producerId, holder.epoch, timeoutMs, nowMs));
    return changes;
  }
  if (known.isOpen) {
    closeTransaction(state, known, false, known.bumpsEpoch, fencingEpoch(known.epoch), changes);
  }
  transactions.take(known, holder, timeoutMs, nowMs);
  return changes;
}

function forgetIds({ transactions }: ClusterState, count: number): void {
  let left = count;
  for (const transaction of transactions.oldestFirst()) {
    if (left === 0) return;
    if (transaction.isOpen) continue;
    transactions.remove(transaction);
    left--;
  }
}
