import type { AbortedTransactions, Pointers } from '@weir/cluster';
import { TailMarkers } from './tail-markers.ts';

/**
 * The newest pointers of one partition, without a gap between them. New ones come at the end, and the oldest are dropped from
 * the front when there are too many, in the partition or in all.
 */
export class PartitionTail {
  readonly #fileId: string[] = [];
  readonly #byteStart: number[] = [];
  readonly #byteLength: number[] = [];
  readonly #baseOffset: number[] = [];
  readonly #nextOffset: number[] = [];
  /** Made for the first end of a transaction. */
  #markers: TailMarkers | undefined;
  /** Rows before this one are dropped and wait to be cut off together. */
  #first = 0;

  get size(): number {
    return this.#fileId.length - this.#first;
  }

  /** The offset behind the last pointer, or `undefined` without any. */
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

  /** Notes which of the transactions that ended in the tail were aborted. */
  noteAborted(aborted: AbortedTransactions): void {
    this.#markers?.noteAborted(aborted);
  }

  /** Cutting off an array's front moves the rest, so it is done for half of the array at a time. */
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

  /** Pointers from the one that holds `offset`, until their bytes reach `bytesMax`; `undefined` when it is not here. */
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

  /** What was aborted between an offset that `from` finds and another, by its first offset; `undefined` when nothing was. */
  abortedIn(offset: number, endOffset: number): AbortedTransactions | undefined {
    return this.#markers?.aborted(offset, endOffset);
  }

  /** The first row that ends behind `offset`. */
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
