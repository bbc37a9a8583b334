import {
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type TransactionalBatches,
} from '@weir/cluster';
import type { PendingAppend } from './pending-append.ts';
import type { AppendResult, ProducedBatch } from './produced-batch.ts';

/** When the open file is cut: whichever is reached first. */
export interface FlushLimits {
  /** How long the first batch may wait; 0 where a request to the store costs nothing. */
  readonly windowMs: number;
  readonly uncompressedBytesMax: number;
  /** Absent when only the uncompressed size decides. */
  readonly compressedBytesMax?: number | undefined;
  /**
   * Up to this size a file of small requests may grow beyond `compressedBytesMax` when the file before it was closed only just
   * now: many clients then share a request to the store. A request that makes half of `compressedBytesMax` by itself still
   * closes its file, because its client can have only a few of them under way and would be slowed down by every wait.
   */
  readonly gatheredBytesMax?: number | undefined;
}

/**
 * `sent`: a commit call carries it, and until there is an answer nobody can know whether its batches are written.
 * `failed`: it is certain that no batch of it will ever be seen.
 */
type FileState = 'open' | 'uploading' | 'stored' | 'sent' | 'committed' | 'failed';

/** What of a file a commit carries. */
interface Carried {
  batches: number;
  records: number;
  /** What clients produced, without what rode along. */
  producedAppends: number;
  producedRecords: number;
  producedBytes: number;
  producedUncompressedBytes: number;
}

interface Row {
  readonly append: PendingAppend;
  /** Which batch of the request. */
  readonly index: number;
  readonly batch: ProducedBatch;
  readonly byteStart: number;
}

/** A file on its way from the first batch to the commit. */
export class DataFile {
  readonly openedMs: number;
  /** The requests in it, in the order in which they came. */
  readonly appends: PendingAppend[] = [];
  state: FileState = 'open';
  bytes = 0;
  uncompressedBytes = 0;
  batchCount = 0;
  /** When the first of its requests came, which may have waited for its turn or for room. */
  firstReceivedMs = Number.POSITIVE_INFINITY;
  closedMs = 0;
  storedMs = 0;
  /** When it was first part of a commit call. */
  sentMs = 0;
  /** When somebody has to look whose time is up, and the timer that sees to it. */
  deadlineMs = Number.POSITIVE_INFINITY;
  cancelDeadline: (() => void) | undefined;
  /** Ends its upload. */
  readonly abandoned = new AbortController();
  fileId = '';
  fileBytes = 0;
  /** In the order of the file; only of a file that was closed. */
  #rows: readonly Row[] = [];

  get carried(): Carried {
    const carried: Carried = {
      batches: this.#rows.length,
      records: 0,
      producedAppends: 0,
      producedRecords: 0,
      producedBytes: 0,
      producedUncompressedBytes: 0,
    };
    for (const { append, index, batch } of this.#rows) {
      carried.records += batch.recordCount;
      if (append.isBackground) continue;
      if (index === 0) carried.producedAppends++;
      carried.producedRecords += batch.recordCount;
      carried.producedBytes += batch.bytes.length;
      carried.producedUncompressedBytes += batch.uncompressedBytes;
    }
    return carried;
  }

  constructor(openedMs: number) {
    this.openedMs = openedMs;
  }

  add(append: PendingAppend): void {
    this.appends.push(append);
    this.firstReceivedMs = Math.min(this.firstReceivedMs, append.receivedMs);
    this.bytes += append.bytes;
    this.uncompressedBytes += append.uncompressedBytes;
    this.batchCount += append.batches.length;
  }

  /** Takes out a request; only while the file is open. */
  remove(append: PendingAppend): void {
    const at = this.appends.indexOf(append);
    if (at === -1) return;
    this.appends.splice(at, 1);
    this.bytes -= append.bytes;
    this.uncompressedBytes -= append.uncompressedBytes;
    this.batchCount -= append.batches.length;
  }

  /** Whether there is nothing left in it that may be committed. */
  get isDead(): boolean {
    return this.appends.every(({ refusal }) => refusal !== undefined);
  }

  /** The batches in the order of arrival. */
  batches(): ProducedBatch[] {
    return this.appends.flatMap(({ batches }) => batches);
  }

  /** Notes where each batch, in the order of arrival, lies in the file. */
  place(fileId: string, fileBytes: number, byteStarts: readonly number[]): void {
    this.fileId = fileId;
    this.fileBytes = fileBytes;
    const rows: Row[] = [];
    for (const append of this.appends) {
      for (const [index, batch] of append.batches.entries()) {
        rows.push({ append, index, batch, byteStart: byteStarts[rows.length]! });
      }
    }
    this.#rows = rows.sort((a, b) => a.byteStart - b.byteStart);
  }

