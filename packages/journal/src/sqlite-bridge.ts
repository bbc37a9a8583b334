import { Worker } from 'node:worker_threads';

/** The answer of a worker to the request with the same id. */
export interface SqliteReply {
  readonly id: number;
  readonly result?: unknown;
  readonly problem?: string;
}

/** The last message to a worker: it closes the database and ends. */
export const closeMessage = 'close';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface SqliteBridgeOptions {
  /** The module that owns the database in its thread. */
  readonly worker: URL;
  /** A file, or `:memory:`. */
  readonly path: string;
  /** The purpose of the database; errors start with it. */
  readonly label: string;
}

/**
 * Sends requests to the thread that owns a SQLite database, because `node:sqlite` blocks its caller until the disk has
 * answered.
 */
export class SqliteBridge {
  readonly #label: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: Error | undefined;

  constructor({ worker, path, label }: SqliteBridgeOptions) {
    this.#label = label;
    this.#worker = new Worker(worker, { workerData: { path } });
    this.#worker.on('message', (reply: SqliteReply) => this.#onReply(reply));
    this.#worker.on('error', (error) => this.#fail(new Error(`${label}: ${path}: ${error.message}`)));
    this.#worker.on('exit', () => this.#fail(new Error(`${label}: ${path}: it was closed`)));
    // Only waiting callers keep the process alive, not the thread.
    this.#worker.unref();
  }

  /** Sends a request with a new id. `transferred` is moved to the thread and unusable here afterwards. */
  call<Result>(request: object, transferred?: Buffer<ArrayBuffer>): Promise<Result> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#worker.postMessage({ id, ...request }, transferred === undefined ? [] : [transferred.buffer]);
    });
  }

  close(): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#worker.ref();
      this.#worker.once('exit', () => resolve());
      this.#worker.postMessage(closeMessage);
    });
  }

  #onReply({ id, result, problem }: SqliteReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (problem === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${this.#label}: SQLite: ${problem}`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
