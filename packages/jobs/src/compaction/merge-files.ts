import { type Damage, DamagedRange, isMarker } from '@weir/broker';
import type { Pointers } from '@weir/cluster';
import { fileIdTimeMs, type Random } from '@weir/core';
import { logFileKey, type ObjectStore } from '@weir/storage';
import { jobLimits } from '../limits.ts';
import { CheckedRange } from './checked-range.ts';
import { MergedFiles, type MergedRange, type WrittenFile } from './merged-files.ts';
import type { InputRange } from './window-plan.ts';
import { WindowReader } from './window-reader.ts';

/** Contiguous offsets of one partition that move to new files. */
export interface MergeRun {
  readonly topicId: string;
  readonly partition: number;
  /** In offset order, without a gap, markers included. */
  readonly pointers: Pointers;
}

export interface MergePlan {
  readonly clusterId: string;
  /** The level of the output. */
  readonly level: number;
  /** The number of the bucket that gets the output; the first one if absent. */
  readonly bucket?: number | undefined;
  readonly runs: readonly MergeRun[];
}

interface MergeOptions {
  readonly store: ObjectStore;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Called after every range. */
  readonly progress?: (copiedBytes: number, totalBytes: number) => void;
  /** Yields to other work between ranges, in a thread that has other work. */
  readonly pause?: () => Promise<void>;
  readonly limits?: Partial<MergeLimits>;
}

export interface MergeLimits {
  /** Input in memory. */
  readonly readBytesMax: number;
  /** A file is closed before it is larger. */
  readonly fileBytesMax: number;
  /** Bytes that one pointer covers, unless a single batch is larger. */
  readonly pointerBytesMax: number;
  /** Windows of input that are read, and parts of output that are written, at the same time. */
  readonly requestsMax: number;
  readonly partsInFlightMax: number;
}

/** A range that could not be copied. It stays where it is. */
export interface RefusedRange {
  readonly topicId: string;
  readonly partition: number;
  readonly damage: Damage;
  readonly problem: string;
}

export interface MergeResult {
  readonly files: readonly WrittenFile[];
  readonly ranges: readonly MergedRange[];
  readonly refused: readonly RefusedRange[];
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly requestCount: number;
  readonly inputBytesHeldMax: number;
}

const windowBytesMin = 256 * 1024;
const windowBytesMax = 8 * 1024 * 1024;
/** Reading a few more bytes costs less than another request. */
const gapBytesMax = 256 * 1024;
/** A gigabyte in some seconds at the latencies of an object store. */
const usualRequestsMax = 4;
const usualPartsInFlightMax = 2;

/**
 * Copies the batches of many files into few, sorted by topic, partition and offset. Batches get their offsets and are
 * otherwise copied as they are, after their CRC was checked; ends of transactions become control batches.
 *
 * A damaged range is left out and reported. Any other failure fails the merge, and its files are removed.
 */
export async function mergeFiles(plan: MergePlan, options: MergeOptions): Promise<MergeResult> {
  const { store, random, signal, progress, pause } = options;
  const limits = {
    readBytesMax: jobLimits.mergeReadBytesMax,
    fileBytesMax: jobLimits.mergedFileBytesMax,
    pointerBytesMax: jobLimits.mergedPointerBytesMax,
    requestsMax: usualRequestsMax,
    partsInFlightMax: usualPartsInFlightMax,
    ...options.limits,
  };
  const runs = sorted(plan.runs);
  const inputs = inputRanges(runs);
  const fileIds = new Set(inputs.map(({ fileId }) => fileId));
  const reader = new WindowReader(inputs, {
    store,
    keyOf: (fileId) => logFileKey(plan.clusterId, fileId),
    bytesMax: limits.readBytesMax,
    // One window of each file is in use, and as much again is read ahead.
    windowBytesMax: between(windowBytesMin, limits.readBytesMax / (2 * fileIds.size), windowBytesMax),
    gapBytesMax,
    requestsMax: limits.requestsMax,
    signal,
  });
  const files = new MergedFiles({
    store,
    clusterId: plan.clusterId,
    level: plan.level,
    bucket: plan.bucket,
    newestMs: Math.max(0, ...Array.from(fileIds, fileIdTimeMs)),
    random,
    signal,
    partsInFlightMax: limits.partsInFlightMax,
    fileBytesMax: limits.fileBytesMax,
    pointerBytesMax: limits.pointerBytesMax,
  });
  const refused: RefusedRange[] = [];
  const range = new CheckedRange();
  const totalBytes = inputs.reduce((sum, { byteStart, byteEnd }) => sum + byteEnd - byteStart, 0);
  let copiedBytes = 0;
  let input = 0;
  try {
    for (const { topicId, partition, pointers } of runs) {
      files.beginRun();
      for (let row = 0; row < pointers.fileId.length; row++) {
        signal.throwIfAborted();
        try {
          if (isMarker(pointers, row)) range.takeMarker(pointers, row);
          else {
            // Most bytes are in memory; awaiting them too would take longer than copying a small range.
            const reading = reader.read(input++);
            range.check(pointers, row, reading instanceof Promise ? await reading : reading);
          }
          const appending = files.append(topicId, partition, range);
          if (appending !== undefined) await appending;
        } catch (error) {
          if (!(error instanceof DamagedRange)) throw error;
          refused.push({ topicId, partition, damage: error.damage, problem: error.message });
        }
        copiedBytes += pointers.byteLength[row]!;
        progress?.(Math.min(copiedBytes, totalBytes), totalBytes);
        if (pause !== undefined) await pause();
      }
    }
    const { written, ranges } = await files.finish();
    return {
      files: written,
      ranges,
      refused,
      bytesRead: reader.bytesRead,
      bytesWritten: written.reduce((sum, { fileBytes }) => sum + fileBytes, 0),
      requestCount: reader.requestCount,
      inputBytesHeldMax: reader.bytesHeldMax,
    };
  } catch (error) {
    await files.discard();
    throw error;
  }
}

/** In the order of the output: topic ids by their bytes, partitions, offsets. */
function sorted(runs: readonly MergeRun[]): MergeRun[] {
  const topicIds = new Map(runs.map(({ topicId }) => [topicId, Buffer.from(topicId, 'base64url')]));
  return runs
    .filter(({ pointers }) => pointers.fileId.length > 0)
    .sort(
      (a, b) =>
        topicIds.get(a.topicId)!.compare(topicIds.get(b.topicId)!) ||
        a.partition - b.partition ||
        a.pointers.baseOffset[0]! - b.pointers.baseOffset[0]!,
    );
}

function inputRanges(runs: readonly MergeRun[]): InputRange[] {
  const ranges: InputRange[] = [];
  for (const { pointers } of runs) {
    for (const [row, fileId] of pointers.fileId.entries()) {
      if (isMarker(pointers, row)) continue;
      const byteStart = pointers.byteStart[row]!;
      ranges.push({ fileId, byteStart, byteEnd: byteStart + pointers.byteLength[row]! });
    }
  }
  return ranges;
}

function between(min: number, value: number, max: number): number {
  return Math.max(min, Math.min(max, value));
}
