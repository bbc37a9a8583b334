import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makeDirectory } from '@weir/metadata';
import type { SqliteAnswer, SqliteQuestion, SqliteResult } from './sqlite-messages.ts';

interface Waiting {
  resolve(result: SqliteResult): void;
  reject(error: Error): void;
}

/** A SQLite database whose statements run in the thread of sqlite-worker.ts, one after the other. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: Error | undefined;

  /** `path` is that of a file, or `:memory:`. */
  constructor(path: string) {
    if (path !== ':memory:') makeDirectory(dirname(path));
    this.#worker = new Worker(new URL(import.meta.resolve('./sqlite-worker.ts')), { workerData: { path } });
    this.#worker.on('message', (answer: SqliteAnswer) => this.#onAnswer(answer));
    this.#worker.on('error', (error) => this.#fail(new Error(`accounts: ${path}: ${error.message}`)));
    this.#worker.on('exit', () => this.#fail(new Error(`accounts: ${path}: it was closed`)));
    // The process lives while an answer is pending, not as long as the thread does.
    this.#worker.unref();
  }

  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const question: SqliteQuestion = { id: ++this.#lastId, sql, parameters };
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(question.id, { resolve, reject });
      this.#worker.postMessage(question);
    });
  }

  close(): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#worker.ref();
      this.#worker.once('exit', () => resolve());
      this.#worker.postMessage('close');
    });
  }

  #onAnswer(answer: SqliteAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('problem' in answer) waiting?.reject(new Error(`accounts: SQLite: ${answer.problem}`));
    else waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
