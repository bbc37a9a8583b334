import { formatBytes } from '@weir/core';
import {
  decompressRecordsOffThread,
  OutputLimitExceeded,
  type RecordBatchView,
  RecordCursor,
  recordBatches,
} from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { gatewayLimits } from '../limits.ts';
import type { InflatedMemory } from './inflated-memory.ts';

/** A transaction whose records a committed read leaves out, from its first offset until its marker. */
interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

interface FetchedRecordsOptions {
  /** Records below it belong to a batch that begins before it. */
  readonly fromOffset: bigint;
  /** Null unless only committed records are wanted. */
  readonly aborted: readonly AbortedTransaction[] | null;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
  /** Set to the offset behind each batch that was passed over, also if it has nothing to yield. */
  readonly progress?: { nextOffset: bigint };
  /** Decompressed bytes after which no further batch is begun. */
  readonly bytesMax: number;
  /** Decompressed bytes of one batch. */
  readonly batchBytesMax?: number;
  /** Counts decompressed batches while their records are passed over. */
  readonly inflated?: InflatedMemory | undefined;
}

/** A batch or record that is too large for HTTP. The message is one line, for users. */
export class BatchTooLarge extends Error {
  override name = 'BatchTooLarge';
}

/**
 * Passes over the records of a partition in a Fetch answer, without markers of transactions and, if asked for, without
 * aborted records. The cursor is valid until the next one. Throws `BatchTooLarge`.
 */
export async function* fetchedRecords(
  records: Buffer,
  options: FetchedRecordsOptions,
): AsyncGenerator<RecordCursor, void, undefined> {
  const { fromOffset, aborted, bytesMax, progress } = options;
  const open = new OpenAborts(aborted ?? []);
  let bytes = 0;
  for (const batch of recordBatches(records, { partialTail: 'ignore' })) {
    if (bytes > bytesMax) return;
    const isHidden = (aborted !== null && open.hides(batch)) || batch.isControl;
    if (!isHidden) {
      const { cursor, release } = await cursorOver(batch, options);
      try {
        bytes += cursor.totalBytes;
        // A reader may want the last of millions of small records.
        for (let left: number = wireLimits.walkedRecordsPerTurnMax; cursor.next(); left--) {
          if (left === 0) {
            await options.pause();
            left = wireLimits.walkedRecordsPerTurnMax;
          }
          if (cursor.offset >= fromOffset) yield cursor;
        }
      } finally {
        release();
      }
    }
    if (progress !== undefined) progress.nextOffset = batch.nextOffset;
  }
}

async function cursorOver(
  batch: RecordBatchView,
  { pause, inflated, batchBytesMax = gatewayLimits.httpBatchInflatedBytesMax }: FetchedRecordsOptions,
): Promise<{ readonly cursor: RecordCursor; release(): void }> {
  if (batch.codecId === 0) return { cursor: new RecordCursor(batch, batchBytesMax), release: nothing };
  const inflate = () => decompressRecordsOffThread(batch, batchBytesMax, { pause });
  try {
    const { bytes, release } = inflated
      ? await inflated.inflate(inflate)
      : { bytes: await inflate(), release: nothing };
    return { cursor: new RecordCursor(batch, batchBytesMax, bytes), release };
  } catch (error) {
    if (!(error instanceof OutputLimitExceeded)) throw error;
    const size = formatBytes(batchBytesMax);
    throw new BatchTooLarge(
      `The batch at offset ${batch.baseOffset} has more than ${size} decompressed; read it with a Kafka client.`,
    );
  }
}

function nothing(): void {}

/** Aborted transactions at a place of a log, as a consumer keeps them (KIP-98). */
class OpenAborts {
  readonly #coming: AbortedTransaction[];
  readonly #open = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#coming = aborted.toSorted((a, b) => Number(a.firstOffset - b.firstOffset)).reverse();
  }

  hides(batch: RecordBatchView): boolean {
    for (let next = this.#coming.at(-1); next !== undefined; next = this.#coming.at(-1)) {
      if (next.firstOffset > batch.lastOffset) break;
      this.#open.add(next.producerId);
      this.#coming.pop();
    }
    if (!batch.isTransactional || !this.#open.has(batch.producerId)) return false;
    // The marker ends the transaction, and a later one of the producer may be committed.
    if (batch.isControl) this.#open.delete(batch.producerId);
    return true;
  }
}
