import type { Random } from '@weir/core';
import { CompactedFileWriter, compactedFileId, logFileKey, type ObjectStore } from '@weir/storage';

interface MergedFilesOptions {
  readonly store: ObjectStore;
  readonly clusterId: string;
  readonly level: number;
  /** The number of the bucket; the first one if absent. */
  readonly bucket?: number | undefined;
  /** The time of the newest input. */
  readonly newestMs: number;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly partsInFlightMax: number;
  readonly fileBytesMax: number;
  readonly pointerBytesMax: number;
}

export interface WrittenFile {
  readonly fileId: string;
  readonly fileBytes: number;
}

/** Batches of contiguous offsets that are written, as columns. There may be gaps between them. */
export interface RangeToWrite {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly batchCount: number;
  readonly byteLength: number;
  /** Where batches begin, their base offsets, and the offsets after them. */
  readonly starts: ArrayLike<number>;
  readonly baseOffsets: ArrayLike<number>;
  readonly nextOffsets: ArrayLike<number>;
  readonly recordCounts: ArrayLike<number>;
  /** -1 for batches that searches by time pass. */
  readonly maxTimestampsMs: ArrayLike<number>;
  /** Where a batch ends. */
  endOf(batch: number): number;
  /** Copies the batches to `target`, with their offsets in their headers. */
  copyTo(target: Buffer): void;
}

/** A pointer into a new file. */
interface MergedPointer {
  readonly fileId: string;
  readonly byteStart: number;
  byteLength: number;
  readonly baseOffset: number;
  nextOffset: number;
  maxTimestampMs: number;
}

/** Contiguous offsets of a partition that were copied, with the pointers that cover them. */
export interface MergedRange {
  readonly topicId: string;
  readonly partition: number;
  readonly baseOffset: number;
  nextOffset: number;
  readonly pointers: MergedPointer[];
}

/** The output of a merge: writes ranges, given in order, and keeps the pointers to them. */
export class MergedFiles {
  readonly #options: MergedFilesOptions;
  readonly #written: WrittenFile[] = [];
  readonly #ranges: MergedRange[] = [];
  #fileCount = 0;
  #isNewRun = false;
  #writer: CompactedFileWriter | undefined;
  #scratch = Buffer.alloc(0);

  constructor(options: MergedFilesOptions) {
    this.#options = options;
  }

  /** What follows is a range of its own, although it may continue the last one. */
  beginRun(): void {
    this.#isNewRun = true;
  }

  /** Copies a range. Returns a promise if it must wait for the store; until then the range must not change. */
  append(topicId: string, partition: number, range: RangeToWrite): Promise<void> | undefined {
    if (this.#scratch.length < range.byteLength) this.#scratch = Buffer.allocUnsafeSlow(range.byteLength);
    range.copyTo(this.#scratch);
    return this.#appendFrom(0, this.#rangeAt(topicId, partition, range.baseOffset), range);
  }

  #appendFrom(from: number, merged: MergedRange, range: RangeToWrite): Promise<void> | undefined {
    for (let first = from; first < range.batchCount; ) {
      const writer = this.#writer;
      const batchBytes = range.endOf(first) - range.starts[first]!;
      const isFull = writer?.isEmpty === false && writer.bytes + batchBytes > this.#options.fileBytesMax;
      if (writer === undefined || isFull)
        return this.#nextFile().then(() => this.#appendFrom(first, merged, range));
      const { next, writing } = this.#appendBatches(writer, merged, range, first);
      if (writing !== undefined) return writing.then(() => this.#appendFrom(next, merged, range));
      first = next;
    }
    merged.nextOffset = range.nextOffset;
    return undefined;
  }

  async finish(): Promise<{
    readonly written: readonly WrittenFile[];
    readonly ranges: readonly MergedRange[];
  }> {
    await this.#finishFile();
    return { written: this.#written, ranges: this.#ranges };
  }

  /** Removes everything that was written. What cannot be removed is an orphan, which the scanner finds. */
  async discard(): Promise<void> {
    const { store, clusterId } = this.#options;
    await this.#writer?.abort();
    this.#writer = undefined;
    for (const { fileId } of this.#written)
      await store.delete(logFileKey(clusterId, fileId)).catch(() => undefined);
  }

  /** Writes as many batches as fit into one pointer and the file, from `first` on. */
  #appendBatches(
    writer: CompactedFileWriter,
    merged: MergedRange,
    range: RangeToWrite,
    first: number,
  ): { readonly next: number; readonly writing: Promise<void> | undefined } {
    const { pointerBytesMax, fileBytesMax } = this.#options;
    const start = range.starts[first]!;
    let pointer = merged.pointers.at(-1);
    const room =
      pointer?.fileId === writer.fileId ? pointerBytesMax - pointer.byteLength : Number.NEGATIVE_INFINITY;
    if (pointer === undefined || range.endOf(first) - start > room) {
      pointer = {
        fileId: writer.fileId,
        byteStart: writer.bytes,
        byteLength: 0,
        baseOffset: pointer?.nextOffset ?? merged.baseOffset,
        nextOffset: range.baseOffsets[first]!,
        maxTimestampMs: -1,
      };
      merged.pointers.push(pointer);
    }
    const bytesMax = Math.min(pointerBytesMax - pointer.byteLength, fileBytesMax - writer.bytes);
    let recordCount = 0;
    let next = first;
    while (next < range.batchCount && (next === first || range.endOf(next) - start <= bytesMax)) {
      recordCount += range.recordCounts[next]!;
      pointer.maxTimestampMs = Math.max(pointer.maxTimestampMs, range.maxTimestampsMs[next]!);
      next++;
    }
    const end = range.endOf(next - 1);
    pointer.byteLength += end - start;
    pointer.nextOffset = range.nextOffsets[next - 1]!;
    const writing = writer.append({
      topicId: merged.topicId,
      partition: merged.partition,
      bytes: this.#scratch.subarray(start, end),
      batchCount: next - first,
      recordCount,
      baseOffset: range.baseOffsets[first]!,
      nextOffset: pointer.nextOffset,
    });
    return { next, writing };
  }

  /** Returns the last range if this offset continues it, else a new one. */
  #rangeAt(topicId: string, partition: number, baseOffset: number): MergedRange {
    const last = this.#ranges.at(-1);
    const isContinued =
      last?.topicId === topicId && last.partition === partition && last.nextOffset === baseOffset;
    if (isContinued && !this.#isNewRun) return last;
    this.#isNewRun = false;
    const range = { topicId, partition, baseOffset, nextOffset: baseOffset, pointers: [] };
    this.#ranges.push(range);
    return range;
  }

  async #nextFile(): Promise<void> {
    const { store, clusterId, level, bucket, newestMs, random, signal, partsInFlightMax } = this.#options;
    await this.#finishFile();
    const fileId = compactedFileId(level, newestMs, this.#fileCount++, random, bucket);
    this.#writer = await CompactedFileWriter.begin(store, { clusterId, fileId, partsInFlightMax, signal });
  }

  async #finishFile(): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const fileBytes = await writer.finish();
    this.#writer = undefined;
    this.#written.push({ fileId: writer.fileId, fileBytes });
  }
}
