import { workerData } from 'node:worker_threads';
import { systemClock } from '@weir/core';
import { serveCalls, type ThreadCall, warn } from '@weir/sql/serve-calls';
import type { BucketTables } from './bucket-tables.ts';
import type { BucketProblem } from './bucket-thread.ts';
import { PostgresProblem } from './postgres-errors.ts';
import { PostgresTables } from './postgres-tables.ts';
import type { PostgresPlace } from './sql-url.ts';

/** The thread with the connections to the PostgreSQL server of a bucket. */
const tables = new PostgresTables(workerData as PostgresPlace, {
  clock: systemClock,
  onReplaced: (silentMs) => warn({ silentMs }),
});

async function responseTo({ id, method, args }: ThreadCall) {
  const call = tables[method as keyof BucketTables] as (...args: unknown[]) => Promise<unknown>;
  try {
    return { id, result: await call.apply(tables, [...args]) };
  } catch (error) {
    return { id, problem: toProblem(error) };
  }
}

function toProblem(error: unknown): BucketProblem {
  if (error instanceof PostgresProblem) return error.problem;
  return { kind: undefined, subject: '', text: (error as Error).message };
}

serveCalls({
  callsMax: 1,
  serve([call], respond) {
    void responseTo(call!).then(respond);
  },
  close: () => tables.close(),
});
