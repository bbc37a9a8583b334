import {
  fileBucketMax,
  fileIdBucket,
  fileIdLevelMax,
  fileIdOf,
  fileOriginOf,
  isFileReference,
  isFileSequence,
  namesBucketBit,
  type Random,
} from '@weir/core';

/**
 * File ids: 32 hex digits that sort by time.
 *
 *     0            12      13      17       19       32
 *     ├────────────┼───────┼───────┼────────┼────────┤
 *     │ ms of 1970 │ level │ count │ random          │     48 + 4 + 16 + 60 bits; files of bucket 0
 *     │ ms of 1970 │ 8 + … │ count │ bucket │ random │     48 + 4 + 16 + 8 + 52 bits; files of another bucket
 *     └────────────┴───────┴───────┴────────┴────────┘
 *
 * The count distinguishes the files of one millisecond and preserves their order; a random part distinguishes agents.
 * The level is 0 for files of the write path and higher for compacted ones; its highest bit says that the id names the
 * bucket of the file (ADR 0048). `fileIdTimeMs`, `fileIdLevel` and `fileIdBucket` of `@weir/core` read an id.
 *
 * The files of a sequence (ADR 0202) have the same last 13 digits instead of random ones, and so lie in one folder.
 */
const countLimit = 2 ** 16;
const timeLimit = 2 ** 48;
const rangeLimit = 2 ** 16;

interface Last {
  timeMs: number;
  count: number;
  bucket: number;
  /** Digits of the range of ids that is in use, and how many of it are used up. */
  range: string;
  rangeUsed: number;
}

interface FileIdOptions {
  /**
   * Whether the random part is taken out of a range of 65,536 that is drawn at once, instead of being drawn for each
   * id. The last digits, which spread keys over the store's partitions, then have all values equally often.
   */
  readonly usesRanges?: boolean | undefined;
  /** The sequence of the file, for a file that is acknowledged before its commit. */
  readonly sequence?: string | undefined;
}

/** By random source: an agent has one, so that two simulated clusters in a process are independent. */
const lastOf = new WeakMap<Random, Last>();

/**
 * Returns an id of a file of a bucket. It is greater than every earlier one of this `random`, even if the clock goes
 * backwards.
 */
export function newFileId(
  nowMs: number,
  random: Random,
  bucket = 0,
  { usesRanges = false, sequence }: FileIdOptions = {},
): string {
  let last = lastOf.get(random);
  if (last === undefined) {
    last = { timeMs: -1, count: 0, bucket, range: '', rangeUsed: rangeLimit };
    lastOf.set(random, last);
  }
  let timeMs = Math.floor(nowMs);
  let count = 0;
  if (timeMs <= last.timeMs) {
    timeMs = last.timeMs;
    count = last.count + 1;
    // Ids of another bucket may sort before those of this one in the same millisecond.
    if (count === countLimit || bucket !== last.bucket) {
      timeMs++;
      count = 0;
    }
  }
  if (!(timeMs >= 0 && timeMs < timeLimit)) throw new RangeError(`${nowMs} ms is not a time for a file id`);
  last.timeMs = timeMs;
  last.count = count;
  last.bucket = bucket;
  if (sequence !== undefined) {
    if (!isFileSequence(sequence))
      throw new RangeError(`${JSON.stringify(sequence)} is not a sequence of files`);
    return fileId(timeMs, 0, count, bucket, `00${sequence}`);
  }
  return fileId(timeMs, 0, count, bucket, usesRanges ? nextOfRange(last, random) : drawn(random));
}

/** Where the files of a sequence lie, among others: keys with this prefix, behind `startAfter`. */
export function sequencePlace(
  clusterId: string,
  sequence: string,
  fromMs: number,
): { readonly prefix: string; readonly startAfter: string } {
  const prefix = `${clusterPrefix(clusterId)}${sequence.slice(-2)}/`;
  return { prefix, startAfter: `${prefix}${hex(fromMs, 12)}` };
}

