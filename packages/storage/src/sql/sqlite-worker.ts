import { statSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { serveCalls, type ThreadCall } from '@weir/sql/serve-calls';
import { SqliteFile } from '@weir/sql/sqlite-file';
import { type BucketOperations, bucketRules } from './bucket-tables.ts';
import type { SqlitePlace } from './sql-url.ts';
import { SqliteMissing, sqliteProblem } from './sqlite-errors.ts';
import { sqliteOperations } from './sqlite-operations.ts';
import { openSqliteBucket } from './sqlite-schema.ts';

/**
 * A thread with a connection to the SQLite file of a bucket. Calls that wait at the same time share one transaction,
 * and so one wait for the disk.
 */
const place = workerData as SqlitePlace;
const { path } = place;

const callsPerTransactionMax = 16;

interface OpenBucket {
  readonly file: SqliteFile;
  /** Its number in the file system. */
  readonly fileNumber: number;
  readonly operations: BucketOperations;
}

let bucket: OpenBucket | undefined;

const toProblem = (error: unknown) => sqliteProblem(path, error);

function fileNumberNow(): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Opens the file, which has the given number in the file system, or any. Returns its number, by which others find that
 * it is still the same.
 */
function open(expectedNumber: number | null): number {
  if (bucket === undefined) {
    if (expectedNumber !== null) checkFileNumber(expectedNumber);
    const file = new SqliteFile(openSqliteBucket(place));
    bucket = { file, fileNumber: fileNumberNow()!, operations: sqliteOperations(file, place.table) };
  }
  return bucket.fileNumber;
}

/** SQLite would go on with a file that has no name any more, and lose it when the process ends. */
function checkFileNumber(expected: number): void {
  const now = fileNumberNow();
  if (now === undefined) throw new SqliteMissing('the file was removed; put it back');
  if (now !== expected)
    throw new SqliteMissing('the file was replaced; put it back, or start again to use the new one');
}

function respondToOpen({ id, args }: ThreadCall) {
  try {
    return { id, result: open(args[0] as number | null) };
  } catch (error) {
    return { id, problem: toProblem(error) };
  }
}

function serveTogether(calls: readonly ThreadCall[]) {
  const { file, fileNumber, operations } = bucket!;
  try {
    checkFileNumber(fileNumber);
  } catch (error) {
    return calls.map(({ id }) => ({ id, problem: toProblem(error) }));
  }
  return file.serveTogether(calls, { operations, rules: bucketRules, toProblem });
}

serveCalls({
  callsMax: callsPerTransactionMax,
  serve(calls, respond) {
    const others: ThreadCall[] = [];
    for (const call of calls) {
      if (call.method === 'open') respond(respondToOpen(call));
      else others.push(call);
    }
    if (others.length > 0) serveTogether(others).forEach(respond);
  },
  close: () => bucket?.file.close(),
});
