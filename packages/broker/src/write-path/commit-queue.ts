import {
  CallNotDone,
  type ClusterPort,
  ClusterUnavailable,
  entryErrors,
  type FileCommitResult,
} from '@weir/cluster';
import { type Clock, type JitteredBackOff, jitteredBackOffMs, type Log, type Random } from '@weir/core';
import { AgentKeyRefused } from '@weir/rpc';
import type { DataFile, OrderKey } from './data-file.ts';

const goneError = entryErrors.indexOf('KAFKA_STORAGE_ERROR');

const retryBackOff: JitteredBackOff = { firstMs: 50, maxMs: 1_000, jitter: 'half' };

interface CommitQueueOptions {
  readonly port: () => ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /**
   * Whether a file waits for others that a job commits; `advance` must be called when that ends. A file whose outcome
   * is unknown is before all of those, and does not wait. None does by default.
   */
  readonly mustWait?: ((file: DataFile) => boolean) | undefined;
  /** Limit for one call, which is one frame and one step of the cluster's state machine. */
  readonly batchesPerCallMax: number;
  /** Called for every file before it is sent for the first time. The callback may fail the file. */
  readonly onSending: (file: DataFile) => void;
  /**
   * Called for every file that was sent and is `stored` again because the call certainly had no effect. The callback
   * may fail the file.
   */
  readonly onNotDone: (file: DataFile) => void;
  /** Called for every file whose batches have to be written again, when it has left the queue. */
  readonly onGone: (file: DataFile) => void;
  /** Called for every file that leaves the queue, committed or failed. */
  readonly onLeft: (file: DataFile) => void;
}

interface CommitCall {
  /** Empty until the call leaves. */
  files: readonly DataFile[];
  wasInDoubt: boolean;
  /** Files whose batches have to be written again. */
  readonly gone: DataFile[];
}

