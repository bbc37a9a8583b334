import type { ClusterChange } from '@weir/cluster';
import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { readPointers } from '../log/pointers.ts';
import { topicOf } from '../topics/topic-entries.ts';
import type { AppendedBatch, CommitVisitor } from './commit-entry.ts';
import type { ReplyWriter } from './recent-files.ts';

const noSlot = -1;

/** Applies committed files to the state. Leader and followers both use it, so that they cannot diverge (M1). */
export class CommittedFiles implements CommitVisitor {
  readonly #state: ClusterState;
  readonly #reply: ReplyWriter;
  /** Partitions that grew, with their first pointer that followers have not seen. */
  readonly #grown = new Map<PartitionLog, number>();
  /** Texts of file ids, which most new pointers share. */
  readonly #fileIds = new Map<number, string>();
  #fileId = '';
  #fileBytes = 0;
  #fileSlot = noSlot;
  /**
   * Partitions that got a pointer of this file, if the file had pointers before: journals of earlier releases commit a
   * file again whose first commit is so long ago that it is not remembered. `undefined` for a new file.
   */
  #grownByFile: Set<PartitionLog> | undefined;

  constructor(state: ClusterState) {
    this.#state = state;
    this.#reply = state.recentFiles.reply;
  }

  /** Size of the answer so far. */
  get replyBytes(): number {
    return this.#reply.length;
  }

  beginFile(fileId: string, fileBytes: number): void {
    this.#fileId = fileId;
    this.#fileBytes = fileBytes;
    // A file gets its slot with its first pointer.
    this.#fileSlot = noSlot;
  }

  appended(batch: AppendedBatch): void {
    const log = topicOf(this.#state, batch.topicNumber).partitions[batch.partition];
    if (log === undefined) {
      throw new UnreadableBytes(`topic ${batch.topicNumber} has no partition ${batch.partition}`);
    }
    this.appendTo(log, batch);
  }

  appendTo(log: PartitionLog, batch: AppendedBatch): void {
    const { files, producers, nowMs } = this.#state;
    if (this.#fileSlot === noSlot) {
      this.#fileSlot = files.add(this.#fileId, this.#fileBytes);
      this.#grownByFile = files.pointerCount(this.#fileSlot) > 0 ? new Set() : undefined;
      this.#fileIds.set(this.#fileSlot, this.#fileId);
    }
    const baseOffset = log.nextOffset;
    const hasOwnPointer = log.append(
      this.#fileSlot,
      batch.byteStart,
      batch.byteLength,
      batch.recordCount,
      batch.maxTimestampMs,
      this.#grownByFile?.has(log) ?? true,
    );
    if (hasOwnPointer) {
      files.countPointer(this.#fileSlot, batch.byteLength);
      this.#grownByFile?.add(log);
      if (!this.#grown.has(log)) this.#grown.set(log, log.pointerCount - 1);
    } else {
      files.addLiveBytes(this.#fileSlot, batch.byteLength);
    }
    if (batch.isTransactional) this.#appendToTransaction(log, batch, baseOffset);
    if (batch.evictsProducer) producers.forgetOldest(1);
    if (batch.producerId >= 0) {
      producers.record(
        log,
        batch.producerId,
        batch.producerEpoch,
        batch.baseSequence,
        batch.recordCount,
        baseOffset,
        batch.startsWindow,
        nowMs,
      );
    }
    this.#reply.accepted(baseOffset, log.logStartOffset);
  }

  #appendToTransaction(log: PartitionLog, batch: AppendedBatch, baseOffset: number): void {
    const { transactions, nowMs } = this.#state;
    const { producerId, joinsTransaction } = batch;
    const transaction = transactions.byProducer(producerId);
    if (transaction === undefined) {
      throw new UnreadableBytes(`producer ${producerId} has no transactional id`);
    }
    if (joinsTransaction) transactions.addPartition(transaction, log, true, nowMs);
    if (log.openTransactions?.has(producerId)) return;
    log.beginTransaction(producerId, baseOffset);
    transactions.noteFirstOffset(transaction, log, baseOffset);
  }

  duplicate(baseOffset: number, logStartOffset: number): void {
    this.#reply.accepted(baseOffset, logStartOffset);
  }

  refused(error: number): void {
    this.#reply.refused(error);
  }

  endFile(forgottenFiles: number): void {
    const { recentFiles, files, nowMs } = this.#state;
    // Only duplicates and refused batches: no pointer will ever lie in it (F1).
    if (this.#fileSlot === noSlot) files.addDead(this.#fileId, this.#fileBytes, nowMs);
    recentFiles.forgetOldest(forgottenFiles);
    recentFiles.addWritten(this.#fileId, nowMs);
  }

  /** Returns one change per partition that grew, with all its new pointers. */
  changes(): ClusterChange[] {
    const changes: ClusterChange[] = [];
    for (const [log, firstNew] of this.#grown) {
      changes.push({
        kind: 'appended',
        topicId: log.topicId,
        partition: log.partition,
        pointers: readPointers(this.#state, log, firstNew, log.pointerCount - firstNew, this.#fileIds),
        lastStableOffset: log.lastStableOffset,
      });
    }
    return changes;
  }
}
