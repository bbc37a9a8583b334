import { transactionStates } from '@weir/cluster';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import { AbortedList, type AbortedRows } from '../log/aborted-list.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import { Transaction } from './transaction.ts';

/** Transactional ids, and the aborted transactions of all partitions, at one moment. */
export interface CapturedTransactions {
  readonly isEmpty: boolean;
  readonly transactions: Iterable<Transaction>;
  readonly aborted: readonly { readonly log: PartitionLog; readonly rows: AbortedRows }[];
}

/** Captures the transactions until `endCapture` of the table is called. */
export function captureTransactions({ transactions, topics }: ClusterState): CapturedTransactions {
  const aborted: { log: PartitionLog; rows: AbortedRows }[] = [];
  for (const { partitions } of topics.held()) {
    for (const log of partitions) {
      if (log.aborted !== undefined && log.aborted.count > 0)
        aborted.push({ log, rows: log.aborted.capture() });
    }
  }
  return {
    isEmpty: transactions.count === 0 && aborted.length === 0,
    transactions: transactions.capture(),
    aborted,
  };
}

export function* writeTransactions(
  { transactions, aborted }: CapturedTransactions,
  writer: SnapshotWriter,
): Generator<Buffer> {
  const { fields } = writer;
  for (const transaction of transactions) {
    fields.u8(1);
    fields.text(transaction.transactionalId);
    fields.varint(transaction.producerId);
    fields.varint(transaction.epoch);
    fields.varint(transaction.lastEpoch + 1);
    fields.varint(transaction.previousProducerId + 1);
    fields.varint(transaction.timeoutMs);
    fields.u8(transactionStates.indexOf(transaction.state));
    fields.u8(transaction.bumpsEpoch ? 1 : 0);
    fields.varint(transaction.startMs + 1);
    fields.varint(transaction.updatedMs);
    fields.text(transaction.origin?.connection ?? '');
    fields.varint(transaction.origin?.request ?? 0);
    fields.varint(transaction.partitions.size);
    for (const [log, firstOffset] of transaction.partitions) {
      writePlace(log, writer);
      fields.varint(firstOffset + 1);
    }
    fields.varint(transaction.groups.size);
    for (const groupId of transaction.groups) fields.text(groupId);
    yield* writer.cut();
  }
  fields.u8(0);
  fields.varint(aborted.length);
  for (const { log, rows } of aborted) {
    writePlace(log, writer);
    fields.varint(rows.producerId.length);
    for (let row = 0; row < rows.producerId.length; row++) {
      fields.varint(rows.producerId[row]!);
      fields.varint(rows.firstOffset[row]!);
      fields.varint(rows.lastOffset[row]!);
      fields.varint(rows.stableOffset[row]!);
      yield* writer.cut();
    }
  }
}

export function readTransactions(state: ClusterState, reader: SnapshotReader): void {
  const { fields } = reader;
  const begun = new Map<PartitionLog, [producerId: number, firstOffset: number][]>();
  while (fields.u8() === 1) {
    const transactionalId = fields.text();
    const transaction = new Transaction(transactionalId, fields.varint(), fields.varint(), 0, 0);
    transaction.lastEpoch = fields.varint() - 1;
    transaction.previousProducerId = fields.varint() - 1;
    transaction.timeoutMs = fields.varint();
    const stateNumber = fields.u8();
    const known = transactionStates[stateNumber];
    if (known === undefined) throw new UnreadableBytes(`a transaction has the unknown state ${stateNumber}`);
    transaction.state = known;
    transaction.bumpsEpoch = fields.u8() === 1;
    transaction.startMs = fields.varint() - 1;
    transaction.updatedMs = fields.varint();
    const connection = fields.text();
    const request = fields.varint();
    transaction.origin = connection === '' ? undefined : { connection, request };
    for (let left = fields.varint(); left > 0; left--) {
      const log = readPlace(state, reader);
      const firstOffset = fields.varint() - 1;
      transaction.partitions.set(log, firstOffset);
      if (firstOffset < 0) continue;
      const open = begun.get(log) ?? [];
      begun.set(log, open);
      open.push([transaction.producerId, firstOffset]);
    }
    for (let left = fields.varint(); left > 0; left--) transaction.groups.add(fields.text());
    state.transactions.add(transaction);
  }
  for (const [log, open] of begun) {
    for (const [producerId, firstOffset] of open.sort((one, other) => one[1] - other[1])) {
      log.beginTransaction(producerId, firstOffset);
    }
  }
  for (let left = fields.varint(); left > 0; left--) {
    const log = readPlace(state, reader);
    log.aborted = new AbortedList();
    for (let rows = fields.varint(); rows > 0; rows--) {
      log.aborted.add(fields.varint(), fields.varint(), fields.varint(), fields.varint());
    }
  }
}

function writePlace({ topicNumber, partition }: PartitionLog, { fields }: SnapshotWriter): void {
  fields.varint(topicNumber);
  fields.varint(partition);
}

function readPlace({ topics }: ClusterState, { fields }: SnapshotReader): PartitionLog {
  const topicNumber = fields.varint();
  const partition = fields.varint();
  const log = topics.byNumber(topicNumber)?.partitions[partition];
  if (log === undefined) {
    throw new UnreadableBytes(
      `a transaction has partition ${partition} of topic ${topicNumber}, which does not exist`,
    );
  }
  return log;
}