function nextOfRange(last: Last, random: Random): string {
  if (last.rangeUsed === rangeLimit) {
    last.range = drawn(random).slice(4);
    last.rangeUsed = 0;
  }
  return last.range + hex(last.rangeUsed++, 4);
}

/**
 * Returns the id of a file that a compaction writes. `newestMs` is the time of its newest input; `count` orders the
 * files of one compaction.
 */
export function compactedFileId(
  level: number,
  newestMs: number,
  count: number,
  random: Random,
  bucket = 0,
): string {
  if (!(Number.isInteger(level) && level >= 1 && level <= fileIdLevelMax))
    throw new RangeError(`${level} is not a level of a compacted file`);
  if (!(newestMs >= 0 && newestMs < timeLimit && count >= 0 && count < countLimit))
    throw new RangeError(`${newestMs} ms and count ${count} make no file id`);
  return fileId(newestMs, level, count, bucket, drawn(random));
}

export function isFileId(text: string): boolean {
  return /^[\da-f]{32}$/.test(text);
}

/**
 * The key in the bucket of a file that the cluster refers to. It lies below the prefix of the cluster, or below that of
 * another one of which the cluster is a clone (`fileReference`). The two leading digits come from the random end of the
 * id, so that the keys of one moment are spread over the store's partitions.
 */
export function logFileKey(clusterId: string, reference: string): string {
  if (!isFileReference(reference)) throw new RangeError(`${JSON.stringify(reference)} is not a file id`);
  const fileId = fileIdOf(reference);
  return `${clusterPrefix(fileOriginOf(reference) ?? clusterId)}${fileId.slice(-2)}/${fileId}`;
}

/** The number of the bucket in which the object of a key lies: what is no log file lies in the first one. */
export function bucketOfKey(key: string): number {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return isFileId(name) ? fileIdBucket(name) : 0;
}

/** The key of the object with the bucket's id. */
export function bucketIdKey(clusterId: string): string {
  return `${clusterPrefix(clusterId)}bucket-id`;
}

/** The key of the object by which a restore ends all earlier generations of a cluster (ADR 0038). */
export function restoreFenceKey(clusterId: string, generation: number): string {
  return `${clusterPrefix(clusterId)}metadata/fences/${String(generation).padStart(8, '0')}`;
}

/** The key of the object by which a job ends the leases of a sequence of files (ADR 0231). */
export function sequenceEndKey(clusterId: string, sequence: string): string {
  if (!isFileSequence(sequence))
    throw new RangeError(`${JSON.stringify(sequence)} is not a sequence of files`);
  return `${sequenceEndsPrefix(clusterId)}${sequence}`;
}

/** The prefix of these keys. */
export function sequenceEndsPrefix(clusterId: string): string {
  return `${clusterPrefix(clusterId)}ripcord/`;
}

/** The prefix of every key of a cluster. */
export function clusterPrefix(clusterId: string): string {
  if (!/^[\w-]{1,128}$/.test(clusterId))
    throw new RangeError(`${JSON.stringify(clusterId)} is not a cluster id`);
  return `service/${clusterId}/`;
}

/** `tail` has the 15 digits that distinguish agents; an id that names its bucket has the last 13 of them. */
function fileId(timeMs: number, level: number, count: number, bucket: number, tail: string): string {
  const when = hex(timeMs, 12);
  if (bucket === 0) return `${when}${hex(level, 1)}${hex(count, 4)}${tail}`;
  if (!(Number.isInteger(bucket) && bucket > 0 && bucket <= fileBucketMax))
    throw new RangeError(`${bucket} is not the number of a bucket`);
  return `${when}${hex(namesBucketBit + level, 1)}${hex(count, 4)}${hex(bucket, 2)}${tail.slice(2)}`;
}

function drawn(random: Random): string {
  return hex(random.below(2 ** 28), 7) + hex(random.below(2 ** 32), 8);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