/**
 * Commits files in the order in which they were closed, except that a file does not wait for an upload with which it
 * shares neither a connection nor a producer. The batches of a producer with several requests in flight therefore stay
 * in sequence, and a slow upload delays no other clients. Files that are durable when a call leaves share that call.
 *
 * There is one call at a time, and its files are chosen when it leaves the process: while the control plane is
 * unreachable, files stay `stored` and requests may be removed from them. If the outcome of a sent call is unknown, the
 * queue repeats it with the same file ids until there is an answer, even if no client waits any more: later files may
 * only be committed once the outcome of earlier ones is known. A repeated call carries no new files, so that as little
 * as possible is in doubt. A call that certainly had no effect counts as never sent.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #files: DataFile[] = [];
  #isCalling = false;
  #isAbandoned = false;
  #cancelRetry: (() => void) | undefined;
  #failures = 0;
  /** After the control plane refuses a whole call, files are sent one by one, so that only the faulty file fails. */
  #oneByOne = 0;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  /** Number of closed files that are not committed yet, including those still uploading. */
  get length(): number {
    return this.#files.length;
  }

  push(file: DataFile): void {
    this.#files.push(file);
  }

  /** Returns the file that is committed next. */
  get first(): DataFile | undefined {
    return this.#files[0];
  }

  /** Returns all files, in order. */
  all(): readonly DataFile[] {
    return this.#files;
  }

  /** Returns a file and those behind it, in order. */
  from(file: DataFile): readonly DataFile[] {
    return this.#files.slice(this.#files.indexOf(file));
  }

  /** Must be called when a file becomes `stored`, `failed` or `left`. */
  advance(): void {
    this.#dropOut();
    if (!this.#isCalling && (this.#isInDoubt || this.#hasNext())) this.#commit();
  }

  /** Whether the outcome of a call that was sent is unknown. */
  get #isInDoubt(): boolean {
    return this.#files.some(wasSent);
  }

  #hasNext(): boolean {
    return this.#files.some(isStored) && this.#unblocked(1).length > 0;
  }

  /** Stored files that need not wait for an upload, in order, and at most so many. */
  #unblocked(filesMax: number): DataFile[] {
    const unblocked: DataFile[] = [];
    /** What the files that are passed over keep in order. */
    let blocked: Set<OrderKey> | undefined;
    for (const file of this.#files) {
      if (unblocked.length === filesMax) break;
      if (isOut(file)) continue;
      const isFree = isStored(file) && this.#options.mustWait?.(file) !== true;
      if (isFree && (blocked === undefined || !file.mustFollow(blocked))) {
        unblocked.push(file);
      } else {
        blocked ??= new Set();
        file.addOrderTo(blocked);
      }
    }
    return unblocked;
  }

  /** Gives up uncommitted files because the process exits. The control plane decides the outcome of the last call. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#cancelRetry?.();
    for (const { cancelDeadline } of this.#files) cancelDeadline?.();
  }

  /** Removes files that it need not commit at once, also those behind a file in doubt, to free their slots. */
  #dropOut(): void {
    for (let at = this.#files.findIndex(isOut); at !== -1; at = this.#files.findIndex(isOut)) {
      let end = at + 1;
      while (end < this.#files.length && isOut(this.#files[end]!)) end++;
      for (const file of this.#files.splice(at, end - at)) this.#options.onLeft(file);
    }
  }

  #ready(): DataFile[] {
    const ready: DataFile[] = [];
    let batches = 0;
    for (const file of this.#isInDoubt
      ? this.#files.filter(wasSent)
      : this.#unblocked(Number.POSITIVE_INFINITY)) {
      if (isStored(file)) this.#options.onSending(file);
      if (isOut(file)) continue;
      batches += file.batchCount;
      if (ready.length > 0 && (this.#oneByOne > 0 || batches > this.#options.batchesPerCallMax)) break;
      ready.push(file);
    }
    return ready;
  }

  /** Returns the files of a call that is about to leave. From here on their outcome is in doubt. */
  #takeReady(): DataFile[] {
    this.#dropOut();
    const ready = this.#ready();
    this.#dropOut();
    for (const file of ready) {
      if (file.state === 'stored') file.sentMs = this.#options.clock.monotonicMs();
      file.state = 'sent';
    }
    return ready;
  }

  /** Not an async function, because every file passes here (ADR 0177). */
  #commit(): void {
    this.#isCalling = true;
    const call: CommitCall = { files: [], wasInDoubt: false, gone: [] };
    const take = () => {
      call.wasInDoubt = this.#isInDoubt;
      call.files = this.#takeReady();
      return call.files.map((file) => file.commit());
    };
    const onError = (error: unknown) => {
      if (this.#isOver(call, error)) this.#leave(call);
    };
    try {
      this.#options
        .port()
        .commitFiles(take)
        .then((results) => {
          try {
            this.#settle(call, results);
          } catch (error) {
            onError(error);
            return;
          }
          this.#leave(call);
        }, onError);
    } catch (error) {
      onError(error);
    }
  }

  #settle({ files, gone }: CommitCall, results: readonly FileCommitResult[]): void {
    this.#failures = 0;
    if (this.#oneByOne > 0) this.#oneByOne--;
    for (const [index, file] of files.entries()) {
      file.state = 'committed';
      file.settle(results[index]!);
      if (results[index]!.error.includes(goneError)) gone.push(file);
    }
  }

  /** Whether the outcome of a call that failed is known; if not, it is repeated. */
  #isOver({ files, wasInDoubt }: CommitCall, error: unknown): boolean {
    const { clock, random, log } = this.#options;
    // A call that never left had no effect. A refused key does not decide the outcome of an earlier call.
    const isInDoubt = error instanceof ClusterUnavailable || error instanceof AgentKeyRefused;
    if (error instanceof CallNotDone && !wasInDoubt) this.#takeBack(files);
    if (files.length === 0 || isInDoubt) {
      const retries = this.#failures++;
      log.warn('failed to reach control plane, retrying commit', {
        files: files.length,
        attempt: this.#failures,
        error: error instanceof Error ? error.message : String(error),
      });
      if (this.#isAbandoned) return false;
      const delayMs = jitteredBackOffMs(retries, retryBackOff, random);
      this.#cancelRetry = clock.after(delayMs, () => this.#resume());
      return false;
    }
    if (files.length > 1) {
      this.#oneByOne = files.length;
    } else {
      log.error('failed to commit file', { fileId: files[0]!.fileId, error: String(error) });
      if (this.#oneByOne > 0) this.#oneByOne--;
      files[0]!.state = 'failed';
      for (const append of files[0]!.appends) append.fail('UNKNOWN_SERVER_ERROR');
    }
    return true;
  }

  #leave({ files, gone }: CommitCall): void {
    for (const file of files) {
      if (file.state !== 'committed') continue;
      this.#files.splice(this.#files.indexOf(file), 1);
      this.#options.onLeft(file);
    }
    for (const file of gone) {
      this.#options.log.warn('failed to commit file, it is deleted or too old', { fileId: file.fileId });
      this.#options.onGone(file);
    }
    this.#resume();
  }

  #takeBack(files: readonly DataFile[]): void {
    for (const file of files) file.state = 'stored';
    for (const file of files) this.#options.onNotDone(file);
    this.#dropOut();
  }

  #resume(): void {
    this.#isCalling = false;
    this.advance();
  }
}

function isOut({ state }: DataFile): boolean {
  return state === 'failed' || state === 'left';
}

function isStored({ state }: DataFile): boolean {
  return state === 'stored';
}

function wasSent({ state }: DataFile): boolean {
  return state === 'sent';
}
