import { MiB } from '@weir/core';
import type { ErrorName } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import { BackgroundQueue } from './background-queue.ts';
import { hasLargeRequests } from './close-time.ts';
import { CommitQueue } from './commit-queue.ts';
import { CommitWaiters } from './commit-waiters.ts';
import { DataFile } from './data-file.ts';
import { FileUploads } from './file-uploads.ts';
import { LostSequences } from './lost-sequences.ts';
import { OpenFileTimer } from './open-file-timer.ts';
import { OutstandingAppends } from './outstanding-appends.ts';
import type { OwnSequence } from './own-sequences.ts';
import { PendingAppend } from './pending-append.ts';
import { type AppendOutcome, failedAppend, type ProducedBatch } from './produced-batch.ts';
import { SealedFiles } from './sealed-files.ts';
import { WaitingAppends } from './waiting-appends.ts';
import { countCommitted, type WriteMetrics, writeMetrics } from './write-metrics.ts';
import type { AppendOptions, LateWritePath, WritePathOptions } from './write-path.ts';

/**
 * Makes records durable. Requests of all connections gather in one open file; it is closed by size or by time, uploaded
 * in parallel with others, and committed after files that were closed before it and have requests of the same
 * connections or producers.
 *
 *      append ──► waiting ──► open file ──► uploading ──► stored ──► committed ──► answers
 *                 (no room)   (until full   (parallel,    (in the order of closing
 *                              or due)       hedged)       where order matters)
 *
 * A request that was answered as failed before its commit was sent is never committed: its client retries it, and the
 * records would be stored twice. So a request leaves its file when its deadline expires, and when its client has closed
 * the connection while an upload or a commit was stuck.
 *
 * Memory is bounded twice: by the bytes that wait for the store, and by the number of uncommitted files. A request
 * without room waits, and reports a throttle time, until its deadline.
 */
export function createWritePath(options: WritePathOptions): LateWritePath {
  return new FileWritePath(options);
}

/** A file costs about as much as this many bytes, so it pays to wait a little before closing a smaller one. */
const worthwhileFileBytes = MiB;

/** How long an agent that stops waits for the commits of files that it may leave to a job. */
const drainMsMax = 5_000;

/** An upload or a commit that takes longer than this is stuck, and clients may have given up. */
const stuckMs = 1_000;

/** How far apart files of lightning topics are at least where the store does not charge per request. */
const lightningGatherMs = 3;

/** A file with so many large requests saves so many requests to the store that it may cost one more. */
const urgentRequestsMin = 4;

class FileWritePath implements LateWritePath {
  readonly #options: WritePathOptions;
  readonly #metrics: WriteMetrics;
  readonly #commits: CommitQueue;
  readonly #lost: LostSequences;
  readonly #background: BackgroundQueue;
  readonly #outstanding: OutstandingAppends;
  /** The same by connection. */
  readonly #connections = new WeakMap<object, OutstandingAppends>();
  readonly #uploads: FileUploads;
  readonly #timer: OpenFileTimer;
  /** Requests without room. */
  readonly #waiting: WaitingAppends;
  readonly #sealed: SealedFiles;
  readonly #commitWaiters = new CommitWaiters();
  #open: DataFile | undefined;
  #lastClosedMs = Number.NEGATIVE_INFINITY;
  /** Requests that were received before this time had to wait for a stuck upload or commit. */
  #stuckUntilMs = Number.NEGATIVE_INFINITY;
  #bufferedBytes = 0;
  #pumpIsScheduled = false;
  #cancelDrain: (() => void) | undefined;
  #whenDrained: (() => void)[] = [];

