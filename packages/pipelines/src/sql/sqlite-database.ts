import { Worker } from 'node:worker_threads';
import type { Database, Row, Statement } from './database.ts';
import type { SqliteAnswer, SqliteRequest } from './sqlite-worker.ts';

type Asked = SqliteRequest extends infer Request
  ? Request extends { id: number }
    ? Omit<Request, 'id'>
    : never
  : never;

interface Waiting {
  resolve(answer: SqliteAnswer): void;
  reject(error: Error): void;
}

/** The path of a DSN: `file:/path/to/file.db?…`, a path, or `:memory:`. */
function pathOf(dsn: string): string {
  return dsn.replace(/^file:(?:\/\/(?=\/))?/, '').replace(/\?.*$/s, '');
}

/** A file of SQLite, in a thread of its own. */
export class SqliteDatabase implements Database {
  readonly placeholders = 'question';
  readonly argumentsMax = 32_766;
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(dsn: string) {
    this.#path = pathOf(dsn);
  }

  async execute(statements: readonly Statement[]): Promise<void> {
    if (statements.length > 0) await this.#ask({ kind: 'execute', statements });
  }

  async *rows(statement: Statement): AsyncGenerator<readonly Row[]> {
    let answer = await this.#ask({ kind: 'query', statement });
    const query = answer.id;
    try {
      for (;;) {
        const rows = (answer.rows ?? []).map(rowOf);
        if (rows.length > 0) yield rows;
        if (answer.isEnd) return;
        answer = await this.#ask({ kind: 'next', query });
      }
    } finally {
      if (!answer.isEnd) await this.#ask({ kind: 'end', query }).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ask(asked: Asked): Promise<SqliteAnswer> {
    const worker = this.#thread();
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ ...asked, id });
    });
  }

  /** A thread that failed to open its file ends, and the next call starts another. */
  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL(import.meta.resolve('./sqlite-worker.ts')), { workerData: this.#path });
    worker.on('message', ({ problem, ...answer }: SqliteAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (problem === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(problem));
    });
    const lost = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on('error', lost);
    worker.on('exit', () => lost(new Error('the thread of the database has ended')));
    this.#worker = worker;
    return worker;
  }
}

/** Numbers are safe integers or texts of large ones; bytes are texts, as in Bento. */
function rowOf(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value === 'bigint')
        return [name, Number.isSafeInteger(Number(value)) ? Number(value) : value];
      return [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString() : (value as string | number | null),
      ];
    }),
  );
}
