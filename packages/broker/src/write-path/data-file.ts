import {
  entryErrors,
  type FileCommit,
  type FileCommitResult,
  type FileContent,
  type TransactionalBatches,
} from '@weir/cluster';
import type { PlacedBatches } from '@weir/storage';
import type { OutstandingAppends } from './outstanding-appends.ts';
import type { OwnSequence } from './own-sequences.ts';
import type { PendingAppend } from './pending-append.ts';
import { type AppendResult, acknowledgedAppend, type ProducedBatch } from './produced-batch.ts';

/**
 * Whether the clients of a file can send more before one of their requests is answered. `here`: none can, and all of
 * their requests wait in this file. `elsewhere`: none can, but some wait for earlier files. `no`: at least one can.
 */
export type Stall = 'here' | 'elsewhere' | 'no';

/** When the open file is closed: at the first limit that is reached. */
export interface FlushLimits {
  /** How long the first batch may wait; 0 if the store does not charge per request. */
  readonly windowMs: number;
  /**
   * So many files may follow each other without waiting, if there is one for each window over time. If absent, every
   * file may wait for its window.
   */
  readonly filesAtOnce?: number | undefined;
  readonly uncompressedBytesMax: number;
  /** If absent, only the uncompressed size counts. */
  readonly compressedBytesMax?: number | undefined;
  /**
   * A file may grow beyond `compressedBytesMax` up to this size while it waits for more requests, so that many clients
   * share one store request. See `close-time.ts`.
   */
  readonly gatheredBytesMax?: number | undefined;
}

/**
 * Where requests to the store cost money, a file that has reached its size takes what its clients are just sending, up
 * to this many times its size.
 */
const burstRoom = 1.5;

/**
 * `sent`: a commit call carries the file, and its outcome is unknown until there is an answer. `failed`: none of its
 * batches will ever become visible. `left`: its records are acknowledged, and a job commits them.
 */
type FileState = 'open' | 'uploading' | 'stored' | 'sent' | 'committed' | 'failed' | 'left';

/** Totals of the file's content that a commit carries. */
interface Carried {
  batches: number;
  records: number;
  /** Without background appends. */
  producedAppends: number;
  producedRecords: number;
  producedBytes: number;
  producedUncompressedBytes: number;
}

/** A connection, the id of a producer, or appends that have no connection. */
export type OrderKey = OutstandingAppends | number | 'background' | 'unknown';

/**
 * The batches of a file in file order. As columns, because a file of single records has very many, and objects that
 * wait for an upload and a commit are what makes the heap of an agent grow.
 */
interface Rows {
  readonly appends: PendingAppend[];
  /** Index of the batch in its request. */
  readonly index: Uint32Array;
  readonly byteStart: Uint32Array;
}

/** A log file from its first batch to its commit. */
export class DataFile {
  readonly openedMs: number;
  /** The requests in it, in order of arrival. */
  readonly appends: PendingAppend[] = [];
  state: FileState = 'open';
  bytes = 0;
  uncompressedBytes = 0;
  batchCount = 0;
  /** When the first of its requests was received; that request may have waited for earlier requests or for room. */
  firstReceivedMs = Number.POSITIVE_INFINITY;
  closedMs = 0;
  storedMs = 0;
  /** Whether its clients sent all that they can, in a few large requests, and wait for nothing but this file. */
  isUrgent = false;
  /** When a commit call first carried it. */
  sentMs = 0;
  /** When the deadlines of its requests must be checked next, and the timer for it. */
  deadlineMs = Number.POSITIVE_INFINITY;
  cancelDeadline: (() => void) | undefined;
  /** When it got its last request, or when clients were last answered, who may send again. */
  quietSinceMs: number;
  /** Aborts its upload. */
  readonly abandoned = new AbortController();
  fileId = '';
  fileBytes = 0;
  /** The file, if its commit stores it: then its bytes are in use until it has left the queue of commits. */
  content: FileContent | undefined;
  /** Called when it has left the queue of commits. */
  onLeft: (() => void) | undefined;
  /** The sequence of a file whose records may be acknowledged before its commit. */
  sequence: OwnSequence | undefined;
  /** What is left of it once its records are acknowledged: its requests are gone, and their memory with them. */
  #sealed:
    | { readonly commit: FileCommit; readonly carried: Carried; readonly order: ReadonlySet<OrderKey> }
    | undefined;
  /** Empty until the file is closed. */
  #rows = rowsFor(0);
  /** Requests in it by connection, of clients that wait for answers. */
  readonly #waiting = new Map<OutstandingAppends, number>();
  /** Requests in it whose clients may send any number of others meanwhile. */
  #unawaited = 0;
  /** A connection that could send more when it was last asked, so that a check rarely asks all of them. */
  #growing: OutstandingAppends | undefined;

  /** Whether its records are acknowledged already. */
  get isSealed(): boolean {
    return this.#sealed !== undefined;
  }

