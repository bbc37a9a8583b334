import { remoteCalls } from '@weir/sql/database-thread';
import { unlessAborted } from '../store/abort.ts';
import { type BucketOperations, type BucketTables, bucketRules } from './bucket-tables.ts';
import { BucketThread } from './bucket-thread.ts';
import type { SqlitePlace } from './sql-url.ts';

/** Calls that one thread has, and that share a commit if they write. */
const callsMax = 16;

interface SqliteTables extends BucketTables {
  /** Opens the file, as the first call does otherwise. After a failure the next call tries again. */
  open(): Promise<unknown>;
}

/**
 * The tables of a bucket in a SQLite file. One thread writes and one reads, so that a read does not wait for a commit.
 * Processes on one machine may share the file.
 */
export function sqliteTables(place: SqlitePlace): SqliteTables {
  const worker = new URL(import.meta.resolve('./sqlite-worker.ts'));
  const options = { worker, workerData: place, subject: place.path, callsMax };
  const writing = new BucketThread(options);
  const reading = new BucketThread(options);
  let opened: Promise<unknown> | undefined;

  function open(): Promise<unknown> {
    opened ??= writing
      .call({ method: 'open', args: [null], moved: [] })
      .then((fileNumber) => reading.call({ method: 'open', args: [fileNumber], moved: [] }))
      .catch((error) => {
        opened = undefined;
        throw error;
      });
    return opened;
  }

  return {
    ...remoteCalls<BucketOperations>(bucketRules, async (call, signal) => {
      await unlessAborted(open(), signal);
      return await (bucketRules[call.method].reads ? reading : writing).call(call, signal);
    }),
    open,
    async close() {
      await Promise.all([writing.close(), reading.close()]);
    },
  };
}
