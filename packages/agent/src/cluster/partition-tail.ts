import type { AbortedTransactions, Pointers } from '@weir/cluster';
import { TailMarkers } from './tail-markers.ts';

/**
 * The newest pointers of one partition, contiguous. New ones are appended, and the oldest are dropped when there are
 * too many, in the partition or overall.
 */
export class PartitionTail {
  readonly #fileId: string[] = [];
  readonly #byteStart: number[] = [];
  readonly #byteLength: number[] = [];
  readonly #baseOffset: number[] = [];
  readonly #nextOffset: number[] = [];
  /** Created for the first transaction marker. */
  #markers: TailMarkers | undefined;
  /** Rows before this one are dropped and wait to be removed together. */
  #first = 0;

  get size(): number {
    return this.#fileId.length - this.#first;
  }

  /** The offset after the last pointer, or `undefined` if there is none. */
  get end(): number | undefined {
    return this.size === 0 ? undefined : this.#nextOffset.at(-1);
  }

  push(pointers: Pointers, row: number): void {
    this.#fileId.push(pointers.fileId[row]!);
    this.#byteStart.push(pointers.byteStart[row]!);
    this.#byteLength.push(pointers.byteLength[row]!);
    this.#baseOffset.push(pointers.baseOffset[row]!);
    this.#nextOffset.push(pointers.nextOffset[row]!);
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
    this.#markers?.dropBelow(this.#nextOffset[this.#first]!);
    this.#first++;
    if (this.#first * 2 < this.#fileId.length) return;
    for (const column of this.#columns()) column.splice(0, this.#first);
    this.#first = 0;
  }

  clear(): void {
    for (const column of this.#columns()) column.length = 0;
    this.#first = 0;
    this.#markers = undefined;
  }

  /**
   * Returns pointers from the one that contains `offset`, until their bytes reach `bytesMax`; `undefined` if the tail
   * does not contain it.
   */
  from(offset: number, bytesMax: number): Pointers | undefined {
    if (this.size === 0 || offset < this.#baseOffset[this.#first]! || offset > this.end!) return undefined;
    const from = this.#rowBehind(offset);
    let to = from;
    for (let bytes = 0; to < this.#fileId.length && (to === from || bytes < bytesMax); to++) {
      bytes += this.#byteLength[to]!;
    }
    const pointers = {
      fileId: this.#fileId.slice(from, to),
      byteStart: Float64Array.from(this.#byteStart.slice(from, to)),
      byteLength: Float64Array.from(this.#byteLength.slice(from, to)),
      baseOffset: Float64Array.from(this.#baseOffset.slice(from, to)),
      nextOffset: Float64Array.from(this.#nextOffset.slice(from, to)),
    };
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

  /** Returns the first row that ends after `offset`. */
  #rowBehind(offset: number): number {
    let low = this.#first;
    let high = this.#nextOffset.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#nextOffset[middle]! > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #columns(): { splice(start: number, count: number): unknown; length: number }[] {
    return [this.#fileId, this.#byteStart, this.#byteLength, this.#baseOffset, this.#nextOffset];
  }
}
