import type { AbortedTransactions, Pointers } from '@weir/cluster';
import type { PointerRing } from './pointer-ring.ts';
import { TailMarkers } from './tail-markers.ts';

/**
 * The newest pointers of one partition, contiguous. New ones are appended, and the oldest are dropped when there are
 * too many, in the partition or overall.
 */
export class PartitionTail {
  readonly #ring: PointerRing;
  /** The pointers, as slots of the ring. */
  readonly #slots: number[] = [];
  /** Slots before this one are dropped and wait to be removed together. */
  #first = 0;
  /** Created for the first transaction marker. */
  #markers: TailMarkers | undefined;

  constructor(ring: PointerRing) {
    this.#ring = ring;
  }

  get size(): number {
    return this.#slots.length - this.#first;
  }

  /** The first offset of the tail, or `undefined` if there is none. */
  get start(): number | undefined {
    return this.size === 0 ? undefined : this.#ring.baseOffset[this.#slots[this.#first]!];
  }

  /** The offset after the last pointer, or `undefined` if there is none. */
  get end(): number | undefined {
    return this.size === 0 ? undefined : this.#ring.nextOffset[this.#slots.at(-1)!];
  }

  push(pointers: Pointers, row: number): void {
    // Adding may drop the oldest pointer of this tail.
    const slot = this.#ring.add(this, pointers, row);
    this.#slots.push(slot);
    if (pointers.fileId[row] === '') this.#pushMarker(pointers, row);
  }

  #pushMarker({ baseOffset, markers }: Pointers, row: number): void {
    this.#markers ??= new TailMarkers();
    this.#markers.push(baseOffset[row]!, markers!, markers!.row.indexOf(row));
  }

  /** Records which of the transactions that ended in the tail were aborted. */
  noteAborted(aborted: AbortedTransactions): void {
    this.#markers?.noteAborted(aborted);
  }

  /** Removing the front of an array moves the rest, so it is done for half of the array at a time. */
  dropOldest(): void {
    if (this.size === 0) return;
    const slot = this.#slots[this.#first]!;
    this.#markers?.dropBelow(this.#ring.nextOffset[slot]!);
    this.#ring.release(slot);
    this.#first++;
    if (this.#first * 2 < this.#slots.length) return;
    this.#slots.copyWithin(0, this.#first);
    this.#slots.length -= this.#first;
    this.#first = 0;
  }

  clear(): void {
    for (let at = this.#first; at < this.#slots.length; at++) this.#ring.release(this.#slots[at]!);
    this.#slots.length = 0;
    this.#first = 0;
    this.#markers = undefined;
  }

  /**
   * Returns pointers from the one that contains `offset`, until their bytes reach `bytesMax`; `undefined` if the tail
   * does not contain it.
   */
  from(offset: number, bytesMax: number): Pointers | undefined {
    if (this.size === 0 || offset < this.#ring.baseOffset[this.#slots[this.#first]!]! || offset > this.end!)
      return undefined;
    const from = this.#slotBehind(offset);
    let to = from;
    for (let bytes = 0; to < this.#slots.length && (to === from || bytes < bytesMax); to++) {
      bytes += this.#ring.byteLength[this.#slots[to]!]!;
    }
    const pointers = this.#ring.at(this.#slots.slice(from, to));
    if (this.#markers === undefined || this.#markers.size === 0) return pointers;
    const rows = pointers.fileId.flatMap((fileId, row) => (fileId === '' ? [row] : []));
    if (rows.length === 0) return pointers;
    return { ...pointers, markers: this.#markers.amongRows(pointers.baseOffset[0]!, rows) };
  }

  /**
   * Returns the transactions aborted between an offset that `from` finds and another, by first offset; `undefined` if
   * none.
   */
  abortedIn(offset: number, endOffset: number): AbortedTransactions | undefined {
    return this.#markers?.aborted(offset, endOffset);
  }

  /** Returns the place of the first slot that ends after `offset`. */
  #slotBehind(offset: number): number {
    let low = this.#first;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ring.nextOffset[this.#slots[middle]!]! > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
