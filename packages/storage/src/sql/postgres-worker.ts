import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import type { BucketTables } from './bucket-tables.ts';
import { PostgresProblem } from './postgres-errors.ts';
import { PostgresTables } from './postgres-tables.ts';
import type { PostgresPlace } from './sql-url.ts';
import {
  answerCall,
  closeMessage,
  type ThreadCall,
  type ThreadProblem,
  type ThreadWarning,
} from './thread-call.ts';

/** The thread with the connections to the PostgreSQL server of a bucket. */
const port = parentPort!;
const tables = new PostgresTables(workerData as PostgresPlace, {
  clock: systemClock,
  onReplaced(silentMs) {
    const warning: ThreadWarning = { fields: { silentMs } };
    port.postMessage(warning);
  },
});

port.on('message', (message: ThreadCall | typeof closeMessage) => {
  if (message === closeMessage) {
    void tables.close().finally(() => port.close());
    return;
  }
  const { id, method, args } = message;
  const call = tables[method as keyof BucketTables] as (...args: unknown[]) => Promise<unknown>;
  call.apply(tables, [...args]).then(
    (result) => answerCall(port, { id, result }),
    (error: unknown) => answerCall(port, { id, problem: problemOf(error) }),
  );
});

function problemOf(error: unknown): ThreadProblem {
  if (error instanceof PostgresProblem) return error.problem;
  return { kind: undefined, subject: '', text: (error as Error).message };
}
