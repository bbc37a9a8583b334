import { type Clock, type Log, type Metrics, MiB, type Random } from '@weir/core';
import { buildLogFile, logFileKey, newFileId, type ObjectStore } from '@weir/storage';
import type { ErrorName } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { agentLimits } from '../limits.ts';
import { BackgroundQueue } from './background-queue.ts';
import { CommitQueue } from './commit-queue.ts';
import { DataFile, type FlushLimits } from './data-file.ts';
import { FilePace } from './file-pace.ts';
import { LostSequences } from './lost-sequences.ts';
import { PendingAppend } from './pending-append.ts';
import { type AppendOutcome, failedAppend, type ProducedBatch } from './produced-batch.ts';
import { type WriteMetrics, writeMetrics } from './write-metrics.ts';

interface WritePathOptions {
  readonly clusterId: string;
  readonly store: ObjectStore;
  readonly cluster: ClusterView;
  readonly flush: FlushLimits;
  /** Files that are closed and not yet committed. */
  readonly inflightFilesMax: number;
  /** Batches that the store has not got yet. As many bytes again may wait for room. */
  readonly bufferedBytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Gets every file that is durable, before anybody is told of it, so that readers need not fetch it. */
  readonly onStored?: (file: StoredFile) => void;
}

interface StoredFile {
  readonly fileId: string;
  readonly fileBytes: number;
  /** The whole file. Views of requests' frames: only until the call returns, unless frames are never reused. */
  readonly slices: readonly Uint8Array[];
}

export interface WritePath {
  /**
   * Writes the batches of one request, all in one file and one commit, and tells what became of each. Batches of one
   * producer are committed in the order of the calls. Never rejects.
   *
   * The promise settles no earlier than the store has let go of the batches' bytes, past the deadline if need be: whoever
   * lent the bytes may use them again as soon as it has.
   */
  append(batches: readonly ProducedBatch[], options: AppendOptions): Promise<AppendOutcome>;
  /**
   * Writes batches for which no client waits and which need no room of those that do: they ride along with the next file that is closed for
   * others, and get one of their own only when none came for a while. See `aside-queue.ts`. Never rejects. KAFKA_STORAGE_ERROR says
   * for certain that nothing was written.
   */
  appendInBackground(batches: readonly ProducedBatch[]): Promise<AppendOutcome>;
  /** Writes what there is without waiting for more; resolves when nothing is under way. */
  drain(): Promise<void>;
  /** Gives up what `drain` could not end in time, so that nothing keeps the process alive. */
  abandon(): void;
}

export interface AppendOptions {
  /**
   * When the client stops waiting, on the monotonic clock. What was not sent to the control plane by then is not written; of what was, nobody
   * knows. Both are REQUEST_TIMED_OUT.
   */
  readonly deadlineMs: number;
  /** Aborted when the client has closed its connection. Absent for a client that expects no answer. */
  readonly left?: AbortSignal | undefined;
  /** When the request came, if not just now, on the monotonic clock: it may have waited behind others of its connection. */
  readonly receivedMs?: number | undefined;
}

/**
 * How records become durable. Requests of all connections gather in one open file; it is closed by its size or by the clock,
 * uploaded beside others, and committed after all files that were closed before it.
 *
 *      append ──► waiting ──► open file ──► uploading ──► stored ──► committed ──► answers
 *                 (no room)   (until full   (parallel)    (in the order of closing)
 *                              or due)
 *
 * What was answered as failed before its commit was sent is never committed: its client sends it again, and would find it twice. So a request
 * leaves its file when its time is up, and when its client has closed the connection while something was stuck.
 *
 * Memory is bounded twice: by the bytes that wait for the store, and by the files that wait for anything. A request that finds
 * no room waits for it, and is told so, until its client gives up.
 */
export function createWritePath(options: WritePathOptions): WritePath {
  return new FileWritePath(options);
}

/** A file costs about as much as the bytes of this one, so that a smaller one is worth some patience. */
const worthwhileFileBytes = MiB;

/** An upload or a commit that takes longer than this is stuck, and clients may have lost their patience. */
const stuckMs = 1_000;

/** How soon after a file the next one may be closed by its size when it is made of small requests. */
const gatherMs = 100;

