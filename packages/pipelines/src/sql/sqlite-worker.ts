import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Statement } from './database.ts';

/** What a component asks of the thread, with the number of the answer. */
export type SqliteRequest =
  | { readonly id: number; readonly kind: 'execute'; readonly statements: readonly Statement[] }
  | { readonly id: number; readonly kind: 'query'; readonly statement: Statement }
  /** More rows of the query that has this number. */
  | { readonly id: number; readonly kind: 'next' | 'end'; readonly query: number };

export interface SqliteAnswer {
  readonly id: number;
  readonly rows?: readonly Record<string, unknown>[];
  readonly isEnd?: boolean;
  readonly problem?: string;
}

const busyTimeoutMs = 5_000;
const rowsAtATime = 256;

/** A thread with a connection to a SQLite file, because `node:sqlite` waits for the disk. */
const database = new DatabaseSync(workerData as string, { timeout: busyTimeoutMs });
const queries = new Map<number, Iterator<Record<string, unknown>>>();

parentPort!.on('message', (request: SqliteRequest) => {
  let answer: SqliteAnswer;
  try {
    answer = answerTo(request);
  } catch (error) {
    answer = { id: request.id, problem: (error as Error).message };
  }
  parentPort!.postMessage(answer);
});

function answerTo(request: SqliteRequest): SqliteAnswer {
  const { id } = request;
  switch (request.kind) {
    case 'execute':
      execute(request.statements);
      return { id };
    case 'query': {
      const { text, args } = request.statement;
      const prepared = database.prepare(text);
      prepared.setReadBigInts(true);
      queries.set(id, prepared.iterate(...inputs(args)));
      return page(id, id);
    }
    case 'next':
      return page(id, request.query);
    case 'end':
      queries.get(request.query)?.return?.();
      queries.delete(request.query);
      return { id };
  }
}

function page(id: number, query: number): SqliteAnswer {
  const iterator = queries.get(query)!;
  const rows: Record<string, unknown>[] = [];
  while (rows.length < rowsAtATime) {
    const { done, value } = iterator.next();
    if (done) {
      queries.delete(query);
      return { id, rows, isEnd: true };
    }
    rows.push(Object.fromEntries(Object.entries(value)));
  }
  return { id, rows };
}

function execute(statements: readonly Statement[]): void {
  if (statements.length === 1) {
    run(statements[0]!);
    return;
  }
  database.exec('BEGIN');
  try {
    for (const statement of statements) run(statement);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** A text without arguments may have several statements. */
function run({ text, args }: Statement): void {
  if (args.length === 0) database.exec(text);
  else database.prepare(text).run(...inputs(args));
}

function inputs(args: Statement['args']): SQLInputValue[] {
  // Memory of another thread is no Buffer any more.
  return args.map((argument) => argument as SQLInputValue);
}
