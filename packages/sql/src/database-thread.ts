import { Worker } from 'node:worker_threads';
import {
  type AnyOperations,
  type CallRules,
  closeMessage,
  type ThreadCall,
  type ThreadResponse,
  type ThreadWarning,
} from './thread-call.ts';

export type { CallRules } from './thread-call.ts';

interface DatabaseThreadOptions<Problem> {
  /** The module that has the database in its thread. It calls `serveCalls`. */
  readonly worker: URL;
  readonly workerData: unknown;
  /** The error of a call that the thread could not serve. */
  toError(problem: Problem): Error;
  /** The error of calls to a thread that is gone; without a cause it was closed. */
  toLoss(cause: Error | undefined): Error;
  /** Whether the next call replaces a thread that failed: one that has no state but the database. */
  readonly isReplaced?: boolean;
  readonly onWarning?: (fields: ThreadWarning['fields']) => void;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A call before it has an id. */
export interface RemoteCall<Method extends string = string> {
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly moved: readonly ArrayBuffer[];
}

/**
 * A thread with a database, because a database keeps a thread busy for milliseconds: `node:sqlite` waits for the disk,
 * and the driver of PostgreSQL writes bytes as text. The first call starts it.
 */
export class DatabaseThread<Problem = never> {
  readonly #options: DatabaseThreadOptions<Problem>;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #failure: Error | undefined;
  #isClosing = false;

  constructor(options: DatabaseThreadOptions<Problem>) {
    this.#options = options;
  }

  call({ method, args, moved }: RemoteCall): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const worker = this.start();
    const call: ThreadCall = { id: ++this.#lastId, method, args };
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) worker.ref();
      this.#waiting.set(call.id, { resolve, reject });
      worker.postMessage(call, moved);
    });
  }

  close(): Promise<void> {
    const worker = this.#worker;
    this.#isClosing = true;
    if (worker === undefined) this.#fail(undefined);
    if (worker === undefined || this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      worker.ref();
      worker.once('exit', () => resolve());
      worker.postMessage(closeMessage);
    });
  }

  /** Starts the thread before its first call, so that this call need not wait for it. */
  start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const { worker: module, workerData } = this.#options;
    const worker = new Worker(module, { workerData });
    worker.on('message', (message: ThreadResponse | ThreadWarning) => this.#onMessage(message));
    worker.on('error', (error) => this.#onLost(worker, error));
    worker.on('exit', () => this.#onLost(worker, undefined));
    // Only waiting callers keep the process alive, not the thread.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #onMessage(message: ThreadResponse | ThreadWarning): void {
    if ('fields' in message) {
      this.#options.onWarning?.(message.fields);
      return;
    }
    const { id, result, problem } = message;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (problem === undefined) waiting?.resolve(result);
    else waiting?.reject(this.#options.toError(problem as Problem));
  }

  #onLost(worker: Worker, cause: Error | undefined): void {
    if (worker !== this.#worker) return;
    if (this.#isClosing || this.#options.isReplaced !== true) {
      this.#fail(cause);
      return;
    }
    this.#worker = undefined;
    const loss = this.#options.toLoss(cause);
    this.#options.onWarning?.({ problem: loss.message });
    this.#rejectAll(loss);
  }

  #fail(cause: Error | undefined): void {
    this.#failure ??= this.#options.toLoss(cause);
    this.#rejectAll(this.#failure);
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** The methods of a database for callers in other threads. A signal stays with the caller. */
export type RemoteCalls<Operations extends AnyOperations<Operations>> = {
  [Method in keyof Operations]: (
    ...args: [...Parameters<Operations[Method]>, signal?: AbortSignal]
  ) => Promise<Awaited<ReturnType<Operations[Method]>>>;
};

/** Makes each method of the rules a function that sends a call. */
export function remoteCalls<Operations extends AnyOperations<Operations>>(
  rules: CallRules<Operations>,
  send: (call: RemoteCall<keyof Operations & string>, signal: AbortSignal | undefined) => Promise<unknown>,
): RemoteCalls<Operations> {
  const methods = Object.keys(rules) as (keyof Operations & string)[];
  const calls = methods.map((method) => [
    method,
    (...all: unknown[]) => {
      const signal = all.find((arg) => arg instanceof AbortSignal);
      const args = signal === undefined ? all : all.slice(0, -1);
      const { moves } = rules[method];
      const moved = moves === undefined ? [] : [(args[moves] as Uint8Array<ArrayBuffer>).buffer];
      return send({ method, args, moved }, signal);
    },
  ]);
  return Object.fromEntries(calls);
}