  constructor(options: WritePathOptions) {
    this.#options = options;
    this.#metrics = writeMetrics(options.metrics);
    this.#lost = new LostSequences(options.clock);
    this.#outstanding = new OutstandingAppends(options.clock);
    this.#uploads = new FileUploads(options, this.#metrics);
    const { clock, flush } = options;
    this.#waiting = new WaitingAppends(clock);
    this.#timer = new OpenFileTimer({
      clock,
      flush,
      outstanding: this.#outstanding,
      areCommits: () => this.#uploads.areCommits,
      onDue: () => this.#pump(),
    });
    this.#sealed = new SealedFiles(options);
    this.#background = new BackgroundQueue(options.clock, () => this.#openForBackground());
    this.#commits = new CommitQueue({
      port: () => options.cluster.port,
      clock: options.clock,
      random: options.random,
      log: options.log,
      mustWait: ({ sequence }) => sequence !== undefined && options.sequences?.mustWait(sequence) === true,
      batchesPerCallMax: brokerLimits.commitBatchesMax,
      onSending: (file) => this.#onSending(file),
      onNotDone: (file) => this.#onNotDone(file),
      onGone: (file) => this.#onGone(file),
      onLeft: (file) => this.#onLeft(file),
    });
  }

  append(batches: readonly ProducedBatch[], options: AppendOptions): Promise<AppendOutcome> {
    return new Promise((resolve) => this.begin(batches, options, resolve));
  }

  begin(
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    if (batches.length === 0 || batches.length > brokerLimits.appendBatchesMax) {
      onOutcome({ results: batches.map(() => failedAppend('INVALID_REQUEST')), throttleTimeMs: 0 });
      return;
    }
    const connection = this.#connectionOf(options.connection);
    this.#outstanding.begin();
    connection?.begin();
    const answer = (outcome: AppendOutcome) => {
      this.#outstanding.end();
      connection?.end();
      onOutcome(outcome);
    };
    const arrivedMs = this.#options.clock.monotonicMs();
    const deadlineMs = Math.min(options.deadlineMs, arrivedMs + brokerLimits.produceTimeoutMsMax);
    const { left, receivedMs = arrivedMs } = options;
    const timing = { arrivedMs, deadlineMs, receivedMs };
    const append = new PendingAppend(batches, { ...timing, left, connection }, answer);
    if (this.#lost.refuses(append)) {
      append.fail('KAFKA_STORAGE_ERROR');
      return;
    }
    this.#lost.found(append);
    if (this.#waiting.size === 0 && this.#hasRoomFor(append)) this.#admit(append);
    else this.#wait(append);
    this.#pumpAfterAppend();
  }

  #connectionOf(identity: object | undefined): OutstandingAppends | undefined {
    if (identity === undefined) return undefined;
    let connection = this.#connections.get(identity);
    if (connection === undefined) {
      connection = new OutstandingAppends(this.#options.clock);
      this.#connections.set(identity, connection);
    }
    return connection;
  }

  appendInBackground(batches: readonly ProducedBatch[]): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      const arrivedMs = this.#options.clock.monotonicMs();
      const deadlineMs = arrivedMs + brokerLimits.produceTimeoutMsMax;
      const append = new PendingAppend(batches, { arrivedMs, deadlineMs, isBackground: true }, resolve);
      if (!this.#background.push(append)) append.fail('KAFKA_STORAGE_ERROR');
      else if (this.#whenDrained.length > 0) this.#pump();
    });
  }

  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenDrained.push(resolve);
      this.#pump();
      if (this.#whenDrained.length > 0 && this.#options.sequences?.mayLeave === true)
        this.#cancelDrain ??= this.#options.clock.after(drainMsMax, () => this.#leaveAll());
    });
  }

  /** Leaves to a job what waits for a control plane that does not answer. */
  #leaveAll(): void {
    this.#cancelDrain = undefined;
    this.#leaveSealed();
    if (this.#whenDrained.length === 0) return;
    if (this.#open === undefined && this.#commits.all().every(({ isSealed }) => isSealed)) {
      // What is left may have been committed: the job will know.
      this.#commits.abandon();
      for (const resolve of this.#whenDrained.splice(0)) resolve();
    } else {
      this.#cancelDrain = this.#options.clock.after(drainMsMax, () => this.#leaveAll());
    }
  }

  leave(sequence: OwnSequence): void {
    this.#leaveSealed(sequence);
  }

  resume(): void {
    this.#commits.advance();
    this.#pump();
  }

  oldestSealedMs(): number | undefined {
    return this.#commits.all().find(({ isSealed }) => isSealed)?.storedMs;
  }

  /** Those that a commit call carries are before all others, and stay. */
  #leaveSealed(sequence?: OwnSequence): void {
    for (const file of this.#commits.all()) {
      const isMeant = sequence === undefined || file.sequence === sequence;
      if (isMeant && file.isSealed && file.state === 'stored') file.state = 'left';
    }
    this.#commits.advance();
  }

  committed(): Promise<void> {
    return this.#commitWaiters.add(this.#commits.all().filter(({ isSealed }) => isSealed));
  }

  abandon(): void {
    this.#commitWaiters.abandon();
    this.#cancelDrain?.();
    this.#open?.cancelDeadline?.();
    this.#forgetOpen();
    this.#waiting.abandon();
    this.#background.abandon();
    this.#uploads.abandon();
    this.#commits.abandon();
  }

  // --- into the open file ---

  #hasRoomFor({ bytes }: PendingAppend): boolean {
    if (this.#open !== undefined && this.#isFull(this.#open)) return false;
    return this.#bufferedBytes === 0 || this.#bufferedBytes + bytes <= this.#options.bufferedBytesMax;
  }

  #isFull(file: DataFile): boolean {
    const isHeldUp = this.#commits.length > 0 && this.#uploads.areCommits;
    return file.isFull(this.#options.flush, brokerLimits.fileBatchesMax, isHeldUp);
  }

  #admit(append: PendingAppend): void {
    const { clock, flush } = this.#options;
    if (this.#open === undefined) {
      this.#open = new DataFile(clock.monotonicMs());
      if (this.#gathersBriefly) this.#timer.waitUntil(this.#lastClosedMs + lightningGatherMs);
      else if (flush.windowMs === 0 && this.#commits.length === 0) this.#timer.keepPace(this.#open.openedMs);
    }
    this.#open.add(append);
    this.#watchDeadline(this.#open, append.deadlineMs);
    this.#bufferedBytes += append.bytes;
    if (flush.windowMs > 0) this.#timer.waitForMore(this.#open, this.#uploads.averageMs);
  }

  /** Files of lightning topics, where the store does not charge per request. */
  get #gathersBriefly(): boolean {
    return this.#options.sequences !== undefined && this.#options.flush.windowMs === 0;
  }

  /** Opens a file for background appends if clients opened none. Returns whether a file is open or will be. */
  #openForBackground(): boolean {
    if (this.#open !== undefined) return true;
    if (this.#waiting.size > 0 || this.#bufferedBytes > 0) return false;
    this.#admit(this.#background.shift()!);
    this.#pumpAfterAppend();
    return true;
  }

  #wait(append: PendingAppend): void {
    const { bufferedBytesMax } = this.#options;
    const source = this.#areFilesMany ? 'heldByFiles' : 'heldByBytes';
    this.#metrics[source].add(1);
    if (this.#waiting.size > 0 && this.#waiting.bytes + append.bytes > bufferedBytesMax) {
      append.heldUntil(Number.POSITIVE_INFINITY);
      append.fail('REQUEST_TIMED_OUT');
      this.#lost.add(append);
      return;
    }
    this.#waiting.add(append, () => {
      this.#waiting.remove(append);
      append.fail('REQUEST_TIMED_OUT');
      this.#lost.add(append);
      this.#refuseFollowers();
    });
  }

  /** Files that may be left to a job have a limit of their own. */
  get #areFilesMany(): boolean {
    return this.#commits.length - this.#sealed.uncounted >= this.#options.inflightFilesMax;
  }

  #admitWaiting(): void {
    for (const append of this.#waiting.all()) {
      if (!this.#hasRoomFor(append)) return;
      this.#waiting.remove(append);
      this.#admit(append);
    }
  }

  // --- closing ---

  /** Requests of one turn of the event loop share a file even if nothing else makes them wait. */
  #pumpAfterAppend(): void {
    if (this.#open !== undefined && (this.#timer.isDue || this.#isFull(this.#open))) {
      this.#pump();
    } else if (this.#closesAtOnce() && !this.#pumpIsScheduled) {
      this.#pumpIsScheduled = true;
      queueMicrotask(() => {
        this.#pumpIsScheduled = false;
        this.#pump();
      });
    }
  }

  /** Moves everything that can move. Files are closed only here, so that size and timer cannot both close one. */
  #pump(): void {
    for (;;) {
      this.#admitWaiting();
      if (this.#whenDrained.length > 0 && this.#background.length > 0) this.#openForBackground();
      const file = this.#open;
      if (file === undefined) break;
      if (this.#areFilesMany) break;
      if (!this.#isFull(file) && !this.#timer.isDue && !this.#closesAtOnce()) break;
      this.#close(file);
    }
    const isEmpty = this.#open === undefined && this.#background.length === 0;
    const isIdle = isEmpty && this.#commits.length === 0 && this.#waiting.size === 0;
    if (!isIdle) return;
    for (const resolve of this.#whenDrained.splice(0)) resolve();
    this.#cancelDrain?.();
    this.#cancelDrain = undefined;
  }

  /**
   * If the store does not charge per request, a file waits only for the previous one: a large file until that is
   * stored; a small file until that is committed, its clients had time to send again, and the spacing of files allows
   * it. So files grow with the load, and a request that comes alone does not wait. If requests wait for room, only a
   * running upload delays the close.
   */
  #closesAtOnce(): boolean {
    if (this.#whenDrained.length > 0) return true;
    // Its clients wait for its own upload alone, so that it need not wait for others.
    if (this.#gathersBriefly)
      return this.#options.clock.monotonicMs() >= this.#lastClosedMs + lightningGatherMs;
    if (this.#uploads.running > 0) return false;
    // One write at a time: what comes meanwhile is the next file.
    if (this.#commits.length > 0 && this.#uploads.areCommits) return false;
    if (this.#waiting.size > 0) return true;
    if (this.#options.flush.windowMs > 0) return false;
    const file = this.#open;
    if (file === undefined || file.bytes >= worthwhileFileBytes) return true;
    return this.#commits.length === 0 && !this.#timer.waitsForClients;
  }

  /** Gives clients that were just answered time to send again. */
  #waitForAnswered(): void {
    if (this.#open === undefined) return;
    if (this.#gathersBriefly) return;
    if (this.#options.flush.windowMs === 0) {
      if (this.#commits.length === 0) this.#timer.waitForAnswered();
    } else if (!this.#timer.isDue) {
      this.#timer.waitForMore(this.#open, this.#uploads.averageMs);
    }
  }

  #close(file: DataFile): void {
    this.#dropDisconnected(file);
    if (file.appends.length === 0) return;
    this.#forgetOpen();
    for (const append of this.#background.board(brokerLimits.fileBatchesMax - file.batchCount)) {
      file.add(append);
      this.#bufferedBytes += append.bytes;
    }
    const { flush } = this.#options;
    const requests = file.appends.length;
    file.isUrgent =
      this.#uploads.running === 0 &&
      requests >= urgentRequestsMin &&
      file.stall === 'here' &&
      hasLargeRequests(file, flush);
    file.state = 'uploading';
    file.closedMs = this.#options.clock.monotonicMs();
    this.#timer.closed(file);
    this.#lastClosedMs = file.closedMs;
    this.#commits.push(file);
    if (this.#uploads.areCommits) this.#uploads.prepare(file, this.#onUploadEnd);
    else void this.#uploads.upload(file, this.#onUploadEnd);
  }

  // --- uploading ---

  readonly #onUploadEnd = (file: DataFile): void => {
    if (file.content === undefined) this.#bufferedBytes -= file.bytes;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - file.closedMs > stuckMs) this.#stuckUntilMs = nowMs;
    if (file.state === 'failed') this.#onFailed(file);
    else this.#onUploaded(file);
    if (file.sequence !== undefined) this.#options.sequences!.uploaded(file.sequence);
    this.#commits.advance();
    this.#pump();
  };

  #onUploaded(file: DataFile): void {
    for (const append of file.appends) if (append.refusal !== undefined) append.fail(append.refusal);
    if (file.isFullyRefused) file.state = 'failed';
    else if (this.#options.sequences?.mayAcknowledge(file.sequence!) === true) {
      this.#sealed.acknowledge(file);
      if (this.#sealed.areMany) this.#leaveSealed();
    }
  }

  /**
   * The store does not have the file, and its batches will never become visible: clients may retry them on any agent.
   */
  #onFailed(file: DataFile): void {
    for (const append of file.appends) {
      append.fail(append.refusal ?? 'KAFKA_STORAGE_ERROR');
      this.#lost.add(append);
    }
    this.#refuseFollowers(file);
  }

  // --- giving up ---

  /** Schedules a check of the file's requests no later than `deadlineMs`. */
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
   * Answers requests whose deadline has expired. Those not yet sent in a commit are never sent; the outcome of those
   * that were is unknown, and their commit continues.
   */
  #onDeadline(file: DataFile): void {
    file.deadlineMs = Number.POSITIVE_INFINITY;
    file.cancelDeadline = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    if (file.state === 'sent' && file.content !== undefined) {
      // The commit uses the bytes of the requests, so that they get its result, however late.
    } else if (file.state === 'sent') {
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
      if (!isAnswered && refusal === undefined && deadlineMs > nowMs) nextMs = Math.min(nextMs, deadlineMs);
    }
    this.#watchDeadline(file, nextMs);
  }

  /**
   * A client that closed its connection after something was stuck has given up, and has retried its records or will. A
   * client that disconnects while nothing is stuck may just be done: its records are written, as in Apache Kafka.
   */
  #dropDisconnected(file: DataFile): void {
    if (this.#stuckUntilMs < file.firstReceivedMs) return;
    const stuckUntilMs = this.#stuckUntilMs;
    this.#giveUp(
      file,
      ({ isDisconnected, receivedMs }) => isDisconnected && receivedMs <= stuckUntilMs,
      'REQUEST_TIMED_OUT',
    );
  }

  /** Removes requests from a file that was not sent, and later requests that must not be written without them. */
  #giveUp(file: DataFile, isGivenUp: (append: PendingAppend) => boolean, error: ErrorName): void {
    let isMissed = false;
    for (const append of [...file.appends]) {
      if (append.refusal !== undefined || !isGivenUp(append)) continue;
      isMissed = this.#lost.add(append) || isMissed;
      this.#refuse(file, append, error);
    }
    this.#discardIfRefused(file);
    if (isMissed) this.#refuseFollowers(file);
  }

  /** Refuses later batches of the producers of lost batches, which must not overtake them. */
  #refuseFollowers(from?: DataFile): void {
    const files = from === undefined || from.state === 'open' ? [] : this.#commits.from(from);
    for (const file of this.#open === undefined ? files : [...files, this.#open]) {
      if (file.state === 'failed' || file.state === 'sent') continue;
      for (const append of [...file.appends]) {
        if (append.refusal !== undefined) continue;
        if (this.#lost.refuses(append)) this.#refuse(file, append, 'KAFKA_STORAGE_ERROR');
        else this.#lost.found(append);
      }
      this.#discardIfRefused(file);
    }
    for (const append of [...this.#waiting.all()]) {
      if (this.#lost.refuses(append)) {
        this.#waiting.remove(append);
        append.fail('KAFKA_STORAGE_ERROR');
      } else {
        this.#lost.found(append);
      }
    }
  }

  #refuse(file: DataFile, append: PendingAppend, error: ErrorName): void {
    append.refusal = error;
    // The store uses the bytes of an uploading file until the upload ends; a commit that stores it, until that ends.
    if (file.state !== 'uploading' && file.content === undefined) append.fail(error);
    if (file.state !== 'open') return;
    file.remove(append);
    this.#bufferedBytes -= append.bytes;
  }

  #discardIfRefused(file: DataFile): void {
    if (!file.isFullyRefused) return;
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
    this.#timer.reset();
    this.#open = undefined;
  }

  // --- committing ---

  #onSending(file: DataFile): void {
    const nowMs = this.#options.clock.monotonicMs();
    // The file may have waited for a connection to the control plane.
    if (nowMs - file.storedMs > stuckMs) this.#stuckUntilMs = nowMs;
    this.#dropDisconnected(file);
  }

  /** Requests that were answered while in doubt are certainly unwritten, as their answers said. */
  #onNotDone(file: DataFile): void {
    this.#giveUp(file, ({ isAnswered }) => isAnswered, 'REQUEST_TIMED_OUT');
  }

  /** Requests that were refused while their bytes were in use are answered now. */
  #releaseContent(file: DataFile): void {
    file.content = undefined;
    this.#bufferedBytes -= file.bytes;
    for (const append of file.appends) if (append.refusal !== undefined) append.fail(append.refusal);
  }

  /** Clients retry the batches of the file; later batches of their producers must not overtake them. */
  #onGone(file: DataFile): void {
    for (const append of file.appends) this.#lost.add(append);
    this.#refuseFollowers(this.#commits.first);
  }

  #onLeft(file: DataFile): void {
    file.cancelDeadline?.();
    file.onLeft?.();
    if (file.sequence !== undefined) this.#sealed.left(file, file.sequence);
    if (file.content !== undefined) this.#releaseContent(file);
    this.#commitWaiters.left(file);
    if (file.state === 'left') {
      // The bucket has it, and the job that commits it counts it.
    } else if (file.state !== 'committed') {
      this.#metrics.failed.add(1);
    } else {
      const nowMs = this.#options.clock.monotonicMs();
      if (nowMs - file.sentMs > stuckMs) this.#stuckUntilMs = nowMs;
      countCommitted(this.#metrics, file, nowMs);
      this.#timer.committed(file);
      this.#waitForAnswered();
    }
    this.#pump();
  }
}
