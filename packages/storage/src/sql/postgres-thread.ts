import type { Log } from '@weir/core';
import { remoteCalls } from '@weir/sql/database-thread';
import { storageLimits } from '../limits.ts';
import { type BucketOperations, type BucketTables, bucketRules } from './bucket-tables.ts';
import { BucketThread } from './bucket-thread.ts';
import type { PostgresPlace } from './sql-url.ts';

/**
 * The tables of a bucket in PostgreSQL, in a thread: the driver writes bytes as text, several milliseconds of processor
 * time for a chunk.
 */
export function postgresThread(
  place: PostgresPlace,
  { log }: { readonly log: Pick<Log, 'warn'> },
): BucketTables {
  const thread = new BucketThread({
    worker: new URL(import.meta.resolve('./postgres-worker.ts')),
    workerData: place,
    subject: `postgres://${place.host}:${place.port}/${place.database}`,
    // Each call is one statement at a time. More would wait in the thread, where they cannot be aborted.
    callsMax: storageLimits.sqlConnectionsMax,
    // The driver throws errors where nothing handles them when a server breaks the protocol.
    isReplaced: true,
    onWarning: (fields) => log.warn('lost database connection of a bucket, reconnecting', fields),
  });
  return {
    ...remoteCalls<BucketOperations>(bucketRules, (call, signal) => thread.call(call, signal)),
    close: () => thread.close(),
  };
}
