import {
  type AcknowledgedPartition,
  type AcknowledgeType,
  type AcquiredPartition,
  acknowledgeTypes,
  type TopicPartition,
} from '@weir/cluster';
import type { BatchList } from '../read-path/batch-list.ts';
import type { ReadPath, ReadQuery } from '../read-path/read-path.ts';

/** Records that belong to one member for a time. */
interface AcquiredRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly deliveryCount: number;
}

/** One partition on its way to a member: what it was given, what of that could be read, and what has to be given back. */
export class DeliveredPartition {
  readonly place: TopicPartition;
  readonly #given: AcquiredPartition;
  ranges: AcquiredRange[];
  batches: BatchList | undefined;
  /** What the control plane has to be told: that nobody gets it, or that nobody got it. */
  readonly #told: { readonly first: number; readonly last: number; readonly type: AcknowledgeType }[] = [];

  constructor(place: TopicPartition, given: AcquiredPartition) {
    this.place = place;
    this.#given = given;
    const { firstOffset, lastOffset, deliveryCount } = given.acquired;
    this.ranges = Array.from(firstOffset, (first, row) => ({
      first,
      last: lastOffset[row]!,
      deliveryCount: deliveryCount[row]!,
    }));
  }

  /** What the stored ranges take; more than the records, because batches are not cut. */
  get storedBytes(): number {
    return this.#given.pointers.byteLength.reduce((sum, bytes) => sum + bytes, 0);
  }

  query(bytesMax: number): ReadQuery {
    return {
      pointers: this.#given.pointers,
      fromOffset: this.ranges[0]!.first,
      toOffset: this.ranges.at(-1)!.last + 1,
      bytesMax,
      atLeastOne: true,
    };
  }

  /** Keeps what was read; the rest goes back as if it had never been given. */
  finish(batches: BatchList): void {
    this.batches = batches;
    this.#cutAt(batches.nextOffset);
  }

  /** Nothing of it reaches the member. */
  giveBack(): void {
    this.batches = undefined;
    this.#cutAt(Number.NEGATIVE_INFINITY);
  }

  /** Leaves out what was aborted, for groups that read only what was committed. Nobody is given it again. */
  async leaveOutAborted(readPath: ReadPath): Promise<void> {
    const { aborted, pointers } = this.#given;
    if (aborted === undefined || this.ranges.length === 0) return;
    const { producerId, firstOffset, lastOffset } = aborted;
    const endOffset = this.ranges.at(-1)!.last + 1;
    await readPath.searchBatches(pointers, ({ header, offsetSpan }, baseOffset) => {
      // What lies behind may be what could not be read.
      const isLast = baseOffset + offsetSpan >= endOffset ? true : undefined;
      if (!header.isTransactional) return isLast;
      const producer = Number(header.producerId);
      const isAborted = producerId.some(
        (id, row) => id === producer && firstOffset[row]! <= baseOffset && baseOffset <= lastOffset[row]!,
      );
      if (isAborted) this.#leaveOut(baseOffset, baseOffset + offsetSpan - 1);
      return isLast;
    });
  }

  /** What has to be said of records that the member does not get; `undefined` when it gets all. */
  toTell(): AcknowledgedPartition | undefined {
    if (this.#told.length === 0) return undefined;
    this.#told.sort((a, b) => a.first - b.first);
    return {
      ...this.place,
      firstOffset: Float64Array.from(this.#told, ({ first }) => first),
      lastOffset: Float64Array.from(this.#told, ({ last }) => last),
      type: Uint8Array.from(this.#told, ({ type }) => acknowledgeTypes.indexOf(type)),
    };
  }

  #cutAt(end: number): void {
    const kept: AcquiredRange[] = [];
    for (const range of this.ranges) {
      if (range.first < end) kept.push({ ...range, last: Math.min(range.last, end - 1) });
      if (range.last >= end)
        this.#told.push({ first: Math.max(range.first, end), last: range.last, type: 'return' });
    }
    this.ranges = kept;
  }

  #leaveOut(first: number, last: number): void {
    this.ranges = this.ranges.flatMap((range) => {
      if (range.last < first || range.first > last) return [range];
      this.#told.push({ first: Math.max(first, range.first), last: Math.min(last, range.last), type: 'gap' });
      return [
        { ...range, last: first - 1 },
        { ...range, first: last + 1 },
      ].filter((part) => part.first <= part.last);
    });
  }
}

/** Ranges of at most so many records each, as a client likes them. */
export function inBatchesOf(ranges: readonly AcquiredRange[], countMax: number): AcquiredRange[] {
  if (countMax <= 0) return [...ranges];
  return ranges.flatMap((range) => {
    const parts: AcquiredRange[] = [];
    for (let first = range.first; first <= range.last; first += countMax) {
      parts.push({ ...range, first, last: Math.min(range.last, first + countMax - 1) });
    }
    return parts;
  });
}
