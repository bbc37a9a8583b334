import { DamagedRange, isMarker, RangeWalk } from '@weir/broker';
import type { AbortedTransactions, Pointers } from '@weir/cluster';
import { fileIdTimeMs, type Random } from '@weir/core';
import { logFileKey, type ObjectStore } from '@weir/storage';
import { DecodeError, RecordBatchView, RecordCursor } from '@weir/wire';
import { wireLimits } from '@weir/wire/limits';
import { jobLimits } from '../../limits.ts';
import { CheckedRange } from '../checked-range.ts';
import type { MergeLimits, MergeResult, RefusedRange } from '../merge-files.ts';
import { MergedFiles } from '../merged-files.ts';
import type { InputRange } from '../window-plan.ts';
import { WindowReader } from '../window-reader.ts';
import { type FilterRules, filterBatch } from './filter-batch.ts';
import { OffsetMap } from './offset-map.ts';
import { PartitionOutput, type ReadBatch } from './partition-output.ts';
import { TransactionTracker } from './transaction-tracker.ts';

/** A partition whose keys are compacted: its log from the start on. */
export interface KeyRun {
  readonly topicId: string;
  readonly partition: number;
  /** In offset order, without a gap, markers included. */
  readonly pointers: Pointers;
  /** Records before it were compacted with each other. */
  readonly dirtyOffset: number;
  readonly deleteRetentionMs: number;
  readonly aborted: AbortedTransactions;
}

export interface KeyPlan {
  readonly clusterId: string;
  /** The level of the output. */
  readonly level: number;
  /** The number of the bucket that gets the output; the first one if absent. */
  readonly bucket?: number | undefined;
  /** The time by which tombstones expire: that of the leader, when it made the plan. */
  readonly nowMs: number;
  readonly runs: readonly KeyRun[];
}

export interface KeyLimits extends MergeLimits {
  /** Memory for the keys of the dirty part of a partition. When it is used up, the rest waits for the next job. */
  readonly mapBytesMax: number;
  /** Bytes of batches that are processed between two pauses. */
  readonly pauseBytes: number;
}

interface KeyOptions {
  readonly store: ObjectStore;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly progress?: (doneBytes: number, totalBytes: number) => void;
  /** Yields to other work, in a thread that has other work. */
  readonly pause?: () => Promise<void>;
  readonly limits?: Partial<KeyLimits>;
}

/** What became of a partition. */
interface CompactedRun {
  readonly topicId: string;
  readonly partition: number;
  /** Records before it are compacted with each other now. */
  readonly cleanOffset: number;
  /** Offsets of the markers of aborted transactions that were removed. */
  readonly droppedAborts: readonly number[];
  readonly recordsRead: number;
  readonly recordsKept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

export interface KeyResult
  extends Pick<MergeResult, 'files' | 'ranges' | 'refused' | 'bytesRead' | 'bytesWritten'> {
  readonly compacted: readonly CompactedRun[];
}

const windowBytesMax = 8 * 1024 * 1024;
const gapBytesMax = 256 * 1024;
const usualRequestsMax = 4;
const usualPartsInFlightMax = 2;
const usualPauseBytes = 256 * 1024;

/**
 * Compacts the keys of partitions, one after the other: of the records with one key, only the last stays. As in Apache
 * Kafka, the part of the log that is not compacted yet is read first, to learn the latest offset of each of its keys;
 * then the log is copied from its start on, without the records that are not the latest. Memory is bounded, whatever
 * the number of keys and the size of the log.
 *
 * A damaged range stays where it is and is reported. Behind it no tombstone and no marker expires, because what it is
 * about may lie in the range. Any other failure fails the compaction, and its files are removed.
 */
export async function compactKeys(plan: KeyPlan, options: KeyOptions): Promise<KeyResult> {
  const { store, random, signal } = options;
  const limits: KeyLimits = {
    readBytesMax: jobLimits.mergeReadBytesMax,
    fileBytesMax: jobLimits.mergedFileBytesMax,
    pointerBytesMax: jobLimits.mergedPointerBytesMax,
    mapBytesMax: jobLimits.keyMapBytesMax,
    requestsMax: usualRequestsMax,
    partsInFlightMax: usualPartsInFlightMax,
    pauseBytes: usualPauseBytes,
    ...options.limits,
  };
  const runs = sorted(plan.runs);
  const fileIds = runs.flatMap(({ pointers }) => pointers.fileId.filter((fileId) => fileId !== ''));
  const files = new MergedFiles({
    store,
    clusterId: plan.clusterId,
    level: plan.level,
    bucket: plan.bucket,
    newestMs: fileIds.reduce((newestMs, fileId) => Math.max(newestMs, fileIdTimeMs(fileId)), 0),
    random,
    signal,
    partsInFlightMax: limits.partsInFlightMax,
    fileBytesMax: limits.fileBytesMax,
    pointerBytesMax: limits.pointerBytesMax,
  });
  const work = new KeyWork(plan, options, limits, files);
  try {
    const compacted: CompactedRun[] = [];
    for (const run of runs) {
      const done = await work.compact(run);
      if (done !== undefined) compacted.push(done);
    }
    const { written, ranges: allRanges } = await files.finish();
    // A partition may have failed after some of it was written.
    const places = new Set(compacted.map(placeOf));
    const ranges = allRanges.filter((range) => places.has(placeOf(range)));
    if (ranges.length === 0) await files.discard();
    return {
      files: ranges.length === 0 ? [] : written,
      ranges,
      refused: work.refused,
      bytesRead: work.bytesRead,
      bytesWritten: written.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
      compacted,
    };
  } catch (error) {
    await files.discard();
    throw error;
  }
}

/** A stored range with its batches, or with what is wrong with it. */
interface ReadRow {
  readonly row: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly batches: readonly ReadBatch[];
  readonly damaged?: DamagedRange;
}

/** The work on one partition after the other. */
class KeyWork {
  readonly #plan: KeyPlan;
  readonly #options: KeyOptions;
  readonly #limits: KeyLimits;
  readonly #files: MergedFiles;
  readonly #range = new CheckedRange();
  readonly #totalBytes: number;
  readonly refused: RefusedRange[] = [];
  bytesRead = 0;
  #doneBytes = 0;
  #sincePauseBytes = 0;

