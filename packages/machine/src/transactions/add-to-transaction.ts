import type {
  ClusterChange,
  ManagedTopic,
  OffsetsToAdd,
  PartitionsToAdd,
  RequestOrigin,
  TransactionAnswer,
  TransactionOffsetsAnswer,
  TransactionOffsetsToCommit,
} from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { managedMessage, ownMigrationOf } from '../managed/managed-topics.ts';
import { OffsetBudget, readOffsetRows, validateOffsets, writeOffsetRows } from '../offsets/commit-offsets.ts';
import type { OffsetLayout } from '../offsets/offset-field.ts';
import type { OffsetRow } from '../offsets/offsets.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { done, findCaller, readTransaction, refusal } from './caller.ts';
import { applyOrigin, writeOrigin } from './origin.ts';
import { bytesOfContent, Transaction } from './transaction.ts';

/** Something to add to a transaction, with the origin of the request. */
interface Addition {
  readonly transaction: Transaction;
  readonly origin: RequestOrigin | undefined;
}

interface PartitionAddition extends Addition {
  readonly logs: readonly PartitionLog[];
}

interface GroupAddition extends Addition {
  readonly groupId: string;
}

interface OffsetAddition {
  readonly transaction: Transaction;
  readonly groupId: string;
  readonly addsGroup: boolean;
  readonly rows: readonly OffsetRow[];
}

export function decideAddPartitions(
  state: ClusterState,
  limits: MachineLimits,
  request: PartitionsToAdd,
): { answer: TransactionAnswer; addition?: PartitionAddition } {
  const transaction = findCaller(state, request);
  if (!(transaction instanceof Transaction)) return { answer: transaction };
  const { origin } = request;
  // A request may name a partition twice.
  const added = new Set<PartitionLog>();
  for (const { topicId, partition } of request.partitions) {
    const log = state.topics.byId(topicId)?.partitions[partition];
    if (log === undefined) {
      const message = `topic ${topicId} has no partition ${partition}`;
      return { answer: refusal('UNKNOWN_TOPIC_OR_PARTITION', message) };
    }
    const migration = ownMigrationOf(state, topicId);
    if (migration !== undefined) return { answer: managedRefusal(state, topicId, migration) };
    if (!transaction.partitions.has(log)) added.add(log);
  }
  const logs = [...added];
  if (logs.length === 0 && isKnownConnection(transaction, origin)) return { answer: done };
  if (!hasRoom(state, limits, logs.length, [])) return { answer: noRoom(state) };
  return { answer: done, addition: { transaction, origin, logs } };
}

/** A transaction here cannot contain records of the source. During the cut-over its client asks again. */
function managedRefusal(
  { topics }: ClusterState,
  topicId: string,
  migration: ManagedTopic,
): TransactionAnswer {
  const message = managedMessage(topics.byId(topicId)!.description.name, migration);
  return refusal(migration.state === 'BLOCKED' ? 'CONCURRENT_TRANSACTIONS' : 'POLICY_VIOLATION', message);
}

export function decideAddOffsets(
  state: ClusterState,
  limits: MachineLimits,
  request: OffsetsToAdd,
): { answer: TransactionAnswer; addition?: GroupAddition } {
  const transaction = findCaller(state, request);
  if (!(transaction instanceof Transaction)) return { answer: transaction };
  const { origin, groupId } = request;
  if (transaction.groups.has(groupId) && isKnownConnection(transaction, origin)) return { answer: done };
  if (!hasRoom(state, limits, 0, [groupId])) return { answer: noRoom(state) };
  return { answer: done, addition: { transaction, origin, groupId } };
}

