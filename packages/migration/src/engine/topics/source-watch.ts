import type { LogEnds, NoLogEnds } from '../../source/log-ends.ts';

/** What is known of the log of a topic at the source. */
export class SourceWatch {
  readonly sourceTopic: string;
  /** Per partition; -1 if it is not known. */
  starts: Float64Array;
  ends: Float64Array;
  /** How often in a row the ends were read with the same result, with a pause between, in this epoch. */
  unchangedReads = 0;
  #epoch = -1;
  #readMs = Number.NEGATIVE_INFINITY;
  /** How often a partition ended before its copy, in a row. */
  readonly #shorter = new Map<number, number>();
  readonly stopped = new Map<number, string>();
  /** Partitions whose copies end with other records than the source has. They stay stopped until the jobs start. */
  readonly #other = new Set<number>();
  /** Up to where the ends of the copies were compared with the source; -1 if they were not. */
  readonly #compared = new Map<number, number>();

  constructor(sourceTopic: string, partitionCount: number) {
    this.sourceTopic = sourceTopic;
    this.starts = new Float64Array(partitionCount).fill(-1);
    this.ends = new Float64Array(partitionCount).fill(-1);
  }

  get isComplete(): boolean {
    return this.ends.length > 0 && this.ends.every((end) => end >= 0);
  }

  /** Offsets of all partitions together. */
  get endSum(): number {
    return this.ends.reduce((sum, end) => sum + Math.max(0, end), 0);
  }

  grow(partitionCount: number): void {
    if (partitionCount <= this.ends.length) return;
    this.starts = grown(this.starts, partitionCount);
    this.ends = grown(this.ends, partitionCount);
    this.unchangedReads = 0;
  }

  /** Takes one reading of all partitions, in an epoch of the migration of the topic. */
  read(answers: readonly (LogEnds | NoLogEnds)[], epoch: number, nowMs: number): void {
    const before = this.ends.slice();
    let isWhole = true;
    for (const answer of answers) {
      if (answer.partition >= this.ends.length) continue;
      if ('failure' in answer) isWhole = false;
      else {
        this.starts[answer.partition] = answer.logStart;
        this.ends[answer.partition] = answer.endOffset;
      }
    }
    const isSame = isWhole && this.isComplete && this.ends.every((end, at) => end === before[at]);
    if (!isWhole || epoch !== this.#epoch || !isSame) {
      this.unchangedReads = isWhole && this.isComplete ? 1 : 0;
      this.#readMs = nowMs;
    } else if (nowMs - this.#readMs >= pauseMs) {
      this.unchangedReads++;
      this.#readMs = nowMs;
    }
    this.#epoch = epoch;
  }

  /** Offsets that are not copied yet. */
  lag(nextOffset: Float64Array): number {
    return this.ends.reduce((sum, end, at) => sum + Math.max(0, end - (nextOffset[at] ?? 0)), 0);
  }

  /** Whether the copy ends where the source does. */
  isCopied(nextOffset: Float64Array): boolean {
    return (
      this.isComplete &&
      nextOffset.length === this.ends.length &&
      this.ends.every((end, at) => end === nextOffset[at])
    );
  }

  /** Partitions whose ends are to be compared with the source before a cut-over. */
  uncompared(nextOffset: Float64Array): readonly number[] {
    return Array.from(nextOffset.keys()).filter(
      (partition) => this.#compared.get(partition) !== nextOffset[partition],
    );
  }

  /** Notes that the source has the records before an offset. */
  isSame(partition: number, nextOffset: number): void {
    this.#compared.set(partition, nextOffset);
  }

  /** Notes that the source has other records than the copy. */
  isOther(partition: number, message: string): void {
    this.#other.add(partition);
    this.stopped.set(partition, message);
  }

  /** Notes partitions that end before their copies. A new leader may not know the end of its log at first. */
  compare(nextOffset: Float64Array): void {
    for (const [partition, end] of this.ends.entries()) {
      const next = nextOffset[partition] ?? 0;
      if (this.#other.has(partition)) continue;
      if (end < 0 || end >= next) {
        this.#shorter.delete(partition);
        this.stopped.delete(partition);
        continue;
      }
      const count = (this.#shorter.get(partition) ?? 0) + 1;
      this.#shorter.set(partition, count);
      if (count >= shorterReadsMax)
        this.stopped.set(partition, `the source ends at offset ${end}, and the copy at ${next}`);
    }
  }
}

/** Between two readings that count. */
const pauseMs = 250;
const shorterReadsMax = 3;

function grown(column: Float64Array, length: number): Float64Array {
  const larger = new Float64Array(length).fill(-1);
  larger.set(column);
  return larger;
}