  constructor(plan: KeyPlan, options: KeyOptions, limits: KeyLimits, files: MergedFiles) {
    this.#plan = plan;
    this.#options = options;
    this.#limits = limits;
    this.#files = files;
    this.#totalBytes = plan.runs.reduce(
      (sum, run) => sum + bytesFrom(run, 0) + bytesFrom(run, dirtyRow(run)),
      0,
    );
  }

  /** Returns `undefined` for a partition with a batch whose records cannot be read; it stays as it is. */
  async compact(run: KeyRun): Promise<CompactedRun | undefined> {
    const { topicId, partition, deleteRetentionMs } = run;
    try {
      const known = await this.#learnKeys(run);
      return await this.#copy(run, { ...known, nowMs: this.#plan.nowMs, deleteRetentionMs });
    } catch (error) {
      if (!(error instanceof DamagedRange)) throw error;
      this.refused.push({ topicId, partition, damage: error.damage, problem: error.message });
      return undefined;
    }
  }

  /** Reads the dirty part of the log, as far as the map has room. */
  async #learnKeys(run: KeyRun): Promise<Pick<FilterRules, 'latest' | 'cleanOffset'>> {
    const { pointers, dirtyOffset } = run;
    const endOffset = pointers.nextOffset.at(-1)!;
    const latest = new OffsetMap(this.#limits.mapBytesMax, endOffset - dirtyOffset);
    const transactions = new TransactionTracker(run.aborted);
    for await (const { row, batches } of this.#rows(run, dirtyRow(run), pointers.fileId.length)) {
      // A damaged row has no batches; it is reported when the log is copied.
      for (const { batch, baseOffset, nextOffset } of batches) {
        const pausing = this.#pauseAfter(batch.sizeBytes);
        if (pausing !== undefined) await pausing;
        const fullAt = readable(pointers, row, () => {
          if (batch.isControl) transactions.isEndOfNothing(batch, nextOffset - 1);
          else if (!transactions.isAborted(batch, nextOffset - 1))
            return putKeys(batch, baseOffset, dirtyOffset, latest);
          return undefined;
        });
        if (fullAt !== undefined) return { latest, cleanOffset: fullAt };
      }
    }
    return { latest, cleanOffset: endOffset };
  }

  /** Copies what is left of the log, up to the end of the last range whose keys are known. */
  async #copy(run: KeyRun, rules: FilterRules): Promise<CompactedRun> {
    const { topicId, partition, pointers } = run;
    const transactions = new TransactionTracker(run.aborted);
    const output = new PartitionOutput(this.#files, topicId, partition);
    const endRow = pointers.nextOffset.findIndex((nextOffset) => nextOffset >= rules.cleanOffset) + 1;
    let mayExpire = true;
    for await (const { row, baseOffset, nextOffset, batches, damaged } of this.#rows(run, 0, endRow)) {
      if (damaged !== undefined) {
        mayExpire = false;
        this.refused.push({ topicId, partition, damage: damaged.damage, problem: damaged.message });
        await output.endRange();
        continue;
      }
      output.begin(baseOffset, nextOffset);
      for (const read of batches) {
        const pausing = this.#pauseAfter(read.batch.sizeBytes);
        if (pausing !== undefined) await pausing;
        readable(pointers, row, () => {
          const { batch } = read;
          const lastOffset = read.nextOffset - 1;
          const isDiscardable = batch.isControl
            ? transactions.isEndOfNothing(batch, lastOffset)
            : transactions.isAborted(batch, lastOffset);
          const context = { baseOffset: read.baseOffset, isDiscardable, mayExpire };
          output.take(read, filterBatch(batch, context, rules));
        });
      }
      await output.write();
    }
    await output.endRange();
    const { droppedAborts, recordsRead, recordsKept, bytesBefore, bytesAfter } = output;
    return {
      topicId,
      partition,
      cleanOffset: rules.cleanOffset,
      droppedAborts,
      recordsRead,
      recordsKept,
      bytesBefore,
      bytesAfter,
    };
  }

