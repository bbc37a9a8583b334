import type { Pointers } from '@weir/cluster';
import { decompressRecordsOffThread, type RecordBatchView, RecordCursor } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import type { ClientInflation, InflatingConnection } from '../inflation/client-inflation.ts';
import { inflatedBytesMax } from '../inflation/inflated-size.ts';
import { brokerLimits } from '../limits.ts';
import type { ReadPath } from './read-path.ts';

export interface FoundRecord {
  readonly offset: number;
  readonly timestamp: bigint;
}

/** Examines records of batches in offset order. */
interface RecordSearch {
  readonly found: FoundRecord | undefined;
  /** Whether a batch may contain a match, by the max timestamp in its header. */
  wants(maxTimestamp: bigint): boolean;
  /** Returns whether the search is over. */
  sees(record: RecordCursor, baseOffset: number): boolean;
  /** Returns whether the search is over after all records of a batch. */
  isOverAfter(baseOffset: number, maxTimestamp: bigint): boolean;
}

interface RecordSearchOptions {
  readonly readPath: Pick<ReadPath, 'searchBatches'>;
  readonly inflation: ClientInflation;
  /** Connection of the client. */
  readonly connection: InflatingConnection;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/**
 * Runs a search through batches. Batches that may inflate to many bytes are decompressed in other threads and iterated
 * in slices, a few batches of the agent at a time and one per connection: the producer decides the inflated size of a
 * batch, and a client that looks up timestamps must not block the agent.
 */
export async function searchRecords(
  pointers: Pointers,
  search: RecordSearch,
  { readPath, inflation, connection, pause }: RecordSearchOptions,
): Promise<void> {
  const budget = inflation.of(connection);
  let fromOffset = Number.NEGATIVE_INFINITY;
  for (;;) {
    const large = await readPath.searchBatches(pointers, (cursor, baseOffset) => {
      const { maxTimestamp, recordCount, isControl } = cursor.header;
      // An empty batch of a compacted log keeps the timestamp of removed records, and a marker is no record.
      if (recordCount === 0 || isControl) return undefined;
      if (baseOffset < fromOffset || !search.wants(maxTimestamp)) return undefined;
      const batch = cursor.batch();
      if (!mayInflateAtOnce(batch)) return { batch, baseOffset };
      const records = new RecordCursor(batch);
      spend(records, batch);
      inflation.turn.spend(records.totalBytes, (run) => void connection.clock.after(0, run));
      return walkAll(records, baseOffset, maxTimestamp) ? 'over' : undefined;
    });
    if (large === undefined || large === 'over') return;
    if (await budget.run(() => walkOffThread(large.batch, large.baseOffset))) return;
    fromOffset = large.baseOffset + 1;
  }

  function mayInflateAtOnce(batch: RecordBatchView): boolean {
    const bytesMax = Math.min(brokerLimits.inflatedAtOnceBytesMax, inflation.turn.bytesLeft);
    return !budget.isSpent && inflatedBytesMax(batch) <= bytesMax;
  }

  function spend({ totalBytes }: RecordCursor, { sizeBytes }: RecordBatchView): void {
    budget.spend(totalBytes, sizeBytes);
  }

  function walkAll(records: RecordCursor, baseOffset: number, maxTimestamp: bigint): boolean {
    while (records.next()) if (search.sees(records, baseOffset)) return true;
    return search.isOverAfter(baseOffset, maxTimestamp);
  }

  async function walkOffThread(batch: RecordBatchView, baseOffset: number): Promise<boolean> {
    // The client has disconnected.
    if (connection.closed.aborted) return true;
    const decompressed = await decompressRecordsOffThread(batch, wireLimits.decompressedBatchBytesMax, {
      pause,
    });
    const records = new RecordCursor(batch, wireLimits.decompressedBatchBytesMax, decompressed);
    spend(records, batch);
    for (let left = wireLimits.walkedRecordsPerTurnMax; records.next(); left--) {
      if (search.sees(records, baseOffset)) return true;
      if (left > 0) continue;
      await pause();
      left = wireLimits.walkedRecordsPerTurnMax;
    }
    return search.isOverAfter(baseOffset, batch.maxTimestamp);
  }
}

/**
 * Finds the first record at or after a timestamp that is not deleted. Only batches that may contain one are
 * decompressed. If all of them are deleted, what is found is the start of the log: reading from there misses nothing.
 */
export class FirstRecord implements RecordSearch {
  found: FoundRecord | undefined;
  readonly #timestamp: bigint;
  readonly #logStartOffset: number;
  /** The batch whose timestamp was that of a deleted record. */
  #deletedIn: number | undefined;

  constructor(timestamp: bigint, logStartOffset = 0) {
    this.#timestamp = timestamp;
    this.#logStartOffset = logStartOffset;
  }

  wants(maxTimestamp: bigint): boolean {
    return maxTimestamp >= this.#timestamp;
  }

  sees({ timestamp, offsetDelta }: RecordCursor, baseOffset: number): boolean {
    if (timestamp < this.#timestamp) return false;
    const offset = baseOffset + offsetDelta;
    if (offset < this.#logStartOffset) {
      this.#deletedIn = baseOffset;
      this.found ??= { offset: this.#logStartOffset, timestamp };
      return false;
    }
    this.found = { offset, timestamp };
    return true;
  }

  /** The max timestamp in the producer's header is higher than that of any record. Reading from here misses nothing. */
  isOverAfter(baseOffset: number, maxTimestamp: bigint): boolean {
    if (this.#deletedIn === baseOffset) return false;
    this.found = { offset: baseOffset, timestamp: maxTimestamp };
    return true;
  }
}

/** Finds the first record that has the latest timestamp. */
export class LatestRecord implements RecordSearch {
  found: FoundRecord | undefined;

  wants(maxTimestamp: bigint): boolean {
    return this.found === undefined || maxTimestamp > this.found.timestamp;
  }

  sees({ timestamp, offsetDelta }: RecordCursor, baseOffset: number): boolean {
    if (this.found === undefined || timestamp > this.found.timestamp) {
      this.found = { offset: baseOffset + offsetDelta, timestamp };
    }
    return false;
  }

  isOverAfter(): boolean {
    return false;
  }
}
