import { Worker } from 'node:worker_threads';
import { StoreError } from '../store/store-error.ts';
import { CallSlots } from './call-slots.ts';
import {
  closeMessage,
  type ThreadCall,
  type ThreadProblem,
  type ThreadReply,
  type ThreadWarning,
} from './thread-call.ts';

interface DatabaseThreadOptions {
  /** The module that has the database in its thread. */
  readonly worker: URL;
  readonly workerData: unknown;
  /** What errors of the thread itself are about. */
  readonly subject: string;
  /** Calls that the thread has, and whose bytes are in memory. */
  readonly callsMax: number;
  /** Whether the next call replaces a thread that failed: one that has no state but the database. */
  readonly isReplaced?: boolean;
  readonly onWarning?: (fields: ThreadWarning['fields']) => void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type AnyOperations<Operations> = { [Method in keyof Operations]: (...args: never[]) => unknown };

/**
 * A thread with a database, because bytes for it keep a thread busy for milliseconds: `node:sqlite` waits for the disk,
 * and the driver of PostgreSQL writes bytes as text. The first call starts it.
 */
export class DatabaseThread<Operations extends AnyOperations<Operations>> {
  readonly #options: DatabaseThreadOptions;
  readonly #slots: CallSlots;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #failure: StoreError | undefined;
  #isClosing = false;

  constructor(options: DatabaseThreadOptions) {
    this.#options = options;
    this.#slots = new CallSlots(options.callsMax);
  }

  /** `chunk` is moved to the thread and unusable here afterwards. */
  call<Method extends keyof Operations & string>(
    method: Method,
    args: Parameters<Operations[Method]>,
    signal?: AbortSignal,
    chunk?: Buffer<ArrayBuffer>,
  ): Promise<Awaited<ReturnType<Operations[Method]>>> {
    return this.#slots.run(
      () =>
        new Promise((resolve, reject) => {
          if (this.#failure !== undefined) {
            reject(this.#failure);
            return;
          }
          const worker = this.#started();
          const id = ++this.#lastId;
          if (this.#waiting.size === 0) worker.ref();
          this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
          const call: ThreadCall = { id, method, args };
          worker.postMessage(call, chunk === undefined ? [] : [chunk.buffer]);
        }),
      signal,
    );
  }

  close(): Promise<void> {
    const worker = this.#worker;
    this.#isClosing = true;
    if (worker === undefined) this.#fail('it was closed');
    if (worker === undefined || this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      worker.ref();
      worker.once('exit', () => resolve());
      worker.postMessage(closeMessage);
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { worker: module, workerData } = this.#options;
    const worker = new Worker(module, { workerData });
    worker.on('message', (reply: ThreadReply) => this.#onReply(reply));
    worker.on('error', (error) => this.#lost(worker, `the thread failed: ${error.message}`));
    worker.on('exit', () => this.#lost(worker, 'it was closed'));
    // Only waiting callers keep the process alive, not the thread.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #onReply(reply: ThreadReply): void {
    if ('fields' in reply) {
      this.#options.onWarning?.(reply.fields);
      return;
    }
    const { id, result, problem } = reply;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (problem === undefined) waiting?.resolve(result);
    else waiting?.reject(errorOf(problem));
  }

  #lost(worker: Worker, problem: string): void {
    if (worker !== this.#worker) return;
    if (this.#isClosing || this.#options.isReplaced !== true) {
      this.#fail(problem);
      return;
    }
    this.#worker = undefined;
    this.#options.onWarning?.({ problem });
    this.#rejectAll(new StoreError('unavailable', this.#options.subject, problem));
  }

  #fail(problem: string): void {
    this.#failure ??= new StoreError('unavailable', this.#options.subject, problem);
    this.#rejectAll(this.#failure);
  }

  #rejectAll(error: StoreError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function errorOf({ kind, subject, text }: ThreadProblem): Error {
  return kind === undefined ? new Error(text) : new StoreError(kind, subject, text);
}
