/** When the file of an id was opened: the first 12 of its 32 hex digits. Gives the age of a file from its id alone. */
export function fileIdTimeMs(fileId: string): number {
  return Number.parseInt(fileId.slice(0, 12), 16);
}

/**
 * How often the content of the file was compacted: the digit after the time, without its highest bit. 0 for a file of
 * the write path.
 */
export function fileIdLevel(fileId: string): number {
  return Number.parseInt(fileId[12]!, 16) & fileIdLevelMax;
}

/** The highest level that an id can have. Compaction of 32 files each makes one of 32^7 files before it is reached. */
export const fileIdLevelMax = 7;

/** The bit of the digit of the level that says that the id names a bucket. */
export const namesBucketBit = 8;

/** The number of buckets of a cluster is limited by the digits that ids have for it. */
export const fileBucketMax = 255;

/**
 * The number of the bucket that the file lies in (ADR 0048). An id names it in the two digits after its count; without
 * it, the file lies in the cluster's first bucket, which is number 0.
 */
export function fileIdBucket(fileId: string): number {
  const namesBucket = (Number.parseInt(fileId[12]!, 16) & namesBucketBit) !== 0;
  return namesBucket ? Number.parseInt(fileId.slice(17, 19), 16) : 0;
}

/**
 * The digits that the ids of the files of a sequence have in common (ADR 0202): the last 13. Those of other files are
 * random.
 */
export function fileIdSequence(fileId: string): string {
  return fileId.slice(-fileSequenceDigits);
}

const fileSequenceDigits = 13;

export function isFileSequence(text: string): boolean {
  return /^[\da-f]{13}$/.test(text);
}
