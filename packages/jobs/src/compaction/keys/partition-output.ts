import { leaderEpoch } from '@weir/broker';
import { RecordBatchView, rewritePosition } from '@weir/wire';
import type { MergedFiles, RangeToWrite } from '../merged-files.ts';
import { emptiedBatch, type FilteredBatch, isAbortMarker } from './filter-batch.ts';

/** A batch of a partition, found intact. */
export interface ReadBatch {
  readonly batch: RecordBatchView;
  readonly baseOffset: number;
  readonly nextOffset: number;
  /** -1 for batches without records, and for markers: searches by time pass them. */
  readonly maxTimestampMs: number;
}

const noTimestampMs = -1;

/**
 * Writes what is left of a partition. Pointers cover all offsets, so that the last batch before the end of a range
 * stays even if it has no records any more.
 */
export class PartitionOutput {
  readonly droppedAborts: number[] = [];
  recordsRead = 0;
  recordsKept = 0;
  bytesBefore = 0;
  bytesAfter = 0;
  readonly #files: MergedFiles;
  readonly #topicId: string;
  readonly #partition: number;
  #row = new KeptBatches(0, 0);
  /** The last batch, if it was removed. */
  #removed: ReadBatch | undefined;

  constructor(files: MergedFiles, topicId: string, partition: number) {
    this.#files = files;
    this.#topicId = topicId;
    this.#partition = partition;
  }

  /** Begins a stored range. */
  begin(baseOffset: number, nextOffset: number): void {
    this.#row = new KeptBatches(baseOffset, nextOffset);
  }

  take(read: ReadBatch, filtered: FilteredBatch): void {
    const { batch, baseOffset } = read;
    const { isControl } = batch;
    this.bytesBefore += batch.sizeBytes;
    if (!isControl) this.recordsRead += batch.recordCount;
    if (filtered.kind === 'removed') {
      if (isControl && isAbortMarker(batch)) this.droppedAborts.push(baseOffset);
      this.#removed = read;
      return;
    }
    this.#removed = undefined;
    const { kind, recordCount } = filtered;
    if (!isControl) this.recordsKept += recordCount;
    if (kind === 'kept') this.#add({ ...read, bytes: batch.bytes, recordCount });
    else {
      const { bytes } = filtered;
      const maxTimestampMs = isControl ? noTimestampMs : Number(new RecordBatchView(bytes).maxTimestamp);
      this.#add({ ...read, bytes, recordCount, maxTimestampMs });
    }
  }

  /** Writes what was taken since `begin`. */
  async write(): Promise<void> {
    await this.#files.append(this.#topicId, this.#partition, this.#row);
  }

  /** What follows is no longer part of the range: the end of the work, or a damaged row. */
  async endRange(): Promise<void> {
    const removed = this.#removed;
    if (removed === undefined) return;
    this.#removed = undefined;
    const { nextOffset } = removed;
    this.begin(nextOffset, nextOffset);
    this.#add({
      ...removed,
      bytes: emptiedBatch(removed.batch),
      recordCount: 0,
      maxTimestampMs: noTimestampMs,
    });
    await this.write();
  }

  #add(batch: KeptBatch): void {
    this.bytesAfter += batch.bytes.length;
    this.#row.add(batch);
  }
}

interface KeptBatch extends Omit<ReadBatch, 'batch'> {
  readonly bytes: Buffer;
  readonly recordCount: number;
}

/** What is left of the batches of one stored range. */
class KeptBatches implements RangeToWrite {
  readonly baseOffset: number;
  readonly nextOffset: number;
  byteLength = 0;
  readonly starts: number[] = [];
  readonly baseOffsets: number[] = [];
  readonly nextOffsets: number[] = [];
  readonly recordCounts: number[] = [];
  readonly maxTimestampsMs: number[] = [];
  readonly #bytes: Buffer[] = [];

  constructor(baseOffset: number, nextOffset: number) {
    this.baseOffset = baseOffset;
    this.nextOffset = nextOffset;
  }

  get batchCount(): number {
    return this.#bytes.length;
  }

  add({ bytes, baseOffset, nextOffset, recordCount, maxTimestampMs }: KeptBatch): void {
    this.starts.push(this.byteLength);
    this.byteLength += bytes.length;
    this.#bytes.push(bytes);
    this.baseOffsets.push(baseOffset);
    this.nextOffsets.push(nextOffset);
    this.recordCounts.push(recordCount);
    this.maxTimestampsMs.push(maxTimestampMs);
  }

  endOf(batch: number): number {
    return batch + 1 < this.batchCount ? this.starts[batch + 1]! : this.byteLength;
  }

  copyTo(target: Buffer): void {
    for (const [index, bytes] of this.#bytes.entries()) {
      const copy = target.subarray(this.starts[index]!);
      bytes.copy(copy);
      rewritePosition(copy, BigInt(this.baseOffsets[index]!), leaderEpoch);
    }
  }
}
