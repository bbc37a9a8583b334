import type { Clock } from '@weir/core';
import { DatabaseThread, remoteCalls } from '@weir/sql/database-thread';
import { DiskFull } from './journal.ts';
import { ProcessLocks } from './process-locks.ts';
import { type SqliteOperations, type SqliteProblem, sqliteRules } from './sqlite-call.ts';
import type { JournalTables } from './tables.ts';

/** Failed calls are repeated within this time, so that without another failure there is space again. */
export const diskFullMs = 10_000;

/**
 * Journals in a SQLite file. The calls cross into the thread of sqlite-worker.ts. Memory that a caller allocated for
 * the call (`Buffer<ArrayBuffer>` of its own) is transferred there; results are small or come from SQLite and are
 * copied once.
 *
 * Processes on one machine may share the file. They notice each other by polling.
 */
export function sqliteTables(
  path: string,
  clock: Pick<Clock, 'monotonicMs'>,
  { hasSegments = false }: { readonly hasSegments?: boolean } = {},
): JournalTables {
  let fullMs = Number.NEGATIVE_INFINITY;
  const locks = new ProcessLocks(path);
  const thread = new DatabaseThread<SqliteProblem>({
    worker: new URL(import.meta.resolve('./sqlite-worker.ts')),
    workerData: { path, hasSegments },
    toError({ message, isDiskFull }) {
      if (!isDiskFull) return new Error(`journal: SQLite: ${message}`);
      fullMs = clock.monotonicMs();
      return new DiskFull(`journal: no space left on device: ${path}`);
    },
    toLoss: (cause) => new Error(`journal: ${path}: ${cause?.message ?? 'it was closed'}`),
  });
  thread.start();
  return {
    ...remoteCalls<SqliteOperations>(sqliteRules, (call) => thread.call(call)),
    processId: () => locks.claim(),
    isGone: (processId) => locks.isGone(processId),
    isDiskFull: () => clock.monotonicMs() - fullMs < diskFullMs,
    notify() {},
    listen() {},
    close() {
      locks.release();
      return thread.close();
    },
  };
}
