/** Digits of an id of a file before those of its sequence: its time, and what follows up to the sequence. */
const timeDigits = 12;
const restDigits = 7;

const firstCapacity = 1_024;

export interface ListedFile {
  readonly fileId: string;
  /** What the list said, and at most `listedBytesMax`. */
  readonly bytes: number;
  /** The index of the bucket among those that were given. */
  readonly bucket: number;
}

const listedBytesMax = 2 ** 32 - 1;

/**
 * The ids of files of a sequence in one bucket, in 16 bytes each: an outage of some hours leaves more than a million.
 * All of them have the digits of the sequence, which is stored once.
 */
export class SequenceFilesInBucket {
  #timesMs = new Float64Array(firstCapacity);
  #rests = new Uint32Array(firstCapacity);
  #bytes = new Uint32Array(firstCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Throws if the id is before the last one: stores list keys in the order of their bytes. The same one is ignored. */
  add(fileId: string, bytes: number): void {
    const at = this.#count;
    if (at === this.#timesMs.length) this.#grow();
    this.#timesMs[at] = Number.parseInt(fileId.slice(0, timeDigits), 16);
    this.#rests[at] = Number.parseInt(fileId.slice(timeDigits, timeDigits + restDigits), 16);
    this.#bytes[at] = Math.min(bytes, listedBytesMax);
    const behind = at === 0 ? 1 : this.compare(at, this, at - 1);
    if (behind < 0) throw new Error(`the store listed file ${fileId} behind a later one`);
    if (behind > 0) this.#count++;
  }

  /** Negative if the file at an index is before one of another bucket, and 0 if it is the same. */
  compare(at: number, other: SequenceFilesInBucket, otherAt: number): number {
    return this.#timesMs[at]! - other.#timesMs[otherAt]! || this.#rests[at]! - other.#rests[otherAt]!;
  }

  fileId(at: number, sequenceId: string): string {
    return `${hex(this.#timesMs[at]!, timeDigits)}${hex(this.#rests[at]!, restDigits)}${sequenceId}`;
  }

  bytes(at: number): number {
    return this.#bytes[at]!;
  }

  #grow(): void {
    const capacity = this.#timesMs.length * 2;
    const timesMs = new Float64Array(capacity);
    timesMs.set(this.#timesMs);
    this.#timesMs = timesMs;
    const rests = new Uint32Array(capacity);
    rests.set(this.#rests);
    this.#rests = rests;
    const bytes = new Uint32Array(capacity);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}

/** The files of a sequence in all buckets, each once, in the order of their ids. Of several copies it is the first. */
export class SequenceFiles {
  readonly #sequenceId: string;
  readonly #buckets: readonly SequenceFilesInBucket[];
  readonly count: number;

  constructor(sequenceId: string, buckets: readonly SequenceFilesInBucket[]) {
    this.#sequenceId = sequenceId;
    this.#buckets = buckets;
    const withFiles = buckets.filter((files) => files.count > 0);
    this.count = withFiles.length > 1 ? this.#countEachOnce() : (withFiles[0]?.count ?? 0);
  }

  *[Symbol.iterator](): Generator<ListedFile> {
    const next = new Uint32Array(this.#buckets.length);
    for (;;) {
      const bucket = this.#firstBucket(next);
      if (bucket === -1) return;
      const files = this.#buckets[bucket]!;
      const at = next[bucket]!;
      this.#pass(next, bucket);
      yield { fileId: files.fileId(at, this.#sequenceId), bytes: files.bytes(at), bucket };
    }
  }

  #countEachOnce(): number {
    const next = new Uint32Array(this.#buckets.length);
    for (let count = 0; ; count++) {
      const bucket = this.#firstBucket(next);
      if (bucket === -1) return count;
      this.#pass(next, bucket);
    }
  }

  /** The bucket whose next file is before those of the others; -1 if there is none any more. */
  #firstBucket(next: Uint32Array): number {
    let first = -1;
    for (let bucket = 0; bucket < this.#buckets.length; bucket++) {
      const files = this.#buckets[bucket]!;
      if (next[bucket]! >= files.count) continue;
      if (first === -1 || files.compare(next[bucket]!, this.#buckets[first]!, next[first]!) < 0)
        first = bucket;
    }
    return first;
  }

  /** Passes over the next file of a bucket, and over the copies of it. */
  #pass(next: Uint32Array, bucket: number): void {
    const passed = this.#buckets[bucket]!;
    const at = next[bucket]!;
    for (let other = 0; other < this.#buckets.length; other++) {
      const files = this.#buckets[other]!;
      if (next[other]! < files.count && files.compare(next[other]!, passed, at) === 0) next[other]!++;
    }
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
