import { Worker } from 'node:worker_threads';
import { type Clock, MiB } from '@weir/core';
import type { StoreOperation } from '@weir/storage';
import type { KeyResult } from './keys/compact-keys.ts';
import type { MergeResult } from './merge-files.ts';
import type { KeyTask, MergeMessage, MergeOrder, MergeTask } from './merge-messages.ts';
import type { MergePace } from './merge-pace.ts';

interface MergeThreadOptions {
  readonly signal: AbortSignal;
  readonly progress?: (copiedBytes: number, totalBytes: number) => void;
  /** Called with the requests to the bucket, before the merge ends. */
  readonly onRequests?: (bucket: string, operation: StoreOperation, count: number) => void;
  /** Whether the thread has to wait before it reads or writes on. Called twice a second. */
  readonly hasToWait?: (() => boolean) | undefined;
  /** The share of the time in which the thread works; all of it if absent. */
  readonly pace?: MergePace | undefined;
}

interface MergeThreadsOptions {
  readonly clock: Clock;
  /** How long a thread stays without work. */
  readonly idleMs?: number;
}

interface IdleThread {
  readonly worker: Worker;
  /** Takes it out of the idle ones, and leaves it running. */
  take(): void;
}

/** To start a thread takes more processor time than a small merge, and small clusters have several a minute. */
const usualIdleMs = 60_000;
const idleThreadsMax = 2;
/** A thread that read more ends with its merge, because its memory stays large. */
const warmBytesMax = 64 * MiB;
const askEveryMs = 500;
/** After this much waiting a merge goes on in any case: its result is refused if it takes longer than an hour. */
const waitMsMax = 30 * 60_000;

/** A thread that ended by itself before it began its work, as when it ended while it had none. */
const notBegun = Symbol('not begun');

/**
 * Merges files in threads of low priority. An abort waits until the thread has removed what it wrote. Not for a bucket
 * in memory, which other threads do not see: `mergeFiles` merges it, with pauses.
 *
 * Each thread has one merge at a time. After a small one that succeeded it waits for the next; any other end of a merge
 * ends its thread.
 */
export class MergeThreads {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #idle: IdleThread[] = [];
  #isEnded = false;

  constructor({ clock, idleMs = usualIdleMs }: MergeThreadsOptions) {
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /** Threads without work. */
  get idleCount(): number {
    return this.#idle.length;
  }

  merge(task: MergeTask, options: MergeThreadOptions): Promise<MergeResult> {
    return this.#run(task, options) as Promise<MergeResult>;
  }

  /** Compacts keys in the same way. */
  compactKeys(task: KeyTask, options: MergeThreadOptions): Promise<KeyResult> {
    return this.#run(task, options) as Promise<KeyResult>;
  }

  /** Ends the threads without work. Others end with their merges. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(
      this.#idle.splice(0).map(async ({ worker, take }) => {
        take();
        await worker.terminate();
      }),
    );
  }

  async #run(task: MergeTask | KeyTask, options: MergeThreadOptions): Promise<MergeResult | KeyResult> {
    for (;;) {
      options.signal.throwIfAborted();
      const idle = this.#idle.pop();
      idle?.take();
      const worker = idle?.worker ?? newThread();
      let isReusable = false;
      try {
        const result = await this.#runIn(worker, task, options);
        isReusable = result.bytesRead <= warmBytesMax;
        return result;
      } catch (error) {
        // It has written nothing yet, so that another thread can do all of it.
        if (error !== notBegun || idle === undefined) throw error === notBegun ? threadEnded() : error;
      } finally {
        if (isReusable && !this.#isEnded && this.#idle.length < idleThreadsMax) this.#keep(worker);
        else await worker.terminate();
      }
    }
  }

  async #runIn(
    worker: Worker,
    task: MergeTask | KeyTask,
    { signal, progress, onRequests, hasToWait, pace }: MergeThreadOptions,
  ): Promise<MergeResult | KeyResult> {
    const { promise, resolve, reject } = Promise.withResolvers<MergeResult | KeyResult>();
    const tell = (order: MergeOrder) => worker.postMessage(order);
    const stop = () => tell('stop');
    let hasBegun = false;
    let isWaiting = hasToWait?.() === true;
    let waitedMs = 0;
    const paced = pace?.begin();
    let share = paced?.share() ?? 1;
    const ask = () => {
      if (isWaiting) waitedMs += askEveryMs;
      const wasWaiting = isWaiting;
      isWaiting = waitedMs < waitMsMax && hasToWait?.() === true;
      if (isWaiting !== wasWaiting) tell(isWaiting ? 'wait' : 'go on');
      const lastShare = share;
      share = paced?.share() ?? 1;
      if (share !== lastShare) tell(share);
      endAsking = this.#clock.after(askEveryMs, ask);
    };
    const isAsked = hasToWait !== undefined || paced !== undefined;
    let endAsking = isAsked ? this.#clock.after(askEveryMs, ask) : undefined;
    const takeMessage = (message: MergeMessage) => {
      if (message.kind === 'begun') hasBegun = true;
      else if (message.kind === 'progress') progress?.(message.copiedBytes, message.totalBytes);
      else if (message.kind === 'requested')
        for (const [operation, count] of message.operations) onRequests?.(message.bucket, operation, count);
      else if (message.kind === 'done') resolve(message.result);
      else reject(signal.aborted ? signal.reason : new Error(message.problem));
    };
    const takeExit = () => reject(hasBegun ? threadEnded() : notBegun);
    signal.addEventListener('abort', stop, { once: true });
    worker.on('error', reject).on('exit', takeExit).on('message', takeMessage);
    worker.ref();
    try {
      tell({ task, isWaiting, share });
      return await promise;
    } finally {
      endAsking?.();
      paced?.end();
      signal.removeEventListener('abort', stop);
      worker.off('error', reject).off('exit', takeExit).off('message', takeMessage);
    }
  }

  #keep(worker: Worker): void {
    worker.unref();
    const drop = () => {
      thread.take();
      const index = this.#idle.indexOf(thread);
      if (index >= 0) this.#idle.splice(index, 1);
    };
    const cancelEnd = this.#clock.after(this.#idleMs, () => {
      drop();
      void worker.terminate();
    });
    const thread: IdleThread = {
      worker,
      take() {
        cancelEnd();
        worker.off('exit', drop);
      },
    };
    worker.on('exit', drop);
    this.#idle.push(thread);
  }
}

function newThread(): Worker {
  const worker = new Worker(new URL(import.meta.resolve('./merge-worker.ts')));
  // An error without a listener would end the process, also one of a thread without work.
  return worker.on('error', () => undefined);
}

function threadEnded(): Error {
  return new Error('merge thread exited');
}