export function decideCommitTransactionOffsets(
  state: ClusterState,
  limits: MachineLimits,
  request: TransactionOffsetsToCommit,
): { answer: TransactionOffsetsAnswer; addition?: OffsetAddition } {
  const transaction = findCaller(state, request);
  if (!(transaction instanceof Transaction)) return { answer: { ...transaction, offsets: [] } };
  const { groupId, addsGroup } = request;
  const isPart = transaction.groups.has(groupId);
  if (!isPart && !addsGroup) {
    const message = `group "${groupId}" is not part of the open transaction of "${transaction.transactionalId}"`;
    return { answer: { ...refusal('INVALID_TXN_STATE', message), offsets: [] } };
  }
  if (!isPart && !hasRoom(state, limits, 0, [groupId])) return { answer: { ...noRoom(state), offsets: [] } };
  const budget = new OffsetBudget(state, limits);
  const { errors, rows } = validateOffsets(state, budget, groupId, request.offsets);
  const answer = { ...done, offsets: errors };
  if (rows.length === 0) return { answer };
  return { answer, addition: { transaction, groupId, addsGroup: !isPart, rows } };
}

/**
 * Returns whether a request without additions would change nothing: its transaction is open and its connection is
 * known.
 */
function isKnownConnection(transaction: Transaction, { connection }: RequestOrigin): boolean {
  return transaction.isOpen && transaction.origin?.connection === connection;
}

/** Returns whether the memory limit allows more partitions and groups in transactions. */
export function hasRoom(
  { transactions }: ClusterState,
  limits: MachineLimits,
  partitionCount: number,
  groupIds: readonly string[],
): boolean {
  return transactions.bytes + bytesOfContent(partitionCount, groupIds) <= limits.transactionBytesMax;
}

function noRoom({ transactions }: ClusterState): TransactionAnswer {
  return refusal(
    'POLICY_VIOLATION',
    `the ${transactions.openCount} open transactions have all the room there is`,
  );
}

export function writePartitionsAdded(
  writer: ByteWriter,
  { transaction, origin, logs }: PartitionAddition,
): void {
  writer.varint(transaction.producerId);
  writeOrigin(writer, transaction, origin);
  writer.varint(logs.length);
  for (const { topicNumber, partition } of logs) {
    writer.varint(topicNumber);
    writer.varint(partition);
  }
}

export function applyPartitionsAdded(
  state: ClusterState,
  reader: ByteReader,
): readonly ClusterChange[] | undefined {
  const transaction = readTransaction(state, reader);
  applyOrigin(state, transaction, reader);
  for (let left = reader.varint(); left > 0; left--) {
    const topicNumber = reader.varint();
    const partition = reader.varint();
    const log = topicOf(state, topicNumber).partitions[partition];
    if (log === undefined) throw new UnreadableBytes(`topic ${topicNumber} has no partition ${partition}`);
    state.transactions.addPartition(transaction, log, false, state.nowMs);
  }
  return undefined;
}

export function writeGroupAdded(writer: ByteWriter, { transaction, origin, groupId }: GroupAddition): void {
  writer.varint(transaction.producerId);
  writeOrigin(writer, transaction, origin);
  writer.text(groupId);
}

export function applyGroupAdded(
  state: ClusterState,
  reader: ByteReader,
): readonly ClusterChange[] | undefined {
  const transaction = readTransaction(state, reader);
  applyOrigin(state, transaction, reader);
  state.transactions.addGroup(transaction, reader.text(), false, state.nowMs);
  return undefined;
}

export function writeTransactionOffsets(
  writer: ByteWriter,
  addition: OffsetAddition,
  layout: OffsetLayout,
): void {
  writer.varint(addition.transaction.producerId);
  writer.text(addition.groupId);
  writer.u8(addition.addsGroup ? 1 : 0);
  writeOffsetRows(writer, addition.rows, layout);
}

export function applyTransactionOffsets(
  state: ClusterState,
  reader: ByteReader,
  layout: OffsetLayout,
): readonly ClusterChange[] | undefined {
  const transaction = readTransaction(state, reader);
  const groupId = reader.text();
  if (reader.u8() !== 0) state.transactions.addGroup(transaction, groupId, true, state.nowMs);
  for (const row of readOffsetRows(reader, layout)) {
    state.offsets.addPending(transaction.producerId, groupId, row, state.nowMs);
  }
  return undefined;
}
