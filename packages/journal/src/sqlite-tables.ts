import { DatabaseThread, remoteCalls } from '@weir/sql/database-thread';
import { ProcessLocks } from './process-locks.ts';
import { type SqliteOperations, sqliteRules } from './sqlite-call.ts';
import type { JournalTables } from './tables.ts';

/**
 * Journals in a SQLite file. The calls cross into the thread of sqlite-worker.ts. Memory that a caller allocated for
 * the call (`Buffer<ArrayBuffer>` of its own) is transferred there; results are small or come from SQLite and are
 * copied once.
 *
 * Processes on one machine may share the file. They notice each other by polling.
 */
export function sqliteTables(path: string): JournalTables {
  const locks = new ProcessLocks(path);
  const thread = new DatabaseThread<string>({
    worker: new URL(import.meta.resolve('./sqlite-worker.ts')),
    workerData: { path },
    toError: (problem) => new Error(`journal: SQLite: ${problem}`),
    toLoss: (cause) => new Error(`journal: ${path}: ${cause?.message ?? 'it was closed'}`),
  });
  thread.start();
  return {
    ...remoteCalls<SqliteOperations>(sqliteRules, (call) => thread.call(call)),
    processId: () => locks.claim(),
    isGone: (processId) => locks.isGone(processId),
    notify() {},
    listen() {},
    close() {
      locks.release();
      return thread.close();
    },
  };
}