class FileWritePath implements WritePath {
  readonly #options: WritePathOptions;
  readonly #metrics: WriteMetrics;
  readonly #commits: CommitQueue;
  readonly #lost: LostSequences;
  readonly #aside: BackgroundQueue;
  readonly #pace = new FilePace();
  /** Requests without room, first come first served. Each has the timer of its deadline. */
  readonly #waiting = new Map<PendingAppend, () => void>();
  #waitingBytes = 0;
  #open: DataFile | undefined;
  #openIsDue = false;
  /** What came before this had to wait for an upload or a commit that was stuck. */
  #stuckUntilMs = Number.NEGATIVE_INFINITY;
  /** When the last file was closed. */
  #lastClosedMs = Number.NEGATIVE_INFINITY;
  /** How many requests the open file should have before it is closed without being due. */
  #expectedAppends = 0;
  #cancelWindow: (() => void) | undefined;
  #bufferedBytes = 0;
  #uploads = 0;
  #pumpIsScheduled = false;
  #whenDrained: (() => void)[] = [];

  constructor(options: WritePathOptions) {
    this.#options = options;
    this.#metrics = writeMetrics(options.metrics);
    this.#lost = new LostSequences(options.clock);
    this.#aside = new BackgroundQueue(options.clock, () => this.#openForBackground());
    this.#commits = new CommitQueue({
      port: () => options.cluster.port,
      clock: options.clock,
      random: options.random,
      log: options.log,
      batchesPerCallMax: agentLimits.commitBatchesMax,
      onSending: (file) => this.#onSending(file),
      onNotDone: (file) => this.#onNotDone(file),
      onLeft: (file) => this.#onLeft(file),
    });
  }

  append(batches: readonly ProducedBatch[], options: AppendOptions): Promise<AppendOutcome> {
    if (batches.length === 0) return Promise.resolve({ results: [], throttleTimeMs: 0 });
    if (batches.length > agentLimits.fileBatchesMax) {
      return Promise.resolve({
        results: batches.map(() => failedAppend('INVALID_REQUEST')),
        throttleTimeMs: 0,
      });
    }
    return new Promise((resolve) => {
      const arrivedMs = this.#options.clock.monotonicMs();
      const deadlineMs = Math.min(options.deadlineMs, arrivedMs + agentLimits.produceTimeoutMsMax);
      const { left, receivedMs = arrivedMs } = options;
      const append = new PendingAppend(batches, { arrivedMs, deadlineMs, left, receivedMs }, resolve);
      if (this.#lost.refuses(append)) {
        append.fail('KAFKA_STORAGE_ERROR');
        return;
      }
      this.#lost.found(append);
      if (this.#waiting.size === 0 && this.#hasRoomFor(append)) this.#admit(append);
      else this.#wait(append);
      this.#pumpAfterAppend();
    });
  }

  appendInBackground(batches: readonly ProducedBatch[]): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      const arrivedMs = this.#options.clock.monotonicMs();
      const deadlineMs = arrivedMs + agentLimits.produceTimeoutMsMax;
      const append = new PendingAppend(batches, { arrivedMs, deadlineMs, isBackground: true }, resolve);
      if (!this.#aside.push(append)) append.fail('KAFKA_STORAGE_ERROR');
      else if (this.#whenDrained.length > 0) this.#pump();
    });
  }

  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenDrained.push(resolve);
      this.#pump();
    });
  }

  abandon(): void {
    this.#open?.cancelDeadline?.();
    this.#forgetOpen();
    for (const cancel of this.#waiting.values()) cancel();
    this.#aside.abandon();
    this.#commits.abandon();
  }

  // --- into the open file ---

  #hasRoomFor({ bytes }: PendingAppend): boolean {
    if (this.#open !== undefined && this.#isFull(this.#open)) return false;
    return this.#bufferedBytes === 0 || this.#bufferedBytes + bytes <= this.#options.bufferedBytesMax;
  }

  #isFull(file: DataFile): boolean {
    return file.isFull(this.#options.flush, agentLimits.fileBatchesMax);
  }

  #admit(append: PendingAppend): void {
    const { clock, flush } = this.#options;
    if (this.#open === undefined) {
      this.#open = new DataFile(clock.monotonicMs());
      this.#openIsDue = false;
      if (flush.windowMs > 0) this.#closeAt(this.#open.openedMs + flush.windowMs);
      else if (this.#commits.length === 0) this.#keepPace(this.#open.openedMs);
    }
    const wasWorthwhile = this.#open.isWorthwhile(flush);
    this.#open.add(append);
    this.#watchDeadline(this.#open, append.deadlineMs);
    this.#bufferedBytes += append.bytes;
    if (!wasWorthwhile && flush.windowMs > 0 && this.#open.isWorthwhile(flush)) this.#closeSoon();
  }

  /** The file is large enough. It waits no longer than until others have had their turn to join it. */
  #closeSoon(): void {
    const { clock, flush } = this.#options;
    const dueMs = Math.min(this.#open!.openedMs + flush.windowMs, this.#lastClosedMs + gatherMs);
    if (dueMs <= clock.monotonicMs()) this.#openIsDue = true;
    else this.#closeAt(dueMs);
  }

  #closeAt(dueMs: number): void {
    const { clock } = this.#options;
    this.#cancelWindow?.();
    this.#cancelWindow = clock.after(dueMs - clock.monotonicMs(), () => {
      this.#openIsDue = true;
      this.#pump();
    });
  }

  /** A file that is opened soon after another one waits a little, or until those are back who were answered with that. */
  #keepPace(nowMs: number): void {
    const { dueMs, expectedAppends } = this.#pace;
    if (dueMs <= nowMs) return;
    this.#expectedAppends = expectedAppends;
    this.#closeAt(dueMs);
  }

  /** Nobody else opened a file for so long that what rides along gets one. Says whether there is or will be one. */
  #openForBackground(): boolean {
    if (this.#open !== undefined) return true;
    if (this.#waiting.size > 0 || this.#bufferedBytes > 0) return false;
    this.#admit(this.#aside.shift()!);
    this.#pumpAfterAppend();
    return true;
  }

  #wait(append: PendingAppend): void {
    const { clock, bufferedBytesMax, inflightFilesMax } = this.#options;
    const source = this.#commits.length >= inflightFilesMax ? 'heldByFiles' : 'heldByBytes';
    this.#metrics[source].add(1);
    if (this.#waiting.size > 0 && this.#waitingBytes + append.bytes > bufferedBytesMax) {
      append.heldUntil(Number.POSITIVE_INFINITY);
      append.fail('REQUEST_TIMED_OUT');
      this.#lost.add(append);
      return;
    }
    this.#waitingBytes += append.bytes;
    const cancel = clock.after(append.deadlineMs - append.arrivedMs, () => {
      this.#stopWaiting(append);
      append.fail('REQUEST_TIMED_OUT');
      this.#lost.add(append);
      this.#refuseFollowers();
    });
    this.#waiting.set(append, cancel);
  }

  #stopWaiting(append: PendingAppend): void {
    this.#waiting.get(append)?.();
    this.#waiting.delete(append);
    this.#waitingBytes -= append.bytes;
    append.heldUntil(this.#options.clock.monotonicMs());
  }

  #admitWaiting(): void {
    for (const append of this.#waiting.keys()) {
      if (!this.#hasRoomFor(append)) return;
      this.#stopWaiting(append);
      this.#admit(append);
    }
  }

  // --- closing ---

  /** Requests that come in one turn of the event loop share a file even where nothing else makes them wait. */
  #pumpAfterAppend(): void {
    if (this.#open !== undefined && (this.#openIsDue || this.#isFull(this.#open))) {
      this.#pump();
    } else if (this.#closesAtOnce() && !this.#pumpIsScheduled) {
      this.#pumpIsScheduled = true;
      queueMicrotask(() => {
        this.#pumpIsScheduled = false;
        this.#pump();
      });
    }
  }

  /** Moves everything that can move. The only place where files are closed, so that size and clock cannot both do it. */
  #pump(): void {
    for (;;) {
      this.#admitWaiting();
      if (this.#whenDrained.length > 0 && this.#aside.length > 0) this.#openForBackground();
      const file = this.#open;
      if (file === undefined) break;
      if (this.#commits.length >= this.#options.inflightFilesMax) break;
      if (!this.#isFull(file) && !this.#openIsDue && !this.#closesAtOnce()) break;
      this.#close(file);
    }
    const isEmpty = this.#open === undefined && this.#aside.length === 0;
    const isIdle = isEmpty && this.#commits.length === 0 && this.#waiting.size === 0;
    if (isIdle) for (const resolve of this.#whenDrained.splice(0)) resolve();
  }

  /**
   * Where the store charges nothing per request, a file waits for nothing but the one before it: a large one until that is
   * stored, a small one until that is committed, its clients have had the time to come again and the pace of files allows it. So files
   * grow with the load by themselves, and a request that comes alone does not wait. When somebody has no room, only a
   * running upload is worth waiting for.
   */
  #closesAtOnce(): boolean {
    if (this.#whenDrained.length > 0) return true;
    if (this.#uploads > 0) return false;
    if (this.#waiting.size > 0) return true;
    if (this.#options.flush.windowMs > 0) return false;
    const file = this.#open;
    if (file === undefined || file.bytes >= worthwhileFileBytes) return true;
    return this.#commits.length === 0 && file.appends.length >= this.#expectedAppends;
  }

  /**
   * Clients that keep several requests under way send the next when one is answered. Without a moment of patience those that were
   * just answered would always miss the file that is about to be closed, and every file would hold half of what it could.
   */
  #awaitAnswered(answeredAppends: number): void {
    const { clock, flush } = this.#options;
    if (this.#open === undefined || flush.windowMs > 0 || this.#commits.length > 0) return;
    this.#expectedAppends = this.#open.appends.length + answeredAppends;
    this.#closeAt(this.#pace.dueMsAfterAnswers(clock.monotonicMs()));
  }

  #close(file: DataFile): void {
    this.#dropDeserted(file);
    if (file.appends.length === 0) return;
    this.#forgetOpen();
    for (const append of this.#aside.board(agentLimits.fileBatchesMax - file.batchCount)) {
      file.add(append);
      this.#bufferedBytes += append.bytes;
    }
    file.state = 'uploading';
    file.closedMs = this.#options.clock.monotonicMs();
    this.#lastClosedMs = file.closedMs;
    this.#pace.closed(file.closedMs);
    this.#commits.push(file);
    this.#uploads++;
    void this.#upload(file);
  }

  // --- uploading ---

  async #upload(file: DataFile): Promise<void> {
    const { clusterId, store, clock, random, log, onStored } = this.#options;
    try {
      const fileId = newFileId(clock.nowMs(), random);
      const { slices, fileBytes, placed } = buildLogFile({ clusterId, fileId, batches: file.batches() });
      file.place(
        fileId,
        fileBytes,
        placed.map(({ byteStart }) => byteStart),
      );
      await store.put(logFileKey(clusterId, fileId), slices, { signal: file.abandoned.signal });
      file.state = 'stored';
      onStored?.({ fileId, fileBytes, slices });
    } catch (error) {
      if (file.state === 'stored') {
        log.error('failed to add uploaded file to page cache', { error: String(error) });
      } else {
        file.state = 'failed';
        const isWanted = !file.abandoned.signal.aborted;
        if (isWanted) log.error('failed to upload file', { fileId: file.fileId, error: String(error) });
      }
    }
    this.#uploads--;
    this.#bufferedBytes -= file.bytes;
    const nowMs = clock.monotonicMs();
    if (nowMs - file.closedMs > stuckMs) this.#stuckUntilMs = nowMs;
    if (file.state === 'failed') this.#onFailed(file);
    else this.#onUploaded(file, nowMs);
    this.#commits.advance();
    this.#pump();
  }

  #onUploaded(file: DataFile, nowMs: number): void {
    this.#metrics.fillSeconds.observe((file.closedMs - file.openedMs) / 1000);
    this.#metrics.uploadSeconds.observe((nowMs - file.closedMs) / 1000);
    file.storedMs = nowMs;
    for (const append of file.appends) if (append.refusal !== undefined) append.fail(append.refusal);
    if (file.isDead) file.state = 'failed';
  }

  /** The store does not have the file, and nobody will ever see its batches: clients may send them again, here or elsewhere. */
  #onFailed(file: DataFile): void {
    for (const append of file.appends) {
      append.fail(append.refusal ?? 'KAFKA_STORAGE_ERROR');
      this.#lost.add(append);
    }
    this.#refuseFollowers(file);
  }

  // --- giving up ---

  /** Sees to it that somebody looks at the requests of a file no later than this. */
  #watchDeadline(file: DataFile, deadlineMs: number): void {
    if (deadlineMs >= file.deadlineMs) return;
    const { clock } = this.#options;
    file.cancelDeadline?.();
    file.deadlineMs = deadlineMs;
    file.cancelDeadline = clock.after(Math.max(0, deadlineMs - clock.monotonicMs()), () =>
      this.#onDeadline(file),
    );
  }

  /**
   * Clients whose time is up stop waiting. What was not sent in a commit will not be; of what was, nobody knows, and the commit
   * goes on without them.
   */
  #onDeadline(file: DataFile): void {
    file.deadlineMs = Number.POSITIVE_INFINITY;
    file.cancelDeadline = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    if (file.state === 'sent') {
      for (const append of file.appends) {
        if (append.deadlineMs <= nowMs) append.fail('REQUEST_TIMED_OUT');
      }
    } else {
      this.#giveUp(file, ({ deadlineMs }) => deadlineMs <= nowMs, 'REQUEST_TIMED_OUT');
      this.#commits.advance();
      this.#pump();
    }
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { isAnswered, refusal, deadlineMs } of file.appends) {
      if (!isAnswered && refusal === undefined) nextMs = Math.min(nextMs, deadlineMs);
    }
    this.#watchDeadline(file, nextMs);
  }

  /**
   * A client that has closed its connection after something was stuck has lost its patience, and has sent its records again or
   * will. A client that closes while all goes well may just be done: what it sent is written, as Apache Kafka does.
   */
  #dropDeserted(file: DataFile): void {
    if (this.#stuckUntilMs < file.firstReceivedMs) return;
    const stuckUntilMs = this.#stuckUntilMs;
    this.#giveUp(
      file,
      ({ isDeserted, receivedMs }) => isDeserted && receivedMs <= stuckUntilMs,
      'REQUEST_TIMED_OUT',
    );
  }

  /** Takes requests out of a file that was not sent, and what must not be written without them. */
  #giveUp(file: DataFile, isGivenUp: (append: PendingAppend) => boolean, error: ErrorName): void {
    let isMissed = false;
    for (const append of [...file.appends]) {
      if (append.refusal !== undefined || !isGivenUp(append)) continue;
      isMissed = this.#lost.add(append) || isMissed;
      this.#refuse(file, append, error);
    }
    this.#buryIfDead(file);
    if (isMissed) this.#refuseFollowers(file);
  }

  /** What the producers of lost batches sent after them must not overtake them. */
  #refuseFollowers(from?: DataFile): void {
    const files = from === undefined || from.state === 'open' ? [] : this.#commits.from(from);
    for (const file of this.#open === undefined ? files : [...files, this.#open]) {
      if (file.state === 'failed' || file.state === 'sent') continue;
      for (const append of [...file.appends]) {
        if (append.refusal !== undefined) continue;
        if (this.#lost.refuses(append)) this.#refuse(file, append, 'KAFKA_STORAGE_ERROR');
        else this.#lost.found(append);
      }
      this.#buryIfDead(file);
    }
    for (const append of [...this.#waiting.keys()]) {
      if (this.#lost.refuses(append)) {
        this.#stopWaiting(append);
        append.fail('KAFKA_STORAGE_ERROR');
      } else {
        this.#lost.found(append);
      }
    }
  }

  #refuse(file: DataFile, append: PendingAppend, error: ErrorName): void {
    append.refusal = error;
    // The bytes of a file that is being uploaded are in use until the store says so.
    if (file.state !== 'uploading') append.fail(error);
    if (file.state !== 'open') return;
    file.remove(append);
    this.#bufferedBytes -= append.bytes;
  }

  #buryIfDead(file: DataFile): void {
    if (!file.isDead) return;
    if (file.state === 'uploading') {
      file.abandoned.abort();
    } else if (file.state === 'stored') {
      file.state = 'failed';
    } else if (file.state === 'open') {
      file.cancelDeadline?.();
      this.#forgetOpen();
    }
  }

  #forgetOpen(): void {
    this.#cancelWindow?.();
    this.#cancelWindow = undefined;
    this.#open = undefined;
    this.#expectedAppends = 0;
  }

  // --- committing ---

  #onSending(file: DataFile): void {
    const nowMs = this.#options.clock.monotonicMs();
    // It may have waited for a connection to the control plane.
    if (nowMs - file.storedMs > stuckMs) this.#stuckUntilMs = nowMs;
    this.#dropDeserted(file);
  }

  /** Requests that were answered while they were in doubt turn out to be unwritten, as their clients were told. */
  #onNotDone(file: DataFile): void {
    this.#giveUp(file, ({ isAnswered }) => isAnswered, 'REQUEST_TIMED_OUT');
  }

  #onLeft(file: DataFile): void {
    file.cancelDeadline?.();
    const metrics = this.#metrics;
    if (file.state !== 'committed') {
      metrics.failed.add(1);
    } else {
      const nowMs = this.#options.clock.monotonicMs();
      if (nowMs - file.sentMs > stuckMs) this.#stuckUntilMs = nowMs;
      const { carried } = file;
      metrics.committed.add(1);
      metrics.fileBytes.observe(file.fileBytes);
      metrics.uncompressedBytes.observe(file.uncompressedBytes);
      metrics.batches.add(carried.batches);
      metrics.records.add(carried.records);
      metrics.producedRecords.add(carried.producedRecords);
      metrics.producedBytes.add(carried.producedBytes);
      metrics.producedUncompressedBytes.add(carried.producedUncompressedBytes);
      metrics.commitSeconds.observe((nowMs - file.storedMs) / 1000);
      metrics.totalSeconds.observe((nowMs - file.openedMs) / 1000);
      this.#pace.committed(nowMs - file.closedMs, carried.producedAppends);
      this.#awaitAnswered(carried.producedAppends);
    }
    this.#pump();
  }
}