  /**
   * What the control plane is told: every batch but those of refused requests, whose bytes nothing will point to. Once it was told, no request of
   * the file may be refused any more.
   */
  commit(): FileCommit {
    this.#rows = this.#rows.filter(({ append }) => append.refusal === undefined);
    const rows = this.#rows;
    const topicIds: string[] = [];
    const topicIndex = new Map<string, number>();
    const topicBytes: number[] = [];
    const columns = {
      topic: new Uint32Array(rows.length),
      partition: new Uint32Array(rows.length),
      byteStart: new Uint32Array(rows.length),
      byteLength: new Uint32Array(rows.length),
      recordCount: new Uint32Array(rows.length),
      maxTimestampMs: new Float64Array(rows.length),
      producerId: new Float64Array(rows.length),
      producerEpoch: new Int16Array(rows.length),
      baseSequence: new Int32Array(rows.length),
    };
    let hasTransactions = false;
    for (const [at, { batch, byteStart }] of rows.entries()) {
      let topic = topicIndex.get(batch.topicId);
      if (topic === undefined) {
        topic = topicIds.push(batch.topicId) - 1;
        topicIndex.set(batch.topicId, topic);
      }
      topicBytes[topic] = (topicBytes[topic] ?? 0) + batch.uncompressedBytes;
      columns.topic[at] = topic;
      columns.partition[at] = batch.partition;
      columns.byteStart[at] = byteStart;
      columns.byteLength[at] = batch.bytes.length;
      columns.recordCount[at] = batch.recordCount;
      columns.maxTimestampMs[at] = batch.maxTimestampMs;
      columns.producerId[at] = batch.producerId;
      columns.producerEpoch[at] = batch.producerEpoch;
      columns.baseSequence[at] = batch.baseSequence;
      if (batch.transaction !== undefined) hasTransactions = true;
    }
    const transactions = hasTransactions ? transactionsOf(rows) : undefined;
    const uncompressedBytes = Float64Array.from(topicBytes);
    const { fileId, fileBytes } = this;
    return { fileId, fileBytes, topicIds, ...columns, uncompressedBytes, transactions };
  }

  /** Answers every request of the file from the columns that the commit gave. */
  settle(result: FileCommitResult): void {
    const answers = new Map<PendingAppend, AppendResult[]>();
    for (const [at, { append, index }] of this.#rows.entries()) {
      if (append.isAnswered) continue;
      let results = answers.get(append);
      if (results === undefined) {
        results = new Array<AppendResult>(append.batches.length);
        answers.set(append, results);
      }
      results[index] = {
        error: entryErrors[result.error[at]!] ?? 'UNKNOWN_SERVER_ERROR',
        baseOffset: result.baseOffset[at]!,
        logStartOffset: result.logStartOffset[at]!,
      };
    }
    for (const [append, results] of answers) append.settle(results);
  }

  isFull(limits: FlushLimits, batchesMax: number): boolean {
    const { uncompressedBytesMax, compressedBytesMax = Number.POSITIVE_INFINITY } = limits;
    if (this.uncompressedBytes >= uncompressedBytesMax || this.batchCount >= batchesMax) return true;
    if (this.bytes < compressedBytesMax) return false;
    const { gatheredBytesMax = compressedBytesMax } = limits;
    return this.bytes >= gatheredBytesMax || this.appends.at(-1)!.bytes >= compressedBytesMax / 2;
  }

  /** Whether it is worth a request to the store, though more small requests may still join it. */
  isWorthwhile({ compressedBytesMax = Number.POSITIVE_INFINITY }: FlushLimits): boolean {
    return this.bytes >= compressedBytesMax;
  }
}

/** Which rows are part of which transactions. */
function transactionsOf(rows: readonly Row[]): TransactionalBatches {
  const transactionalIds: string[] = [];
  const transaction = new Int32Array(rows.length).fill(-1);
  const addsPartition = new Uint8Array(rows.length);
  const indexOf = new Map<string, number>();
  for (const [at, { batch }] of rows.entries()) {
    if (batch.transaction === undefined) continue;
    const { transactionalId } = batch.transaction;
    const index = indexOf.get(transactionalId) ?? transactionalIds.push(transactionalId) - 1;
    indexOf.set(transactionalId, index);
    transaction[at] = index;
    addsPartition[at] = batch.transaction.addsPartition ? 1 : 0;
  }
  return { transactionalIds, transaction, addsPartition };
}