  async *#rows({ pointers }: KeyRun, first: number, end: number): AsyncGenerator<ReadRow> {
    const { signal, progress } = this.#options;
    const reader = this.#reader(pointers, first, end);
    let input = 0;
    for (let row = first; row < end; row++) {
      signal.throwIfAborted();
      const place = { row, baseOffset: pointers.baseOffset[row]!, nextOffset: pointers.nextOffset[row]! };
      let damaged: DamagedRange | undefined;
      try {
        if (isMarker(pointers, row)) this.#range.takeMarker(pointers, row);
        else this.#range.check(pointers, row, await reader.read(input++));
      } catch (error) {
        if (!(error instanceof DamagedRange)) throw error;
        damaged = error;
      }
      yield damaged === undefined
        ? { ...place, batches: batchesOf(this.#range) }
        : { ...place, batches: [], damaged };
      this.#doneBytes += pointers.byteLength[row]!;
      progress?.(Math.min(this.#doneBytes, this.#totalBytes), this.#totalBytes);
    }
    this.bytesRead += reader.bytesRead;
  }

  #reader(pointers: Pointers, first: number, end: number): WindowReader {
    const { store, signal } = this.#options;
    const { readBytesMax, requestsMax } = this.#limits;
    const inputs: InputRange[] = [];
    for (let row = first; row < end; row++) {
      if (isMarker(pointers, row)) continue;
      const byteStart = pointers.byteStart[row]!;
      const byteEnd = byteStart + pointers.byteLength[row]!;
      inputs.push({ fileId: pointers.fileId[row]!, byteStart, byteEnd });
    }
    return new WindowReader(inputs, {
      store,
      keyOf: (fileId) => logFileKey(this.#plan.clusterId, fileId),
      bytesMax: readBytesMax,
      // The ranges of a partition lie one after the other in a file, and its files are read one after the other.
      windowBytesMax: Math.min(windowBytesMax, readBytesMax / 2),
      gapBytesMax,
      requestsMax,
      signal,
    });
  }

  /** Returns a promise when it is time for other work. */
  #pauseAfter(bytes: number): Promise<void> | undefined {
    this.#sincePauseBytes += bytes;
    if (this.#sincePauseBytes < this.#limits.pauseBytes) return undefined;
    this.#sincePauseBytes = 0;
    return this.#options.pause?.();
  }
}

/** Reads records. A batch that matches its CRC and cannot be read makes the partition stay as it is. */
function readable<T>(pointers: Pointers, row: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
    throw new RangeWalk(pointers, row).damaged('corrupt', error.message, { cause: error });
  }
}

/** Puts the keys of a batch into the map. Returns the offset of the first record for which there was no room. */
function putKeys(
  batch: RecordBatchView,
  baseOffset: number,
  fromOffset: number,
  latest: OffsetMap,
): number | undefined {
  const cursor = new RecordCursor(batch, wireLimits.decompressedBatchBytesMax);
  while (cursor.next()) {
    const { key } = cursor;
    const offset = baseOffset + cursor.offsetDelta;
    if (key !== null && offset >= fromOffset && !latest.put(key, offset)) return offset;
  }
  return undefined;
}

function batchesOf(range: CheckedRange): ReadBatch[] {
  return Array.from({ length: range.batchCount }, (_, index) => ({
    batch: new RecordBatchView(range.bytes.subarray(range.starts[index]!, range.endOf(index))),
    baseOffset: range.baseOffsets[index]!,
    nextOffset: range.nextOffsets[index]!,
    maxTimestampMs: range.maxTimestampsMs[index]!,
  }));
}

/** The row with the first record that is not compacted. */
function dirtyRow({ pointers, dirtyOffset }: KeyRun): number {
  const row = pointers.nextOffset.findIndex((nextOffset) => nextOffset > dirtyOffset);
  return row < 0 ? pointers.fileId.length : row;
}

function bytesFrom({ pointers }: KeyRun, row: number): number {
  return pointers.byteLength.subarray(row).reduce((sum, bytes) => sum + bytes, 0);
}

function placeOf({ topicId, partition }: Pick<KeyRun, 'topicId' | 'partition'>): string {
  return `${partition} ${topicId}`;
}

/** In the order of the output: topic ids by their bytes, and partitions. */
function sorted(runs: readonly KeyRun[]): KeyRun[] {
  const topicIds = new Map(runs.map(({ topicId }) => [topicId, Buffer.from(topicId, 'base64url')]));
  return [...runs].sort(
    (a, b) => topicIds.get(a.topicId)!.compare(topicIds.get(b.topicId)!) || a.partition - b.partition,
  );
}