  get carried(): Carried {
    if (this.#sealed !== undefined) return this.#sealed.carried;
    const carried: Carried = {
      batches: this.#rows.appends.length,
      records: 0,
      producedAppends: 0,
      producedRecords: 0,
      producedBytes: 0,
      producedUncompressedBytes: 0,
    };
    const { appends, index: indexes } = this.#rows;
    for (let at = 0; at < appends.length; at++) {
      const append = appends[at]!;
      const index = indexes[at]!;
      const batch = append.batches[index]!;
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
    this.quietSinceMs = openedMs;
  }

  add(append: PendingAppend): void {
    this.appends.push(append);
    this.firstReceivedMs = Math.min(this.firstReceivedMs, append.receivedMs);
    this.bytes += append.bytes;
    this.uncompressedBytes += append.uncompressedBytes;
    this.batchCount += append.batches.length;
    this.#count(append, 1);
  }

  /** Removes a request; allowed only while the file is open. */
  remove(append: PendingAppend): void {
    const at = this.appends.indexOf(append);
    if (at === -1) return;
    this.appends.splice(at, 1);
    this.bytes -= append.bytes;
    this.uncompressedBytes -= append.uncompressedBytes;
    this.batchCount -= append.batches.length;
    this.#count(append, -1);
  }

  #count({ connection, isAwaited }: PendingAppend, by: number): void {
    if (connection === undefined || !isAwaited) {
      this.#unawaited += by;
      return;
    }
    const count = (this.#waiting.get(connection) ?? 0) + by;
    if (count === 0) this.#waiting.delete(connection);
    else this.#waiting.set(connection, count);
  }

  /** Connections with requests in it, of clients that wait for answers. */
  get clients(): number {
    return this.#waiting.size;
  }

  get stall(): Stall {
    if (this.#unawaited > 0 || this.#growing?.mayGrow() === true) return 'no';
    this.#growing = undefined;
    let stall: Stall = 'here';
    for (const [connection, count] of this.#waiting) {
      if (connection.mayGrow()) {
        this.#growing = connection;
        return 'no';
      }
      if (connection.count > count) stall = 'elsewhere';
    }
    return stall;
  }

  /**
   * Adds what its commit has to keep in order: connections, whose requests are committed as they came, and idempotent
   * producers, whose batches are accepted in sequence only.
   */
  addOrderTo(order: Set<OrderKey>): void {
    if (this.#sealed !== undefined) {
      for (const key of this.#sealed.order) order.add(key);
      return;
    }
    this.#eachOrderKey((key) => {
      order.add(key);
      return false;
    });
  }

  /** Whether it has to be committed after files with any of these. */
  mustFollow(order: ReadonlySet<OrderKey>): boolean {
    if (this.#sealed !== undefined) return !this.#sealed.order.isDisjointFrom(order);
    return this.#eachOrderKey((key) => order.has(key));
  }

  /** Stops at the first key for which `visit` returns true, and returns whether there was one. */
  #eachOrderKey(visit: (key: OrderKey) => boolean): boolean {
    for (const { refusal, connection, isBackground, batches } of this.appends) {
      if (refusal !== undefined) continue;
      if (visit(connection ?? (isBackground ? 'background' : 'unknown'))) return true;
      for (const { producerId } of batches) if (producerId >= 0 && visit(producerId)) return true;
    }
    return false;
  }

  /** Whether no request is left that may be committed. */
  get isFullyRefused(): boolean {
    return this.#sealed === undefined && this.appends.every(({ refusal }) => refusal !== undefined);
  }

  /** Returns the batches in order of arrival. */
  batches(): ProducedBatch[] {
    const all: ProducedBatch[] = [];
    for (const { batches } of this.appends) for (const batch of batches) all.push(batch);
    return all;
  }

  /** Stores where each batch is in the file; `placed` is in order of arrival. */
  place(fileId: string, fileBytes: number, { order, byteStart }: PlacedBatches): void {
    this.fileId = fileId;
    this.fileBytes = fileBytes;
    this.#rows = rowsFor(order.length);
    let arrived = 0;
    for (const append of this.appends) {
      for (let index = 0; index < append.batches.length; index++, arrived++)
        setRow(this.#rows, order[arrived]!, append, index, byteStart[arrived]!);
    }
  }

  #dropRefused(): void {
    if (this.appends.every(({ refusal }) => refusal === undefined)) return;
    const { appends, index, byteStart } = this.#rows;
    const isCarried = ({ refusal }: PendingAppend) => refusal === undefined;
    this.#rows = rowsFor(appends.filter(isCarried).length);
    let next = 0;
    for (const [at, append] of appends.entries())
      if (isCarried(append)) setRow(this.#rows, next++, append, index[at]!, byteStart[at]!);
  }

  /**
   * Answers its requests before its commit, once it is stored: with offset 0, because their offsets are not known. The
   * frames of the requests are reused afterwards.
   */
  acknowledge(): void {
    const order = new Set<OrderKey>();
    this.addOrderTo(order);
    const commit = this.commit();
    this.#sealed = { commit, carried: this.carried, order };
    this.#rows = rowsFor(0);
    this.#waiting.clear();
    this.cancelDeadline?.();
    for (const append of this.appends.splice(0)) {
      append.settle(append.batches.map(() => acknowledgedAppend));
    }
  }

  /**
   * Builds the commit for the control plane: every batch except those of refused requests, whose bytes stay
   * unreferenced. Afterwards no request of the file may be refused any more.
   */
  commit(): FileCommit {
    if (this.#sealed !== undefined) return this.#sealed.commit;
    this.#dropRefused();
    const rows = this.#rows;
    const count = rows.appends.length;
    const topicIds: string[] = [];
    const topicIndex = new Map<string, number>();
    const topicBytes: number[] = [];
    const columns = {
      topic: new Uint32Array(count),
      partition: new Uint32Array(count),
      byteStart: rows.byteStart,
      byteLength: new Uint32Array(count),
      recordCount: new Uint32Array(count),
      maxTimestampMs: new Float64Array(count),
      producerId: new Float64Array(count),
      producerEpoch: new Int16Array(count),
      baseSequence: new Int32Array(count),
    };
    let hasTransactions = false;
    for (let at = 0; at < count; at++) {
      const batch = batchAt(rows, at);
      let topic = topicIndex.get(batch.topicId);
      if (topic === undefined) {
        topic = topicIds.push(batch.topicId) - 1;
        topicIndex.set(batch.topicId, topic);
      }
      topicBytes[topic] = (topicBytes[topic] ?? 0) + batch.uncompressedBytes;
      columns.topic[at] = topic;
      columns.partition[at] = batch.partition;
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
    return {
      fileId,
      fileBytes,
      topicIds,
      ...columns,
      uncompressedBytes,
      transactions,
      content: this.content,
    };
  }

  /** Answers every request of the file from the columns of the commit result. */
  settle(result: FileCommitResult): void {
    const { appends, index } = this.#rows;
    for (let at = 0; at < appends.length; at++) {
      const append = appends[at]!;
      if (append.isAnswered) continue;
      append.results ??= new Array<AppendResult>(append.batches.length);
      append.results[index[at]!] = {
        error: entryErrors[result.error[at]!] ?? 'UNKNOWN_SERVER_ERROR',
        baseOffset: result.baseOffset[at]!,
        logStartOffset: result.logStartOffset[at]!,
      };
    }
    // In order of arrival, which is the order of the answers of a connection.
    for (const append of this.appends) if (append.results !== undefined) append.settle(append.results);
  }

  /** `isHeldUp`: it is not written before the file that is under way, however early it is closed. */
  isFull(limits: FlushLimits, batchesMax: number, isHeldUp = false): boolean {
    const { uncompressedBytesMax, compressedBytesMax = Number.POSITIVE_INFINITY } = limits;
    if (this.uncompressedBytes >= uncompressedBytesMax || this.batchCount >= batchesMax) return true;
    if (this.bytes < compressedBytesMax) return false;
    const { windowMs, gatheredBytesMax } = limits;
    if (gatheredBytesMax === undefined) return true;
    if (this.bytes >= gatheredBytesMax * (windowMs > 0 ? burstRoom : 1)) return true;
    // Where the store charges nothing for requests, a large request does not wait for others.
    return windowMs === 0 && !isHeldUp && this.appends.at(-1)!.bytes >= compressedBytesMax / 2;
  }
}

function rowsFor(count: number): Rows {
  return {
    appends: new Array<PendingAppend>(count),
    index: new Uint32Array(count),
    byteStart: new Uint32Array(count),
  };
}

function setRow(rows: Rows, at: number, append: PendingAppend, index: number, byteStart: number): void {
  rows.appends[at] = append;
  rows.index[at] = index;
  rows.byteStart[at] = byteStart;
}

function batchAt({ appends, index }: Rows, at: number): ProducedBatch {
  return appends[at]!.batches[index[at]!]!;
}

/** Maps rows to their transactions. */
function transactionsOf(rows: Rows): TransactionalBatches {
  const count = rows.appends.length;
  const transactionalIds: string[] = [];
  const transaction = new Int32Array(count).fill(-1);
  const addsPartition = new Uint8Array(count);
  const indexOf = new Map<string, number>();
  for (let at = 0; at < count; at++) {
    const batch = batchAt(rows, at);
    if (batch.transaction === undefined) continue;
    const { transactionalId } = batch.transaction;
    const index = indexOf.get(transactionalId) ?? transactionalIds.push(transactionalId) - 1;
    indexOf.set(transactionalId, index);
    transaction[at] = index;
    addsPartition[at] = batch.transaction.addsPartition ? 1 : 0;
  }
  return { transactionalIds, transaction, addsPartition };
}
