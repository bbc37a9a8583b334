import type { Pointers } from '@weir/cluster';
import { decompressRecordsOffThread, type RecordBatchView, RecordCursor } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { inflatedBytesMax } from '../inflation/inflated-size.ts';
import { agentLimits } from '../limits.ts';
import type { ClientInflation, InflatingConnection } from '../write-path/client-inflation.ts';
import type { ReadPath } from './read-path.ts';

export interface FoundRecord {
  readonly offset: number;
  readonly timestamp: bigint;
}

/** Looks at records of batches, in the order of their offsets. */
interface RecordSearch {
  readonly found: FoundRecord | undefined;
  /** Whether a batch may hold what is looked for, by the latest time in its header. */
  wants(maxTimestamp: bigint): boolean;
  /** Says whether the search is over. */
  sees(record: RecordCursor, baseOffset: number): boolean;
  /** The same when all records of a batch were seen. */
  isOverAfter(baseOffset: number, maxTimestamp: bigint): boolean;
}

interface RecordSearchOptions {
  readonly readPath: Pick<ReadPath, 'searchBatches'>;
  readonly inflation: ClientInflation;
  /** Of the client that asks. */
  readonly connection: InflatingConnection;
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
}

/**
 * Runs a search through batches. What may inflate to much is decompressed in other threads and walked in slices, few batches of the agent at a
 * time and one of a connection: a producer decides what a batch inflates to, and a client that asks for times must not stop the agent by it.
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
      const { maxTimestamp } = cursor.header;
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
    const bytesMax = Math.min(agentLimits.inflatedAtOnceBytesMax, inflation.turn.bytesLeft);
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
    // Nobody waits for the answer any more.
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

/** Looks for the first record at or after a time. Only batches that can hold one are decompressed. */
export class FirstRecord implements RecordSearch {
  found: FoundRecord | undefined;
  readonly #timestamp: bigint;

  constructor(timestamp: bigint) {
    this.#timestamp = timestamp;
  }

  wants(maxTimestamp: bigint): boolean {
    return maxTimestamp >= this.#timestamp;
  }

  sees({ timestamp, offsetDelta }: RecordCursor, baseOffset: number): boolean {
    if (timestamp < this.#timestamp) return false;
    this.found = { offset: baseOffset + offsetDelta, timestamp };
    return true;
  }

  /** The producer's header promised more than its records hold. Reading from here misses nothing. */
  isOverAfter(baseOffset: number, maxTimestamp: bigint): boolean {
    this.found = { offset: baseOffset, timestamp: maxTimestamp };
    return true;
  }
}

/** Looks for the first record that has the latest time. */
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
