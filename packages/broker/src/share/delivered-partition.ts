import {
  type AcknowledgedPartition,
  type AcknowledgeType,
  type AcquiredPartition,
  acknowledgeTypes,
  type TopicPartition,
} from '@weir/cluster';
import type { BatchList } from '../read-path/batch-list.ts';
import type { ReadQuery } from '../read-path/query-reader.ts';
import type { ReadPath } from '../read-path/read-path.ts';

/** Records that are locked for one member for a time. */
interface AcquiredRange {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly deliveryCount: number;
}

/**
 * Delivery of one partition to a member: the acquired records, what of them could be read, and what has to be released.
 */
export class DeliveredPartition {
  readonly place: TopicPartition;
  readonly #given: AcquiredPartition;
  ranges: AcquiredRange[];
  batches: BatchList | undefined;
  /** Records to report to the control plane: as gaps that are never delivered, or as returned without delivery. */
  readonly #undelivered: { readonly first: number; readonly last: number; readonly type: AcknowledgeType }[] =
    [];

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

  /** Size of the stored ranges; more than the records, because batches are not cut. */
  get storedBytes(): number {
    return this.#given.pointers.byteLength.reduce((sum, bytes) => sum + bytes, 0);
  }

  query(bytesMax: number, atLeastOne: boolean): ReadQuery {
    return {
      pointers: this.#given.pointers,
      fromOffset: this.ranges[0]!.first,
      toOffset: this.ranges.at(-1)!.last + 1,
      bytesMax,
      atLeastOne,
    };
  }

  /** Stores the batches that were read; the other records are released as if they had not been acquired. */
  finish(batches: BatchList): void {
    this.batches = batches;
    this.#cutAt(batches.nextOffset);
  }

  /** Releases everything: nothing reaches the member. */
  releaseAll(): void {
    this.batches = undefined;
    this.#cutAt(Number.NEGATIVE_INFINITY);
  }

  /** Leaves out aborted records, for groups that read only committed ones. They are never delivered again. */
  async leaveOutAborted(readPath: ReadPath): Promise<void> {
    const { aborted, pointers } = this.#given;
    if (aborted === undefined || this.ranges.length === 0) return;
    const { producerId, firstOffset, lastOffset } = aborted;
    const endOffset = this.ranges.at(-1)!.last + 1;
    await readPath.searchBatches(pointers, ({ header, offsetSpan }, baseOffset) => {
      // Later records may be unreadable.
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

  /** Returns the acknowledgement for records that the member does not get; `undefined` if it gets all. */
  acknowledgement(): AcknowledgedPartition | undefined {
    if (this.#undelivered.length === 0) return undefined;
    this.#undelivered.sort((a, b) => a.first - b.first);
    return {
      ...this.place,
      firstOffset: Float64Array.from(this.#undelivered, ({ first }) => first),
      lastOffset: Float64Array.from(this.#undelivered, ({ last }) => last),
      type: Uint8Array.from(this.#undelivered, ({ type }) => acknowledgeTypes.indexOf(type)),
    };
  }

  #cutAt(end: number): void {
    const remaining: AcquiredRange[] = [];
    for (const range of this.ranges) {
      if (range.first < end) remaining.push({ ...range, last: Math.min(range.last, end - 1) });
      if (range.last >= end)
        this.#undelivered.push({ first: Math.max(range.first, end), last: range.last, type: 'return' });
    }
    this.ranges = remaining;
  }

  #leaveOut(first: number, last: number): void {
    this.ranges = this.ranges.flatMap((range) => {
      if (range.last < first || range.first > last) return [range];
      this.#undelivered.push({
        first: Math.max(first, range.first),
        last: Math.min(last, range.last),
        type: 'gap',
      });
      return [
        { ...range, last: first - 1 },
        { ...range, first: last + 1 },
      ].filter((part) => part.first <= part.last);
    });
  }
}

/** Splits ranges into ranges of at most `countMax` records. */
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
